import type { Handlers } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail } from '@pit/protocol'
import { findOwned } from '../../findOwned.ts'
import type { HostedAgent } from '../../types.ts'
import { modelFor } from '../model/decideByModel.ts'
import { microBudgetOf } from '../model/deps.ts'
import { readFacts } from '../money/ledger.ts'
import { poolStanding, type SpendFacts } from '../money/rules.ts'
import { readToday, spendPage } from '../money/spendRows.ts'
import { usdOf } from '../view.ts'
import type { BrainHandlerDeps } from './deps.ts'

type Ai = Answer<'hosted.spend'>['ai']

/** GET hosted/<id>/spend: what the model cost, call by call, and what is left to spend. */
export const createSpendHandler = (deps: BrainHandlerDeps): Pick<Handlers, 'hosted.spend'> => ({
  'hosted.spend': async ({ params, query, caller }) => {
    const agent = await findOwned(deps, caller, params.id)
    if (agent.brain !== 'partner_llm') return fail('NOT_AI')
    const nowMs = deps.clock.nowMs()
    const { limit, before } = query
    const [page, [last], today, facts] = await Promise.all([
      spendPage(deps.db, { agentId: agent.id, before, limit: limit + 1, nowMs }),
      spendPage(deps.db, { agentId: agent.id, before: undefined, limit: 1, nowMs }),
      readToday(deps.db, agent.id, nowMs),
      readFacts(deps.db, { wallet: agent.wallet, agentId: agent.id, atS: nowS(deps.clock) }),
    ])
    const rows = page.slice(0, limit)
    const budget = microBudgetOf(agent.params)
    const left = budget - facts.agentUsedMicroUsd
    return {
      id: agent.id,
      ai: {
        model: await modelNameOf(deps, agent),
        funding: fundingOf(agent),
        fallback_own: agent.params['fallback_own'] !== false,
        budget_usd_day: usdOf(budget),
        budget_left_usd: usdOf(left > 0n ? left : 0n),
        today,
        last: last ?? null,
        pool: fundingOf(agent) === 'pool' ? describePool(deps, agent, facts) : null,
      },
      rows,
      next_before: page.length > limit ? (rows.at(-1)?.id ?? null) : null,
    }
  },
})

export const fundingOf = (agent: HostedAgent): 'pool' | 'own' =>
  agent.params['funding'] === 'own' ? 'own' : 'pool'

/** The model it names, or the one it would be given now. */
export async function modelNameOf(
  { gateway }: Pick<BrainHandlerDeps, 'gateway'>,
  agent: HostedAgent,
): Promise<string> {
  const named = agent.params['model']
  if (typeof named === 'string' && named !== '') return named
  return (
    modelFor(undefined, (await gateway?.models.read()) ?? [])?.id ?? 'the cheapest that answers to a schema'
  )
}

function describePool(deps: BrainHandlerDeps, agent: HostedAgent, facts: SpendFacts): Ai['pool'] {
  const { terms, clock, gateway } = deps
  const model = modelFor(agent.params['model'], gateway?.models.last() ?? []) ?? null
  const standing = poolStanding(agent, model, facts, terms, nowS(clock))
  const leftOf = (most: bigint, used: bigint) => usdOf(most > used ? most - used : 0n)
  return {
    eligible: standing.eligible,
    kind: standing.eligible ? standing.kind : null,
    why_not: standing.eligible ? null : standing.code,
    share_usd: usdOf(standing.shareMicroUsd),
    owner_used_usd: usdOf(facts.ownerPoolUsedMicroUsd),
    share_left_usd: leftOf(standing.shareMicroUsd, facts.ownerPoolUsedMicroUsd),
    pool_usd: usdOf(terms.dayMicroUsd),
    pool_left_usd: leftOf(terms.dayMicroUsd, facts.poolUsedMicroUsd),
  }
}
