import { readFileSync } from 'node:fs'
import { type Address, NATIVE } from '@pit/chain'
import { createBinding } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { isRefusal } from '../errors.ts'
import { pinsOf } from '../pins.ts'
import type { CheckedRoots, Pending } from './grant.ts'
import type { Approval } from './readPlan.ts'
import { checkDescription, signedTerms } from './signedTerms.ts'

const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')))
const NOW_S = 1_800_000_000
const LASTS_S = 2 * 86_400
const at = (digit: string) => `0x${digit.repeat(40)}` as Address
const binding = createBinding({
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  router: pins.router,
  feeRecipient: pins.feeRecipient,
  tokens: [NATIVE, ...[...pins.tokens.keys()].slice(0, 1)],
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 25_000_000, max_trades: 100 },
  expires_at: NOW_S + LASTS_S,
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: ['LOW_LIQUIDITY'], shield: true, policies: ['block_flagged'] },
})
const termsWith = (approvals: readonly Approval[]) =>
  signedTerms(pins, {
    sessionId: 'ses_1',
    binding,
    checked: { eth: { tradeWei: 4n, dayWei: 10n }, roots: [] } as unknown as CheckedRoots,
    takesCode: null,
    approvals,
  })
const terms = termsWith([])

const LIMITS = { max_trade_usd: 10, max_day_usd: 25, max_trades: 100 }
const honest = () => ({
  wallet: at('1'),
  executor: at('2'),
  cosigner: at('3'),
  expires: NOW_S + LASTS_S,
  limits: { ...LIMITS },
  risk_terms: { accept_risks: ['LOW_LIQUIDITY'], shield: true, policies: ['block_flagged'] },
  exposure: {
    by_cosigner: { ...LIMITS, traded_at_most_usd: 50 },
    on_chain: { eth: { per_trade_wei: '4', per_window_wei: '10' } },
    in_words: ['Up to 10 dollars a trade.', 'Up to 25 dollars a day.'],
  },
})

function fieldOf(change: (pending: ReturnType<typeof honest>) => void): string {
  const pending = honest()
  change(pending)
  try {
    checkDescription(pending as unknown as Pending, terms, { binding, lastsS: LASTS_S })
  } catch (error) {
    if (isRefusal(error)) return error.message
    throw error
  }
  return 'none'
}

it('names the token and the spender of every approval', () => {
  const [token, { symbol, decimals }] = [...pins.tokens].find(([address]) => address !== NATIVE)!
  const amount = 2_500n * 10n ** BigInt(decimals)
  const { approvalsInWords } = termsWith([
    { token, spender: pins.permit2, amount, expiresS: null },
    { token, spender: pins.router, amount, expiresS: NOW_S },
    { token, spender: at('5'), amount: 1n << 160n, expiresS: null },
  ])
  expect(approvalsInWords).toEqual([
    `Permit2 may take up to 2,500 ${symbol}.`,
    `The exchange’s router may take up to 2,500 ${symbol} through Permit2 until 2027-01-15 08:00 UTC.`,
    `The curve ${at('5')} may take up to all your ${symbol}.`,
  ])
})

describe('checkDescription', () => {
  it('accepts a description of exactly what is signed', () => {
    expect(fieldOf(() => {})).toBe('none')
  })

  it('accepts lists in another order and addresses in another case', () => {
    expect(
      fieldOf((pending) => {
        pending.executor = pending.executor.toUpperCase().replace('0X', '0x') as Address
        pending.risk_terms.accept_risks.reverse()
      }),
    ).toBe('none')
  })

  it.each<[string, RegExp, (pending: ReturnType<typeof honest>) => void]>([
    ['wallet', /wallet/, (one) => (one.wallet = at('9'))],
    ['executor', /executor/, (one) => (one.executor = at('9'))],
    ['co-signer', /co-signer/, (one) => (one.cosigner = at('9'))],
    ['expiry', /expiry/, (one) => one.expires--],
    ['limit per trade', /limits/, (one) => one.limits.max_trade_usd--],
    ['limit per day', /limits/, (one) => one.limits.max_day_usd--],
    ['number of trades', /limits/, (one) => one.limits.max_trades--],
    ['exposure', /exposure/, (one) => one.exposure.by_cosigner.max_day_usd--],
    ['sum of all days', /exposure/, (one) => one.exposure.by_cosigner.traded_at_most_usd--],
    ['ETH of a trade', /exposure in ETH/, (one) => (one.exposure.on_chain.eth.per_trade_wei = '3')],
    ['ETH of a day', /exposure in ETH/, (one) => (one.exposure.on_chain.eth.per_window_wei = '9')],
    ['accepted risk', /risk terms/, (one) => one.risk_terms.accept_risks.pop()],
    ['shield', /risk terms/, (one) => (one.risk_terms.shield = false)],
    ['text', /text does not state/, (one) => (one.exposure.in_words = ['Up to 1 dollar a trade.'])],
    ['part of a number in the text', /text/, (one) => (one.exposure.in_words = ['Up to 2510 dollars.'])],
  ])('refuses another %s than the one signed', (_, message, change) => {
    expect(fieldOf((pending) => void change(pending))).toMatch(message)
  })
})
