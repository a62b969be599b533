import type { AgentPatch, StoredAgent } from '../store.ts'
import type { AgentLimits } from '../types.ts'
import { steeringParams } from './freeParams.ts'
import { policiesOf } from './riskTerms.ts'

type Changed = StoredAgent & AgentPatch
/** Names of what a change steers: what is traded, when, how much more, or who decides it. */
type Steering = (before: StoredAgent, after: Changed) => readonly string[]

const NEVER: Steering = () => []
const named =
  (name: string, steers: (before: StoredAgent, after: Changed) => boolean): Steering =>
  (before, after) =>
    steers(before, after) ? [name] : []

/** One row for each field of an agent that can change; a missing one does not compile. */
const STEERING: { readonly [Field in keyof Required<AgentPatch>]: Steering } = {
  brain: named('brain', (before, after) => after.brain !== before.brain),
  intervalS: named('interval_s', (before, after) => after.intervalS < before.intervalS),
  pairs: named('pairs', (before, after) => after.pairs.join() !== before.pairs.join()),
  limits: named('limits', (before, after) => isWider(before.limits, after.limits)),
  // Accepted risks and dropped policies are limits too.
  terms({ terms: before }, { terms: after }) {
    return [
      ...(lacks(before.acceptRisks, after.acceptRisks) ? ['accept_risks'] : []),
      ...(before.shield && !after.shield ? ['shield'] : []),
      ...(after.shield && lacks(policiesOf(after), policiesOf(before)) ? ['policies'] : []),
    ]
  },
  // A change of `brain` covers its params and its secret.
  params: (before, after) =>
    after.brain === before.brain ? steeringParams(after.brain, before.params, after.params) : [],
  // A webhook trusts the market, book and state of deliveries that this secret signs.
  webhookSecret: named(
    'webhook_secret',
    (before, { brain, webhookSecret }) =>
      webhookSecret !== undefined && brain === 'webhook' && before.brain === 'webhook',
  ),
  name: NEVER,
  // Follows from the pairs.
  tokens: NEVER,
  // The session limits an agent that is on; the state of a brain changes with brain and pairs only.
  live: NEVER,
  status: NEVER,
  pauseReason: NEVER,
  brainState: NEVER,
  lastDecision: NEVER,
  nextTickMs: NEVER,
  stoppedAtS: NEVER,
  deletedAtS: NEVER,
  // The owner signs sessions for an executor; attaching and rotating judge them.
  sessionId: NEVER,
  staleSessions: NEVER,
  executor: NEVER,
  executorAttestation: NEVER,
}

/**
 * Changes by which an API key alone would steer a live agent. Its owner signed the session for the earlier
 * settings, so `change` detaches the session with them.
 */
export function steeringOf(before: StoredAgent, patch: AgentPatch): readonly string[] {
  if (before.mode === 'paper' || before.status === 'stopped') return []
  const after = { ...before, ...patch }
  return Object.values(STEERING).flatMap((steering) => steering(before, after))
}

const isWider = (before: AgentLimits, after: AgentLimits): boolean =>
  after.maxTradeMicroUsd > before.maxTradeMicroUsd ||
  after.maxDayMicroUsd > before.maxDayMicroUsd ||
  after.maxPositionMicroUsd > before.maxPositionMicroUsd

/** Whether `names` lacks any of `required`. */
const lacks = (names: readonly string[], required: readonly string[]): boolean =>
  required.some((name) => !names.includes(name))
