import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import { judgeFirst, type Rule } from '@pit/platform/rules'
import {
  boundFeeBps,
  type FeeClass,
  type HoldCode,
  lessPipsDown,
  markPrice,
  TRADE,
  usdOf,
  usdText,
  worthDown,
} from '@pit/protocol'
import type { CosignedTrade, Session } from '@pit/sessions'
import type { AgentTerms, AgentToken } from '../types.ts'

/** Expected values of a co-signed trade, checked before its executor signs. */
export interface TradeFacts {
  trade: CosignedTrade
  session: Session
  manager: Address
  order: { tokenIn: AgentToken; tokenOut: AgentToken; microUsd: bigint }
  /** The agent's own terms, which may be narrower than the session's. */
  terms: AgentTerms
  /** Null if it could not be read. */
  feeClass: FeeClass | null
  /** The wallet's current rate for a major trade. */
  tierBps: number
  /** Expected output and maximum slippage of the checked quote. */
  quoted: { expected: bigint; slippageCapBps: number }
  marks: { in: Mark | undefined; out: Mark | undefined }
}

export interface TradeHold {
  code: HoldCode | 'SIMULATION_FAILED' | 'TX_REFUSED'
  message: string
}

/**
 * Client-side checks, in order; each returns why the trade must not be signed. The signer has made its own.
 */
export const TRADE_RULES: readonly Rule<TradeFacts, string, TradeHold['code']>[] = [
  {
    code: 'TX_REFUSED',
    check({ trade, session, manager }) {
      const { tx } = trade
      if (tx.from !== session.executor || tx.to !== manager || tx.valueWei !== 0n) {
        return 'The transaction is not a redemption by the executor.'
      }
      return trade.session.id === session.id && trade.session.wallet === session.wallet
        ? null
        : 'The response is for another session.'
    },
  },
  {
    code: 'RISKS_MISSING',
    check({ trade, terms }) {
      const { risks } = quoteOf(trade)
      const isWhole =
        Array.isArray(risks) &&
        risks.every(({ code, severity }) => typeof code === 'string' && ['severe', 'info'].includes(severity))
      if (!isWhole) return 'The response does not list the trade’s risks.'
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
      return fee.class === feeClass ? null : `The fee class is ${fee.class}; expected ${feeClass}.`
    },
  },
  {
    code: 'FEE_MISMATCH',
    check({ trade, session: { binding }, tierBps }) {
      const { fee, request } = quoteOf(trade)
      const cls = fee.class
      const allowed = boundFeeBps(binding, cls)
      if (!allowed.includes(fee.bps)) {
        return `The fee is ${fee.bps} bps; the session’s binding allows ${allowed.join(' or ')} bps.`
      }
      const added = fee.bps - fee.tier
      if (added < 0 || (!request.shield && added !== 0)) {
        return `The fee of ${fee.bps} bps is not the tier’s ${fee.tier} bps plus the shield fee.`
      }
      // Only the binding's lowest rate may be above the tier.
      const lowest = Math.min(...allowed)
      return binding.fee.schedule === 1 || cls === 'other' || fee.tier <= Math.max(tierBps, lowest - added)
        ? null
        : `The tier is ${fee.tier} bps; expected ${tierBps} bps for this wallet.`
    },
  },
  {
    code: 'SHIELD_MISMATCH',
    check({ trade, terms: { shield } }) {
      const { request, audits } = quoteOf(trade)
      if (request.shield !== shield) return `The response is ${request.shield ? 'with' : 'without'} shield.`
      return shield && audits.length === 0 ? 'The response has shield without an audit.' : null
    },
  },
  {
    code: 'MIN_OUT_QUOTE',
    check({ trade, quoted }) {
      const least = less(quoted.expected, quoted.slippageCapBps)
      const min = trade.planned.plan.amountOutMin
      return min > 0n && min >= least
        ? null
        : `The minimum output is ${min} atoms; by the quote it must be at least ${least}.`
    },
  },
  {
    code: 'MIN_OUT_FLOOR',
    check({ trade, order, quoted, marks }) {
      const { amountIn, fee } = quoteOf(trade)
      // Without independent marks for both tokens there is no floor here: the signer checks the owner's own.
      if (!marks.in || !marks.out) return null
      const inputMicroUsd = worthDown(amountIn, markPrice(marks.in.priceE18, order.tokenIn.decimals))
      const got = worthDown(
        trade.planned.plan.amountOutMin,
        markPrice(marks.out.priceE18, order.tokenOut.decimals),
      )
      const floor = less(inputMicroUsd, quoted.slippageCapBps + fee.bps + TRADE.maxVsMidBps)
      if (got < floor)
        return `The minimum output is worth ${dollars(got)} at marks; the floor is ${dollars(floor)}.`
      // Never more than ordered, with 1% tolerance for rounding.
      return inputMicroUsd <= order.microUsd + order.microUsd / 100n
        ? null
        : `The input is worth ${dollars(inputMicroUsd)} at marks, more than the order’s ${dollars(order.microUsd)}.`
    },
  },
  {
    code: 'SIMULATION_FAILED',
    check: ({ trade }) =>
      trade.simulation.ok && trade.ready ? null : 'The simulation of the exact transaction failed.',
  },
]

const dollars = (microUsd: bigint): string => usdText(usdOf(microUsd))

/** The first violated rule. */
export const holdTrade = (facts: TradeFacts): TradeHold | null =>
  judgeFirst(TRADE_RULES, facts, ({ code }, message) => ({ code, message }))

const quoteOf = ({ planned }: CosignedTrade) => planned.request.quote

/** Rounded down, so that a minimum exactly at the tolerance passes. */
const less = (amount: bigint, bps: number): bigint => lessPipsDown(amount, Math.ceil(bps) * 100)
