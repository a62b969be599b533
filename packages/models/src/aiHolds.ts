import { nowS } from '@pit/platform/clock'
import { type ModelAgent, mayUseOwnKey } from './agent.ts'
import type { ModelDeps } from './deps.ts'
import { boundOf } from './model/cost.ts'
import { meaningOf, microBudgetOf, modelFor } from './model/decideByModel.ts'
import { buildRequest } from './model/prompt.ts'
import { readKey } from './money/keys.ts'
import { readFacts } from './money/ledger.ts'
import { poolStanding } from './money/rules.ts'
import { fundingOf } from './spend.ts'

export interface AiHold {
  code: string
  message: string
}

const OWN_KEY = 'connect your own key with POST hosted/ai/connect'
/** How the owner can resolve a hold. */
const ADVICE: Partial<Record<string, string>> = {
  AI_POOL_INTERVAL: `set interval_s to 900 or more, or ${OWN_KEY}`,
  AI_POOL_MODEL: `choose one of funding.pool.models of GET hosted/ai, or ${OWN_KEY}`,
  AI_POOL_OFF: OWN_KEY,
  AI_NOT_ELIGIBLE: OWN_KEY,
  AI_NOT_LIVE: OWN_KEY,
  POOL_AGENT: `stop the other agent, or ${OWN_KEY}`,
  NOT_CONNECTED: OWN_KEY,
  DISCONNECTED: OWN_KEY,
  CONNECT_ERROR: `${OWN_KEY} again`,
  MODEL_NOT_ALLOWED: 'choose one of models of GET hosted/ai',
  COST_BOUND: 'raise params.budget_usd_day, or choose a cheaper model',
}

const holdOf = (code: string): AiHold => ({
  code,
  message: `The model would not be called: ${[meaningOf(code), ADVICE[code]].filter(Boolean).join('; ')}.`,
})

/** Reasons why a model agent's ticks would not call the model, judged by its settings and its payer. */
export async function aiHolds(deps: ModelDeps, agent: ModelAgent): Promise<AiHold[]> {
  const { gateway, terms, clock, db } = deps
  if (gateway === null) return [holdOf('AI_OFF')]
  const models = await gateway.models.read()
  if (models === null) return [holdOf('PARTNER_UNAVAILABLE')]
  const model = modelFor(agent.params['model'], models)
  if (model === undefined) return [holdOf('MODEL_NOT_ALLOWED')]
  if (boundOf(model, smallestRequest(agent, model.id)) > microBudgetOf(agent.params)) {
    return [holdOf('COST_BOUND')]
  }
  const own = await readKey(db, deps.seal, agent.wallet)
  const noKey = own.state === 'connected' ? [] : [holdOf(own.state)]
  if (fundingOf(agent) === 'own') return noKey
  const atS = nowS(clock)
  const network = await deps.networkOf(agent.id)
  const facts = await readFacts(db, { wallet: agent.wallet, agentId: agent.id, network, atS })
  // Judge a live agent as if it were switched on.
  const standing = poolStanding({ ...agent, live: agent.mode === 'live' }, model, facts, terms, atS)
  if (standing.eligible) return []
  if (!mayUseOwnKey(agent)) return [holdOf(standing.code)]
  return noKey.length === 0 ? [] : [holdOf(standing.code), ...noKey]
}

/** Lower bound of a tick's request: no market, no book. */
const smallestRequest = (agent: ModelAgent, modelId: string) =>
  buildRequest(
    {
      agent,
      tick: 1,
      market: { atS: 0, pairs: [] },
      book: { cashMicroUsd: 0n, equityMicroUsd: 0n, positions: [], dayUsedMicroUsd: 0n },
      deadlineMs: 0,
    },
    modelId,
  )
