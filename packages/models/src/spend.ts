import { nowS } from '@pit/platform/clock'
import type { ModelAgent } from './agent.ts'
import type { ModelDeps } from './deps.ts'
import { microBudgetOf, modelFor } from './model/decideByModel.ts'
import { readFacts } from './money/ledger.ts'
import { type PoolStanding, type PoolTerms, poolStanding, type SpendFacts } from './money/rules.ts'
import { readToday, type SpendRow, spendPage, type Today } from './money/spendRows.ts'

/** Cost of an agent's model calls, and the remaining budget. */
export interface AiSpend {
  model: string
  funding: 'pool' | 'own'
  budgetMicroUsd: bigint
  facts: SpendFacts
  terms: PoolTerms
  today: Today
  last: SpendRow | null
  /** Null if the owner pays. */
  pool: PoolStanding | null
  rows: SpendRow[]
  nextBefore: number | null
}

export async function readSpend(
  deps: ModelDeps,
  agent: ModelAgent,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<AiSpend> {
  const { db, clock, gateway, terms } = deps
  const nowMs = clock.nowMs()
  const agentId = agent.id
  const [page, [last], today, facts] = await Promise.all([
    spendPage(db, { agentId, before, limit: limit + 1, nowMs }),
    spendPage(db, { agentId, before: undefined, limit: 1, nowMs }),
    readToday(db, agent, nowMs),
    readFacts(db, {
      ...{ wallet: agent.wallet, agentId, atS: nowS(clock) },
      network: await deps.networkOf(agentId),
    }),
  ])
  const rows = page.slice(0, limit)
  const funding = fundingOf(agent)
  const name = await modelNameOf(deps, agent)
  const model = modelFor(agent.params['model'], gateway?.models.last() ?? []) ?? null
  return {
    model: name,
    funding,
    budgetMicroUsd: microBudgetOf(agent.params),
    facts,
    terms,
    today,
    last: last ?? null,
    pool: funding === 'pool' ? poolStanding(agent, model, facts, terms, nowS(clock)) : null,
    rows,
    nextBefore: page.length > limit ? (rows.at(-1)?.id ?? null) : null,
  }
}

export const fundingOf = (agent: Pick<ModelAgent, 'params'>): 'pool' | 'own' =>
  agent.params['funding'] === 'own' ? 'own' : 'pool'

/** The configured model, or the one that would be used now. */
export async function modelNameOf(
  { gateway }: Pick<ModelDeps, 'gateway'>,
  agent: Pick<ModelAgent, 'params'>,
): Promise<string> {
  const configured = agent.params['model']
  if (typeof configured === 'string' && configured !== '') return configured
  return (
    modelFor(undefined, (await gateway?.models.read()) ?? [])?.id ?? 'the cheapest with structured output'
  )
}
