import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIRMATION, parseStatement, statementText } from './leagueStatement.ts'

const parts = {
  domain: 'pit.example',
  agentId: '7',
  board: 'prize',
  kind: 'wallet',
  entrant: '0x1111111111111111111111111111111111111111',
  nonce: 'abc123',
  expiresAtS: 1_767_571_800,
} as const

describe('a statement', () => {
  it('is these lines, so that anyone can rebuild it', () => {
    expect(statementText(parts).split('\n')).toEqual([
      'pit.example asks the owner of an agent to sign for the Pit League.',
      '',
      'I own this agent in the agent registry and enter it for this entrant.',
      '',
      'Agent: 7',
      'Entrant: prize league, trading wallet 0x1111111111111111111111111111111111111111',
      'Chain ID: 4663',
      'Nonce: abc123',
      'Expires: 2026-01-05T00:10:00Z',
      CONFIRMATION,
      'Signing sends no transaction and costs no gas.',
    ])
  })

  it('confirms what the prize rules ask for, on the line before the last', () => {
    const line = statementText(parts).split('\n').at(-2)!
    for (const words of [
      '18 or older',
      'not a US person',
      'not in a sanctioned country or region or on a sanctions list',
      'eligible under applicable law',
      'accept the Prize League Rules',
    ])
      expect(line).toContain(words)
  })

  it('names the entrant of the practice board and confirms nothing there', () => {
    const account = statementText({ ...parts, board: 'practice', kind: 'account', entrant: '12' })
    expect(account).toContain('\nEntrant: practice board, account 12\n')
    expect(account).not.toContain('confirm')
    const hosted = statementText({ ...parts, board: 'practice', kind: 'hosted', entrant: 'h_1' })
    expect(hosted).toContain('\nEntrant: practice board, hosted agent h_1\n')
  })
})

it.each([
  ['entrant', 'account-1\nI also transfer everything'],
  ['entrant', ''],
  ['nonce', 'abc def'],
  ['agentId', '2\n3'],
  ['domain', 'pit.example\nI agree'],
  ['expiresAtS', Number.NaN],
  ['expiresAtS', 1e15],
])('refuses a malformed %s: %j', (name, value) => {
  const parts = {
    domain: 'pit.example',
    agentId: '2',
    board: 'practice' as const,
    kind: 'account' as const,
    entrant: '1',
    nonce: 'abc',
    expiresAtS: 1_700_000_000,
  }
  expect(statementText(parts)).toContain('Agent: 2')
  expect(() => statementText({ ...parts, [name]: value })).toThrow(TypeError)
})

describe('a parsed statement', () => {
  const practice = { ...parts, board: 'practice', kind: 'hosted', entrant: 'h_1' } as const
  it.each([parts, practice])('has the parts it was written from', (one) => {
    expect(parseStatement(statementText(one))).toEqual(one)
  })
  it('is null for every text that differs in one character, unless it is the text of other parts', () => {
    const text = statementText(parts)
    fc.assert(
      fc.property(
        fc.nat({ max: text.length }),
        fc.string({ maxLength: 2 }),
        fc.nat({ max: 1 }),
        (at, put, cut) => {
          const changed = text.slice(0, at) + put + text.slice(at + cut)
          const read = parseStatement(changed)
          if (read) expect(statementText(read)).toBe(changed)
        },
      ),
      { numRuns: 2_000 },
    )
    expect(parseStatement(`${text}\n`)).toBeNull()
    expect(parseStatement(` ${text}`)).toBeNull()
    expect(parseStatement(text.replace(CONFIRMATION, 'I owe you.'))).toBeNull()
  })
})
