import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import { BPS, boundFeeBps, type FeeClass, type HoldCode, TRADE } from '@pit/protocol'
import type { CosignedTrade, Session } from '@pit/sessions'
import { worthOf } from '../paper/rules.ts'
import type { AgentTerms, AgentToken } from '../types.ts'

/** What a co-signed trade is held against before its executor signs. */
export interface TradeFacts {
  trade: CosignedTrade
  session: Session
  manager: Address
  order: { tokenIn: AgentToken; tokenOut: AgentToken; microUsd: bigint }
  /** The agent's own, which may be narrower than the session's. */
  terms: AgentTerms
  /** Null when it could not be read. */
  feeClass: FeeClass | null
  /** The wallet's rate of a major trade now. */
  tierBps: number
  /** What the quote that was judged expects to arrive, and the most it may slip. */
  quoted: { expected: bigint; slippageCapBps: number }
  marks: { in: Mark | undefined; out: Mark | undefined }
}

export interface TradeHold {
  code: HoldCode | 'SIMULATION_FAILED' | 'TX_REFUSED'
  message: string
}
interface Rule {
  code: TradeHold['code']
  /** In words when the trade must not be signed. */
  fault(facts: TradeFacts): string | null
}

/** A careful client's checks, in order. The signer has made its own. */
export const TRADE_RULES: readonly Rule[] = [
  {
    code: 'TX_REFUSED',
    fault({ trade, session, manager }) {
      const { tx } = trade
      if (tx.from !== session.executor || tx.to !== manager || tx.valueWei !== 0n) {
        return 'The transaction is not the executor’s redemption.'
      }
      return trade.session.id === session.id && trade.session.wallet === session.wallet
        ? null
        : 'The answer is for another session.'
    },
  },
  {
    code: 'RISKS_MISSING',
    fault({ trade, terms }) {
      const { risks } = quoteOf(trade)
      const isWhole =
        Array.isArray(risks) &&
        risks.every(({ code, severity }) => typeof code === 'string' && ['severe', 'info'].includes(severity))
      if (!isWhole) return 'The answer does not say which risks the trade has.'
      const missing = risks.filter(
        ({ code, severity }) => severity === 'severe' && !terms.acceptRisks.includes(code),
      )
      return missing.length === 0
        ? null
        : `Severe risks the owner has not accepted: ${missing.map(({ code }) => code).join(', ')}.`
    },
  },
  {
    code: 'FEE_CLASS',
    fault({ trade, feeClass }) {
      if (feeClass === null) return 'The fee class of the two tokens could not be read.'
      const { fee } = quoteOf(trade)
      return fee.class === feeClass
        ? null
        : `The answer’s fee class is ${fee.class}, the tokens’ ${feeClass}.`
    },
  },
  {
    code: 'FEE_MISMATCH',
    fault({ trade, session: { binding }, tierBps }) {
      const { fee, ask } = quoteOf(trade)
      const cls = fee.class
      const allowed = boundFeeBps(binding, cls)
      if (!allowed.includes(fee.bps)) {
        return `${fee.bps} bps; the session’s binding allows ${allowed.join(' or ')}.`
      }
      const added = fee.bps - fee.tier
      if (added < 0 || (!ask.shield && added !== 0)) {
        return `${fee.bps} bps are not the tier’s ${fee.tier} and the shield’s.`
      }
      // The lowest rate of the binding may still be above the tier; nothing else may.
      const lowest = Math.min(...allowed)
      return binding.fee.schedule === 1 || cls === 'other' || fee.tier <= Math.max(tierBps, lowest - added)
        ? null
        : `${fee.tier} bps; this wallet’s tier is ${tierBps}.`
    },
  },
  {
    code: 'SHIELD_MISMATCH',
    fault({ trade, terms: { shield } }) {
      const { ask, audit } = quoteOf(trade)
      if (ask.shield !== shield) return `The answer is ${ask.shield ? 'with' : 'without'} shield.`
      return shield && !audit ? 'The answer has a shield without its audit.' : null
    },
  },
  {
    code: 'MIN_OUT_QUOTE',
    fault({ trade, quoted }) {
      const least = less(quoted.expected, quoted.slippageCapBps)
      const min = trade.planned.plan.amountOutMin
      return min > 0n && min >= least
        ? null
        : `At least ${min} atoms arrive; by the quote it should be ${least} or more.`
    },
  },
  {
    code: 'MIN_OUT_FLOOR',
    fault({ trade, order, quoted, marks }) {
      const { amountIn, fee } = quoteOf(trade)
      // Without independent marks at both ends there is no floor here: the signer has the owner's own.
      if (!marks.in || !marks.out) return null
      const given = worthOf(amountIn, order.tokenIn.decimals, marks.in.priceE18)
      const got = worthOf(trade.planned.plan.amountOutMin, order.tokenOut.decimals, marks.out.priceE18)
      const floor = less(given, quoted.slippageCapBps + fee.bps + TRADE.maxVsMidBps)
      if (got < floor) return `The minimum is worth ${got} micro-dollars at marks; the floor is ${floor}.`
      // Never more than was ordered, but for the last atom's rounding.
      return given <= order.microUsd + order.microUsd / 100n
        ? null
        : `The input is worth ${given} micro-dollars at marks, more than the order’s ${order.microUsd}.`
    },
  },
  {
    code: 'SIMULATION_FAILED',
    fault: ({ trade }) =>
      trade.simulation.ok && trade.ready ? null : 'The exact transaction did not pass its simulation.',
  },
]

/** The first rule that stands in the way. */
export function holdTrade(facts: TradeFacts): TradeHold | null {
  for (const { code, fault } of TRADE_RULES) {
    const message = fault(facts)
    if (message !== null) return { code, message }
  }
  return null
}

const quoteOf = ({ planned }: CosignedTrade) => planned.ask.quote

const less = (amount: bigint, bps: number): bigint =>
  (amount * BigInt(Math.max(0, BPS - Math.ceil(bps)))) / BigInt(BPS)
