import { readFileSync } from 'node:fs'
import { type Address, type Hex, NATIVE } from '@pit/chain'
import { COSIGNER, createBinding, TRADE } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import type { OwnMarks } from '../own/marks.ts'
import { pinsOf } from '../pins.ts'
import type { Pending } from '../verify/grant.ts'
import { readSetup } from './sendSetup.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const NOW_S = 1_800_000_000
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
const CURVE = at('c')
const dollars = (usd: number) => BigInt(usd * 1_000_000)
const marks: OwnMarks = new Map([
  [USDG, { priceE18: 10n ** 18n, decimals: 6, source: 'oracle_feed' as const }],
])
const binding = createBinding({
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  router: pins.router,
  feeRecipient: pins.feeRecipient,
  tokens: [NATIVE, USDG],
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
  expires_at: NOW_S + 3_600,
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: [], shield: false, policies: [] },
})

const word = (value: bigint | number | Address): string => BigInt(value).toString(16).padStart(64, '0')
const approve = (spender: Address, amount: bigint, token: Address = USDG) => ({
  to: token,
  value: '0',
  data: `0x095ea7b3${word(spender)}${word(amount)}` as Hex,
})
const permit2Approve = (spender: Address, amount: bigint, expiresS: number) => ({
  to: pins.permit2,
  value: '0',
  data: `0x87517c45${word(USDG)}${word(spender)}${word(amount)}${word(expiresS)}` as Hex,
})

const read = (...txs: (object | null)[]) =>
  readSetup({ pins } as ClientDeps, { setup: txs.map((tx) => ({ tx })) } as unknown as Pending, {
    request: { executor: at('2'), tokens: ['ETH', 'USDG'], max_day_usd: 20 },
    binding,
    marks,
    curves: [CURVE],
  })

function refusalOf(...txs: (object | null)[]): string {
  try {
    read(...txs)
  } catch (error) {
    if (isRefusal(error)) return `${error.rule}: ${error.message}`
    throw error
  }
  return 'none'
}

describe('readSetup', () => {
  it('accepts approvals of the session’s tokens to Permit2, the router and its curves', () => {
    const { approvals, calls } = read(
      approve(pins.permit2, dollars(20)),
      permit2Approve(pins.router, dollars(20), binding.expires_at + TRADE.deadlineS),
      approve(CURVE, dollars(20)),
    )
    expect(approvals.map(({ spender }) => spender)).toEqual([pins.permit2, pins.router, CURVE])
    expect(calls.map(({ to }) => to)).toEqual([USDG, pins.permit2, USDG])
  })

  it('accepts the budget plus the price band, because prices move, and no more', () => {
    const most = (dollars(20) * BigInt(10_000 + COSIGNER.capPriceBandBps)) / 10_000n
    expect(refusalOf(approve(pins.permit2, most))).toBe('none')
    expect(refusalOf(approve(pins.permit2, most + 1n))).toMatch(/GRANT_CAPS.*budget/)
  })

  it.each([
    ['a missing transaction', [null], /no transaction/],
    [
      'a transfer',
      [{ to: USDG, value: '0', data: `0xa9059cbb${word(at('9'))}${word(1n)}` }],
      /not an approval/,
    ],
    ['an approval that sends ETH', [{ ...approve(pins.permit2, 1n), value: '1' }], /not an approval/],
    ['an approval to a stranger', [approve(at('9'), 1n)], /unexpected spender/],
    ['Permit2’s approval to a stranger', [permit2Approve(at('9'), 1n, NOW_S + 60)], /unexpected spender/],
    ['an approval to the router itself', [approve(pins.router, 1n)], /unexpected spender/],
    ['a token outside the session', [approve(pins.permit2, 1n, at('8'))], /outside the session/],
    ['the same step twice', [approve(pins.permit2, 1n), approve(pins.permit2, 1n)], /appears twice/],
    [
      'an approval that outlasts the session',
      [permit2Approve(pins.router, 1n, binding.expires_at + TRADE.deadlineS + 1)],
      /outlasts/,
    ],
  ])('refuses %s', (_, txs, message) => {
    expect(refusalOf(...txs)).toMatch(message)
  })
})
