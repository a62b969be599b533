import {
  type Answer,
  boundFeeBps,
  controlsInWords,
  DAY_S,
  decimalText,
  FEE,
  markPrice,
  minOf,
  type PriceWitness,
  type SessionBindingV3,
  shareUp,
  usdOf,
  widestBandBps,
  worthDown,
} from '@pit/protocol'
import type { GrantToken } from './findTokens.ts'
import { approvedAtoms, type TokenBudget } from './setup.ts'

export type Exposure = Extract<Answer<'live.session.grant'>, { status: 'pending' }>['exposure']

export interface ExposureRequest {
  binding: SessionBindingV3
  nowS: number
  /** Null if the session does not trade ETH. */
  eth: { tradeWei: bigint; dayWei: bigint; windowStartS: number } | null
  hasCurves: boolean
  budgets: readonly TokenBudget[]
  tokens: readonly Pick<GrantToken, 'symbol' | 'isCore' | 'hasFeed' | 'needsMark'>[]
}

/** Maximum loss: with all keys but the owner's stolen, and with an honest co-signer. */
export function exposureOf(request: ExposureRequest): Exposure {
  const { binding } = request
  const { limits, expires_at } = binding
  const days = Math.ceil((expires_at - request.nowS) / DAY_S)
  const [trade, day] = [limits.max_trade_micro_usd, limits.max_day_micro_usd].map(BigInt) as [bigint, bigint]
  const spent = minOf(trade * BigInt(limits.max_trades), day * BigInt(days))
  const eth = ethOf(request)
  const tokens = request.budgets.map(tokenOf)
  const { shortfallBps, feeBps, words } = worstOf(request)
  const lost = shareUp(spent, shortfallBps + feeBps)
  return {
    on_chain: {
      when: 'the co-signer’s and the executor’s keys are both stolen',
      eth,
      tokens,
    },
    by_cosigner: {
      when: 'only the executor’s key, or this service, is in other hands',
      max_trade_usd: usdOf(trade),
      max_day_usd: usdOf(day),
      max_trades: limits.max_trades,
      traded_at_most_usd: usdOf(spent),
      shortfall_bps: shortfallBps,
      fee_bps: feeBps,
      lost_at_most_usd: usdOf(lost),
    },
    in_words: [
      `With an honest co-signer: at most ${usdOf(spent)} USD traded in total, ` +
        `${usdOf(day)} USD in any 24 hours and ${usdOf(trade)} USD per trade. ` +
        `Each trade can lose at most ${shortfallBps} bps ${words} ` +
        `plus a fee of ${feeBps} bps, ` +
        `${usdOf(lost)} USD in total.`,
      eth === null
        ? 'If both keys are stolen: no ETH.'
        : `If both keys are stolen: up to ${eth.at_most_eth} ETH, ` +
          `until the session ends or you end it on chain.`,
      tokens.length === 0
        ? 'No token is approved.'
        : `If both keys are stolen: all approved tokens at once, ${tokens.map(atomsText).join(', ')}.`,
      ...controlsInWords(binding),
    ],
  }
}

/** Largest loss of a co-signed trade, by the least reliable price of its tokens. */
function worstOf({ binding, tokens }: ExposureRequest): {
  shortfallBps: number
  feeBps: number
  words: string
} {
  const feeClass = tokens.every(({ isCore }) => isCore) ? 'major' : 'other'
  const marked = tokens.filter(({ needsMark }) => needsMark).map(({ symbol }) => symbol.slice(0, 32))
  const witness: PriceWitness =
    marked.length > 0 ? 'owner' : tokens.every(({ hasFeed }) => hasFeed) ? 'feed' : 'mean'
  const words =
    marked.length > 0
      ? `(by the price of ${marked.join(', ')} that you sign; the co-signer cannot check it later)`
      : '(at the co-signer’s own prices)'
  const shortfallBps = widestBandBps(witness, feeClass)
  return { shortfallBps, feeBps: Math.max(...boundFeeBps(binding, feeClass)), words }
}

/** Caps count in fixed windows of a day; curves have a root with separate caps, and their fees another. */
function ethOf({ eth, binding, hasCurves }: ExposureRequest): Exposure['on_chain']['eth'] {
  if (eth === null) return null
  const windows = BigInt(Math.floor((binding.expires_at - eth.windowStartS) / DAY_S) + 1)
  const trades = BigInt(binding.limits.max_trades)
  const ofRoot = minOf(windows * eth.dayWei, trades * eth.tradeWei)
  const fees = hasCurves ? windows * shareUp(eth.dayWei, FEE.maxBps) : 0n
  const max = ofRoot * (hasCurves ? 2n : 1n) + fees
  return {
    per_trade_wei: eth.tradeWei.toString(),
    per_window_wei: eth.dayWei.toString(),
    windows: Number(windows),
    roots: hasCurves ? 2 : 1,
    curve_fees_wei: fees.toString(),
    at_most_wei: max.toString(),
    at_most_eth: decimalText(max, 18),
  }
}

const atomsText = ({ amount, symbol }: ReturnType<typeof tokenOf>) => `${amount} atoms of ${symbol}`

function tokenOf(budget: TokenBudget) {
  const { token } = budget
  const atoms = approvedAtoms(budget)
  return {
    token: token.address,
    symbol: token.symbol.slice(0, 32),
    amount: atoms.toString(),
    about_usd:
      atoms === 'unlimited' ? null : usdOf(worthDown(atoms, markPrice(token.priceE18, token.decimals))),
  }
}
