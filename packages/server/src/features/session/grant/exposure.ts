import { COSIGNER, type SessionBindingV3 } from '@pit/protocol'
import { formatEther } from 'viem'
import { usdOf } from '../../trade/index.ts'
import { worthOf } from './amounts.ts'
import { approvedAtoms, type TokenBudget } from './setup.ts'

export interface ExposureAsk {
  binding: SessionBindingV3
  nowS: number
  /** Null when the session does not trade ETH. */
  eth: { tradeWei: bigint; dayWei: bigint; windowStartS: number } | null
  hasCurves: boolean
  budgets: readonly TokenBudget[]
}

const DAY_S = 86_400

/** The most that can be lost: with every key but the owner's stolen, and while the co-signer keeps its word. */
export function exposureOf(ask: ExposureAsk): Record<string, unknown> {
  const { binding } = ask
  const { limits, expires_at } = binding
  const days = Math.ceil((expires_at - ask.nowS) / DAY_S)
  const [trade, day] = [limits.max_trade_micro_usd, limits.max_day_micro_usd].map(BigInt) as [bigint, bigint]
  const spent = least(trade * BigInt(limits.max_trades), day * BigInt(days))
  const eth = ethOf(ask)
  const tokens = ask.budgets.map(tokenOf)
  const others = boundMarksOf(binding) ? ` (${COSIGNER.signedMarkBandBps} against a mark you sign)` : ''
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
      shortfall_bps: COSIGNER.maxSlippageBps,
    },
    in_words: [
      `While the co-signer keeps its word, at most ${usdOf(spent)} dollars are traded in all, ${usdOf(day)} in any 24 hours and ${usdOf(trade)} at once, and what is bought is worth at most ${COSIGNER.maxSlippageBps} bps${others} and the fee less than what is sold.`,
      eth === null
        ? 'With both keys stolen no ETH can leave.'
        : `With both keys stolen at most ${eth['at_most_eth']} ETH can leave until the session ends or you end it on chain.`,
      tokens.length === 0
        ? 'No token is approved.'
        : `With both keys stolen everything approved can leave at once: ${tokens.map(({ symbol, amount }) => `${amount} atoms of ${symbol}`).join(', ')}.`,
    ],
  }
}

/** Caps are for fixed windows of a day, each anew; curves have a root with caps of its own, and their fees another. */
function ethOf({ eth, binding, hasCurves }: ExposureAsk): Record<string, unknown> | null {
  if (eth === null) return null
  const windows = BigInt(Math.floor((binding.expires_at - eth.windowStartS) / DAY_S) + 1)
  const trades = BigInt(binding.limits.max_trades)
  const ofRoot = least(windows * eth.dayWei, trades * eth.tradeWei)
  const fees = hasCurves ? windows * ((eth.dayWei + 99n) / 100n) : 0n
  const most = ofRoot * (hasCurves ? 2n : 1n) + fees
  return {
    per_trade_wei: eth.tradeWei.toString(),
    per_window_wei: eth.dayWei.toString(),
    windows: Number(windows),
    roots: hasCurves ? 2 : 1,
    curve_fees_wei: fees.toString(),
    at_most_wei: most.toString(),
    at_most_eth: formatEther(most),
  }
}

function tokenOf(budget: TokenBudget) {
  const { token } = budget
  const atoms = approvedAtoms(budget)
  return {
    token: token.address,
    symbol: token.symbol.slice(0, 32),
    amount: atoms.toString(),
    about_usd: atoms === 'unlimited' ? null : usdOf(worthOf(atoms, token)),
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const boundMarksOf = ({ marks }: SessionBindingV3): boolean => marks !== undefined && marks.length > 0
