import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import { judgeFirst, type Rule } from '@pit/platform/judge'
import {
  boundFeeBps,
  type FeeClass,
  type HoldCode,
  lessPipsDown,
  markPrice,
  TRADE,
  worthDown,
} from '@pit/protocol'
import type { CosignedTrade, Session } from '@pit/sessions'
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

/**
 * A careful client's checks, in order; each says in words why the trade must not be signed. The signer has
 * made its own.
 */
export const TRADE_RULES: readonly Rule<TradeFacts, string, TradeHold['code']>[] = [
  {
    code: 'TX_REFUSED',
    check({ trade, session, manager }) {
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
    check({ trade, terms }) {
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
    check({ trade, feeClass }) {
      if (feeClass === null) return 'The fee class of the two tokens could not be read.'
      const { fee } = quoteOf(trade)
      return fee.class === feeClass
        ? null
        : `The answer’s fee class is ${fee.class}, the tokens’ ${feeClass}.`
    },
  },
  {
    code: 'FEE_MISMATCH',
    check({ trade, session: { binding }, tierBps }) {
      const { fee, request } = quoteOf(trade)
      const cls = fee.class
      const allowed = boundFeeBps(binding, cls)
      if (!allowed.includes(fee.bps)) {
        return `${fee.bps} bps; the session’s binding allows ${allowed.join(' or ')}.`
      }
      const added = fee.bps - fee.tier
      if (added < 0 || (!request.shield && added !== 0)) {
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
    check({ trade, terms: { shield } }) {
      const { request, audit } = quoteOf(trade)
      if (request.shield !== shield) return `The answer is ${request.shield ? 'with' : 'without'} shield.`
      return shield && !audit ? 'The answer has a shield without its audit.' : null
    },
  },
  {
    code: 'MIN_OUT_QUOTE',
    check({ trade, quoted }) {
      const least = less(quoted.expected, quoted.slippageCapBps)
      const min = trade.planned.plan.amountOutMin
      return min > 0n && min >= least
        ? null
        : `At least ${min} atoms arrive; by the quote it should be ${least} or more.`
    },
  },
  {
    code: 'MIN_OUT_FLOOR',
    check({ trade, order, quoted, marks }) {
      const { amountIn, fee } = quoteOf(trade)
      // Without independent marks at both ends there is no floor here: the signer has the owner's own.
      if (!marks.in || !marks.out) return null
      const given = worthDown(amountIn, markPrice(marks.in.priceE18, order.tokenIn.decimals))
      const got = worthDown(
        trade.planned.plan.amountOutMin,
        markPrice(marks.out.priceE18, order.tokenOut.decimals),
      )
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
    check: ({ trade }) =>
      trade.simulation.ok && trade.ready ? null : 'The exact transaction did not pass its simulation.',
  },
]

/** The first rule that stands in the way. */
export const holdTrade = (facts: TradeFacts): TradeHold | null =>
  judgeFirst(TRADE_RULES, facts, ({ code }, message) => ({ code, message }))

const quoteOf = ({ planned }: CosignedTrade) => planned.request.quote

/** Rounded down: a plan whose minimum is exactly at its tolerance always passes. */
const less = (amount: bigint, bps: number): bigint => lessPipsDown(amount, Math.ceil(bps) * 100)
