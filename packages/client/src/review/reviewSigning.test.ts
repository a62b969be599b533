import {
  type Address,
  curveRoots,
  delegationTypedData,
  NATIVE,
  type OrderList,
  orderTypedData,
  permitTypedData,
  sessionRoot,
} from '@pit/chain'
import {
  bindingHash,
  challengeStatement,
  createBinding,
  siweMessage,
  statementText,
  stockAttestationText,
} from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import {
  COSIGNER,
  CURVES,
  context,
  EXECUTOR,
  pins,
  THIEF,
  textsOf,
  USDG,
  WALLET,
} from '../../test/reviewKit.ts'
import type { TypedData } from '../account.ts'
import { hashing } from '../verify/grant.ts'
import { reviewSigning } from './reviewSigning.ts'
import type { SigningRequest } from './terms.ts'

const NOW_S = 1_800_000_000
const review = (request: SigningRequest) => reviewSigning(context, request)
const asJson = (data: object): TypedData =>
  JSON.parse(JSON.stringify(data, (_, one) => (typeof one === 'bigint' ? one.toString() : one)))
const typed = (data: object) => review({ kind: 'typedData', payload: asJson(data) })
const message = (payload: string) => review({ kind: 'message', payload })

const binding = createBinding({
  wallet: WALLET,
  executor: EXECUTOR,
  cosigner: COSIGNER,
  router: pins.router,
  feeRecipient: pins.feeRecipient,
  tokens: [NATIVE, USDG],
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
  expires_at: NOW_S + 3_600,
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: [], shield: false, policies: [] },
})
const ETH = { dayWei: 8n * 10n ** 15n, tradeWei: 4n * 10n ** 15n }
const root = sessionRoot(pins.addresses, {
  binding,
  bindingHash: bindingHash(hashing.keccakText, binding),
  eth: ETH,
  nowS: NOW_S,
})

describe('a message', () => {
  const signIn = {
    ...{ domain: 'pit.example', uri: 'https://pit.example' },
    ...({ version: '1', chainId: 4663 } as const),
    ...{ address: WALLET, nonce: 'abcdefgh1234', issuedAtS: NOW_S, expiresAtS: NOW_S + 300 },
    statement: challengeStatement('sign-in'),
  }
  const entry = {
    ...{ domain: 'pit.example', agentId: '7', nonce: 'abc123', expiresAtS: NOW_S },
    ...({ board: 'prize', kind: 'wallet', entrant: WALLET } as const),
  }
  const stocks = {
    ...{ agentId: 'agt_1', executor: EXECUTOR, sessionId: 'ses_1', rootHash: `0x${'0f'.repeat(32)}` },
    ...{ issuedS: NOW_S, expiresS: NOW_S + 60, chainId: 4663 },
  }
  it.each([
    ['Sign in to pit.example', siweMessage(signIn)],
    ['Confirm for pit.example', siweMessage({ ...signIn, statement: challengeStatement('revoke-all') })],
    ['Enter the prize league of pit.example', statementText(entry)],
    [
      'Enter the practice league of pit.example',
      statementText({ ...entry, board: 'practice', kind: 'hosted', entrant: 'h_1' }),
    ],
    ['Let an agent trade stock tokens', stockAttestationText(stocks)],
  ])('is shown by its fields: %s', (title, text) => {
    const reviewed = message(text)
    expect(reviewed).toMatchObject({ title, kind: 'message', text, isReturn: false, confirmAddresses: [] })
    expect(reviewed.effects.every(({ kind }) => kind === 'states')).toBe(true)
  })
  it('names the agent, the entrant and what is confirmed', () => {
    const lines = textsOf(message(statementText(entry)))
    expect(lines).toContain('Agent: 7')
    expect(lines).toContain(`Entrant: wallet ${WALLET}`)
    expect(lines.join()).toContain('I confirm that I am 18 or older')
  })
  it.each([
    ['for another site', siweMessage({ ...signIn, domain: 'evil.example', uri: 'https://evil.example' })],
    ['for another wallet', siweMessage({ ...signIn, address: THIEF })],
    ['with another statement', siweMessage({ ...signIn, statement: 'I give my coins away' })],
    ['with a URI of another site', siweMessage({ ...signIn, uri: 'https://evil.example' })],
    ['of a league elsewhere', statementText({ ...entry, domain: 'evil.example' })],
    ['with a line after a statement', `${statementText(entry)}\nI owe you everything.`],
    ['with another line in a statement', statementText(entry).replace('18 or older', '17 or older')],
    ['with a line before a statement', `I owe you.\n${statementText(entry)}`],
    ['with a line after an attestation', `${stockAttestationText(stocks)}\nI owe you everything.`],
    ['with another text in an attestation', stockAttestationText(stocks).replace('not a US', 'a US')],
    ['with a time written otherwise', stockAttestationText(stocks).replace('Z)', '+00:00)')],
    ['of another chain', stockAttestationText({ ...stocks, chainId: 1 })],
    ['of its first line only', 'Pit stock token attestation\n\nI owe you everything.'],
    ['of free text', 'I owe you everything'],
    ['of nothing', ''],
  ])('is refused %s', (_, text) => {
    expect(() => message(text)).toThrow('Not signed')
  })
})

describe('a delegation', () => {
  const data = delegationTypedData(pins.addresses, root)
  it('is shown with its executor, its ETH and its end', () => {
    const [line] = textsOf(typed(data))
    expect(line).toContain(`executor ${EXECUTOR} may call ${pins.router}`)
    expect(line).toContain('0.008 ETH a day and 0.004 ETH a trade')
    expect(line).toContain('2027-01-15 09:00 UTC')
  })
  it('on curves that no launchpad lists needs each address confirmed', () => {
    const curves = [THIEF, CURVES[0]!.id]
    const request = { binding, bindingHash: bindingHash(hashing.keccakText, binding), eth: ETH, nowS: NOW_S }
    const { curve } = curveRoots(pins.addresses, { ...request, curves, launchpads: ['pit'] })
    const reviewed = typed(delegationTypedData(pins.addresses, curve))
    expect(reviewed.confirmAddresses).toEqual([THIEF])
    expect(reviewed.effects).toMatchObject([{ kind: 'session', targets: curves }])
  })
  it.each([
    ['of another wallet', { message: { ...data.message, delegator: THIEF } }],
    ['to another co-signer', { message: { ...data.message, delegate: THIEF } }],
    ['without its caveats', { message: { ...data.message, caveats: [] } }],
    ['without one caveat', { message: { ...data.message, caveats: data.message.caveats.slice(1) } }],
    ['for another manager', { domain: { ...data.domain, verifyingContract: THIEF } }],
    ['on another chain', { domain: { ...data.domain, chainId: 1 } }],
    ['with another field', { message: { ...data.message, extra: 1 } }],
    ['of other types', { types: { ...data.types, Caveat: [...data.types.Caveat].reverse() } }],
    ['under another name', { primaryType: 'Mail' }],
  ])('is refused: %s', (_, change) => {
    expect(() => typed({ ...data, ...change })).toThrow('Not signed')
  })
})

describe('other typed data', () => {
  const permit = (spender: Address) =>
    permitTypedData(
      { chainId: 4663, permit2: pins.permit2 },
      {
        details: { token: USDG, amount: 25_000_000n, expiration: NOW_S, nonce: 0 },
        spender,
        sigDeadline: BigInt(NOW_S),
      },
    )
  it('a permit is signed for the pinned router only', () => {
    expect(textsOf(typed(permit(pins.router)))).toEqual([
      `Approval: the pinned exchange ${pins.router} may take up to 25 USDG, until 2027-01-15 08:00 UTC`,
    ])
    expect(() => typed(permit(THIEF))).toThrow('another spender')
  })
  it('orders are shown in words', () => {
    const list: OrderList = {
      session: `0x${'6'.repeat(64)}`,
      nonce: `0x${'7'.repeat(64)}`,
      replaces: [],
      orders: [
        {
          ...{ tokenIn: USDG, tokenOut: NATIVE, amountIn: 10_000_000n, minAmountOut: 1n },
          trigger: { kind: 'at_or_below', token: NATIVE, priceE18: 2_000n * 10n ** 18n, trailBps: 0 },
          ...{ maxSlippageBps: 50, slices: 1, everyS: 0, startsAt: 0, expiresAt: NOW_S, group: 0, parent: 0 },
        },
      ],
    }
    const reviewed = typed(orderTypedData(pins.addresses, list))
    expect(reviewed.effects).toMatchObject([{ kind: 'states' }, { kind: 'order', order: list.orders[0]! }])
    const [, line] = textsOf(reviewed)
    expect(line).toContain('Sell up to 10 USDG')
    expect(line).toContain('at or below 2,000 USD')
  })
})

describe('an authorization', () => {
  const of = (address: Address, chainId = 4663) =>
    review({ kind: 'authorization', payload: { address, chainId, nonce: 3 } })
  it('is signed for the pinned delegator only', () => {
    expect(of(pins.addresses.delegator)).toMatchObject({ authorization: { nonce: 3 } })
    expect(() => of(THIEF)).toThrow('Not signed')
    expect(() => of(pins.addresses.delegator, 1)).toThrow('Not signed')
  })
})
