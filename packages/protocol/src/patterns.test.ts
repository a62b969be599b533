import { expect, it } from 'vitest'
import { executorAttestationText, stockAttestationText } from './attestations.ts'
import { statementText } from './leagueStatement.ts'
import { isKind, PATTERNS, type PatternName } from './patterns.ts'

const HONEST: Record<PatternName, string> = {
  address: `0x${'ab'.repeat(20)}`,
  hash: `0x${'ab'.repeat(32)}`,
  id: 'ses_4567',
  recordId: 'ses_4567',
  agentId: '7',
  accountId: '12',
  atoms: '1000000',
  code: 'HONEYPOT',
  word: 'hold',
  pair: 'ETH/USDG',
  tokenName: 'ETH',
  modelId: 'vendor/model-1',
  domain: 'pit.example:443',
}

it.each(Object.keys(PATTERNS) as PatternName[])('%s has one spelling', (name) => {
  const honest = HONEST[name]
  expect(isKind(name, honest)).toBe(true)
  const fullWidth = honest.replace(/[0-9a-zA-Z]/, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0))
  expect(fullWidth.normalize('NFKC')).toBe(honest)
  for (const other of [
    fullWidth,
    `${honest}\n`,
    `${honest} `,
    `${honest}\u202e`,
    `${honest}\u0301`,
    '',
    [honest],
    7,
  ])
    expect(isKind(name, other), JSON.stringify(other)).toBe(false)
})

it.each(['-1', '0', 'null', '1e3', '１２', 12, null])(
  'refuses %j as an account of a statement',
  (entrant) => {
    const parts = {
      ...({ domain: 'pit.example', agentId: '2', board: 'practice', kind: 'account' } as const),
      ...{ entrant: entrant as string, nonce: 'abc', expiresAtS: 1_700_000_000 },
    }
    expect(() => statementText(parts)).toThrow('the entrant is malformed')
  },
)

it.each([4567, null, ['ses_4567'], 'ses_4567\nIssued: 0'])(
  'refuses %j as a session of an attestation',
  (id) => {
    const terms = { executor: HONEST.address, rootHash: HONEST.hash, issuedS: 1, expiresS: 2, chainId: 4663 }
    const sessionId = id as string
    expect(() => stockAttestationText({ ...terms, agentId: 'agt_1', sessionId })).toThrow(TypeError)
    expect(() => executorAttestationText({ ...terms, owner: HONEST.address, agentId: sessionId })).toThrow(
      TypeError,
    )
  },
)
