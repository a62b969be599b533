import { judgeAll } from '@pit/platform/rules'
import {
  type Answer,
  errorRow,
  FAST,
  FAST_TERMS,
  type FastRule,
  FEE,
  type PitError,
  refusal,
} from '@pit/protocol'
import type { Check, Measured } from '../types.ts'
import type { Facts, FastFee } from './facts.ts'
import { minOutFloor } from './prices.ts'
import { type JudgedCode, RULES } from './rules.ts'
import { describeSimulation } from './simulation.ts'

export interface Failure {
  code: FastRule
  message: string
  value?: Measured
  limit?: Measured
}
export interface Judged {
  /** Every rule that could be evaluated, in order. */
  checks: Check[]
  failures: (Failure & { code: JudgedCode })[]
}

export function judge(facts: Facts): Judged {
  const checks = judgeAll(RULES, facts, ({ code }, { ok, rule, ...said }) => {
    const { message = (ok && rule) || errorRow(code).message, ...measured } = said
    return { code, ok, severity: 'refuse' as const, message, ...measured }
  })
  const failed = checks.filter(({ ok }) => !ok)
  return { checks, failures: failed.map(({ ok: _, severity: __, ...failure }) => failure) }
}

/** The first failure with all failed checks, plus passing values if the contract promises them. */
export function refusalOf(facts: Facts, { failures }: Judged): PitError {
  const first = failures[0]!
  return refusal(first.code, {
    message: first.message,
    failures,
    ...(first.code in FAST_TERMS ? { terms: termsOf(facts) } : {}),
    ...(first.code === 'BAD_REQUEST' ? { field: 'raw_tx' } : {}),
    ...(first.code === 'NOT_AS_BUILT' ? { diffs: facts.rebuilt!.diffs } : {}),
    ...(first.code === 'SIMULATION_FAILED' ? { simulation: describeSimulation(facts) } : {}),
  })
}

function termsOf(facts: Facts) {
  return {
    fee: feeTerms(facts.fee),
    floor: minOutFloor(facts)?.toString() ?? null,
    base_fee_wei: String(facts.baseFeeWei),
    max_cost_wei: String(facts.maxCostWei),
    mark_max_age_s: FAST.markMaxAgeS,
    server_time: Math.floor(facts.nowMs / 1000),
  }
}

/** As in GET live/fast/terms. */
export const feeTerms = ({
  tier,
  bps,
  recipient,
}: Pick<FastFee, 'tier' | 'bps'> & { recipient: string | null }): Answer<'live.fast.terms'>['fee'] => ({
  schedule: FEE.schedule,
  class: 'major',
  tier_bps: tier,
  bps,
  shield_add_bps: FEE.shieldAddBps,
  posted_bps: FEE.majorMaxBps,
  recipient,
})
