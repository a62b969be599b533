import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import { type Answer, BPS, boundFeeBps, type FeeClass, type HoldCode, TRADE } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import type { PlanTx } from '@pit/trading'
import type { AgentTerms, AgentToken } from '../types.ts'

type TradeAnswer = Answer<'live.session.trade'>

/** What a co-signed trade is held against before its executor signs: all of it read here, nothing of it the answer's. */
export interface AnswerFacts {
  answer: TradeAnswer
  tx: PlanTx
  session: Session
  manager: Address
  order: { tokenIn: AgentToken; tokenOut: AgentToken; microUsd: bigint }
  /** The agent's own, which may be narrower than the session's. */
  terms: AgentTerms
  /** Null when it could not be read. */
  feeClass: FeeClass | null
  /** The wallet's rate of a major trade now. */
  tierBps: number
  /** What this server's own quote of the same input expects to arrive, and the most it may slip. */
  quoted: { expected: bigint; slippageCapBps: number }
  marks: { in: Mark | undefined; out: Mark | undefined }
}

export interface AnswerHold {
  code: HoldCode | 'SIMULATION_FAILED' | 'TX_REFUSED'
  message: string
}
interface Rule {
  code: AnswerHold['code']
  /** In words when the trade must not be signed. */
  fault(facts: AnswerFacts): string | null
}

/** A careful client's checks, in order. The signer has made its own, by its own reading; these are the service's. */
export const ANSWER_RULES: readonly Rule[] = [
  {
    code: 'TX_REFUSED',
    fault({ tx, answer, session, manager }) {
      if (tx.from !== session.executor || tx.to !== manager || tx.valueWei !== 0n) {
        return 'The transaction is not the executor’s redemption.'
      }
      return answer.session_id === session.id && answer.wallet === session.wallet
        ? null
        : 'The answer is for another session.'
    },
  },
  {
    code: 'RISKS_MISSING',
    fault({ answer, terms }) {
      const risks: unknown = answer.risks
      const isWhole =
        Array.isArray(risks) &&
        risks.every(({ code, severity }) => typeof code === 'string' && ['severe', 'info'].includes(severity))
      if (!isWhole) return 'The answer does not say which risks the trade has.'
      const missing = answer.risks.filter(
        ({ code, severity }) => severity === 'severe' && !terms.acceptRisks.includes(code),
      )
      return missing.length === 0
        ? null
        : `Severe risks the owner has not accepted: ${missing.map(({ code }) => code).join(', ')}.`
    },
  },
  {
    code: 'FEE_CLASS',
    fault: ({ answer, feeClass }) =>
      feeClass === null
        ? 'The fee class of the two tokens could not be read.'
        : answer.fee_class === feeClass
          ? null
          : `The answer’s fee class is ${answer.fee_class}, the tokens’ ${feeClass}.`,
  },
  {
    code: 'FEE_MISMATCH',
    fault({ answer, session: { binding }, tierBps }) {
      const cls = answer.fee_class as FeeClass
      const allowed = boundFeeBps(binding, cls)
      if (!allowed.includes(answer.fee_bps)) {
        return `${answer.fee_bps} bps; the session’s binding allows ${allowed.join(' or ')}.`
      }
      const added = answer.fee_bps - answer.fee_tier
      if (added < 0 || (!answer.shield && added !== 0)) {
        return `${answer.fee_bps} bps are not the tier’s ${answer.fee_tier} and the shield’s.`
      }
      // The lowest rate of the binding may still be above the tier; nothing else may.
      const lowest = Math.min(...allowed)
      return binding.fee.schedule === 1 ||
        cls === 'other' ||
        answer.fee_tier <= Math.max(tierBps, lowest - added)
        ? null
        : `${answer.fee_tier} bps; this wallet’s tier is ${tierBps}.`
    },
  },
  {
    code: 'SHIELD_MISMATCH',
    fault({ answer, terms: { shield } }) {
      if (answer.shield !== shield) return `The answer is ${answer.shield ? 'with' : 'without'} shield.`
      return shield && !answer.audit ? 'The answer has a shield without its audit.' : null
    },
  },
  {
    code: 'MIN_OUT_QUOTE',
    fault({ answer, quoted }) {
      const least = less(quoted.expected, quoted.slippageCapBps)
      const min = BigInt(answer.swap.amount_out_min)
      return min > 0n && min >= least
        ? null
        : `At least ${min} atoms arrive; by the quote it should be ${least} or more.`
    },
  },
  {
    code: 'MIN_OUT_FLOOR',
    fault({ answer, order, quoted, marks }) {
      // Without independent marks at both ends there is no floor here: the signer has the owner's own.
      if (!marks.in || !marks.out) return null
      const given = worthOf(BigInt(answer.swap.amount_in), order.tokenIn, marks.in)
      const got = worthOf(BigInt(answer.swap.amount_out_min), order.tokenOut, marks.out)
      const floor = less(given, quoted.slippageCapBps + answer.fee_bps + TRADE.maxVsMidBps)
      if (got < floor) return `The minimum is worth ${got} micro-dollars at marks; the floor is ${floor}.`
      // Never more than was ordered, but for the last atom's rounding.
      return given <= order.microUsd + order.microUsd / 100n
        ? null
        : `The input is worth ${given} micro-dollars at marks, more than the order’s ${order.microUsd}.`
    },
  },
  {
    code: 'SIMULATION_FAILED',
    fault: ({ answer }) =>
      answer.simulated_ok && answer.ready ? null : 'The exact transaction did not pass its simulation.',
  },
]

/** The first rule that stands in the way. */
export function holdAnswer(facts: AnswerFacts): AnswerHold | null {
  for (const { code, fault } of ANSWER_RULES) {
    const message = fault(facts)
    if (message !== null) return { code, message }
  }
  return null
}

const less = (amount: bigint, bps: number): bigint =>
  (amount * BigInt(Math.max(0, BPS - Math.ceil(bps)))) / BigInt(BPS)

const worthOf = (atoms: bigint, { decimals }: AgentToken, { priceE18 }: Mark): bigint =>
  (atoms * priceE18) / 10n ** BigInt(decimals + 12)
