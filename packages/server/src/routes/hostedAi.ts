import type { Brains, Hosted } from '@pit/agents'
import { AI, type AiOverview, MAX_COMPLETION_TOKENS, type Models, TEMPLATES, trialPoolOf } from '@pit/models'
import { type Answer, DAY_S, HOSTED, usdOf } from '@pit/protocol'
import type { Handlers } from '../http/types.ts'
import { traderOf } from './caller.ts'

export type AiRoute = 'hosted.ai' | 'hosted.spend' | 'hosted.ai.connect' | 'hosted.ai.disconnect'

export const hostedAiRoutes = ({
  brains,
  models,
  hosted,
}: {
  brains: Pick<Brains, 'spend'>
  models: Pick<Models, 'overview'>
  hosted: Pick<Hosted, 'connectModelKey' | 'disconnectModelKey'>
}): Pick<Handlers, AiRoute> => ({
  'hosted.ai': async ({ caller }) => describeOverview(await models.overview(caller.key?.wallet ?? null)),
  'hosted.spend': async ({ params, query, caller }) => {
    const { limit, before } = query
    return describeSpend(await brains.spend({ by: traderOf(caller), id: params.id, limit, before }))
  },
  'hosted.ai.connect': async ({ body, caller }) => {
    const { wallet } = traderOf(caller)
    const { hint, connectedAtS, detached } = await hosted.connectModelKey({ wallet, key: body.api_key })
    return { connected: true, sub_hint: hint, connected_at: connectedAtS, detached_agents: detached }
  },
  'hosted.ai.disconnect': async ({ caller }) => {
    const { detached } = await hosted.disconnectModelKey(traderOf(caller).wallet)
    return { connected: false, sub_hint: null, connected_at: null, detached_agents: detached }
  },
})

function describeOverview({ enabled, models, own, pool }: AiOverview): Answer<'hosted.ai'> {
  const { terms, on, leftMicroUsd: left } = pool
  const { liveShareMicroUsd: live, trialShareMicroUsd: trial } = terms
  return {
    enabled,
    min_interval_s: HOSTED.aiMinIntervalS,
    max_orders: AI.maxOrders,
    strategy_max: AI.strategyMaxChars,
    budget_default_usd: AI.budgetDefaultUsd,
    budget_max_usd: AI.budgetMaxUsd,
    templates: TEMPLATES.map(({ id, title, intervalS, strategy }) => ({
      id,
      title,
      interval_s: intervalS,
      strategy,
    })),
    models: models.map(describeModel),
    app_fee_pct: AI.appFeePct,
    funding: {
      own: {
        available: own.available,
        connected: own.connected !== null,
        sub_hint: own.connected?.hint ?? null,
        connected_at: own.connected?.connectedAtS ?? null,
        today_usd: usdOf(own.todayMicroUsd),
      },
      pool: {
        available: on && enabled && left > 0n,
        pool_state: !on ? 'off' : left > 0n ? 'open' : 'spent',
        pool_usd: on ? usdOf(terms.dayMicroUsd) : 0,
        pool_left_usd: on ? usdOf(left) : 0,
        basis: 'a fixed daily amount set by the operator; it resets at 00:00 UTC',
        owners_funded: pool.owners,
        agents_funded: pool.agents,
        models: models.flatMap(({ model, inPool }) => (inPool ? [model.id] : [])),
        min_interval_s: HOSTED.aiPoolIntervalS,
        owner_share_max_usd: Math.max(usdOf(live), usdOf(trial)),
        live_share_usd: usdOf(live),
        trial_share_usd: usdOf(trial),
        trial_days: terms.trialDays,
        trial_until: pool.trialEndsS,
        trial_open: pool.trialsOpen,
        today_usd: usdOf(pool.todayMicroUsd),
      },
    },
  }
}

function describeModel({
  model,
  available,
}: AiOverview['models'][number]): Answer<'hosted.ai'>['models'][number] {
  const { typicalPromptTokens, typicalCompletionTokens } = AI
  const tickUsd = (typicalPromptTokens * model.inputUsd + typicalCompletionTokens * model.outputUsd) / 1e6
  const rounded = (usd: number) => Number(usd.toPrecision(4))
  return {
    id: model.id,
    price: {
      input: model.inputUsd,
      output: model.outputUsd,
      structured: model.structured,
      source: 'gateway',
    },
    available,
    estimate: model.structured
      ? {
          prompt_tokens: typicalPromptTokens,
          completion_tokens: typicalCompletionTokens,
          max_completion_tokens: MAX_COMPLETION_TOKENS,
          interval_s: HOSTED.aiPoolIntervalS,
          tick_usd: rounded(tickUsd),
          day_usd: rounded((tickUsd * DAY_S) / HOSTED.aiPoolIntervalS),
        }
      : null,
  }
}

const leftOf = (total: bigint, used: bigint): number => usdOf(total > used ? total - used : 0n)

function describeSpend(spend: Awaited<ReturnType<Brains['spend']>>): Answer<'hosted.spend'> {
  const { agent, facts, terms, pool, budgetMicroUsd } = spend
  return {
    id: agent.id,
    ai: {
      model: spend.model,
      funding: spend.funding,
      fallback_own: agent.params['fallback_own'] !== false,
      budget_usd_day: usdOf(budgetMicroUsd),
      budget_left_usd: leftOf(budgetMicroUsd, facts.agentUsedMicroUsd),
      today: spend.today,
      last: spend.last,
      pool: pool && {
        eligible: pool.eligible,
        kind: pool.eligible ? pool.kind : null,
        why_not: pool.eligible ? null : pool.code,
        share_usd: usdOf(pool.shareMicroUsd),
        owner_used_usd: usdOf(facts.ownerPoolUsedMicroUsd),
        share_left_usd: leftOf(pool.shareMicroUsd, facts.ownerPoolUsedMicroUsd),
        pool_usd: usdOf(terms.dayMicroUsd),
        pool_left_usd: Math.min(
          leftOf(terms.dayMicroUsd, facts.poolUsedMicroUsd),
          pool.eligible && pool.kind === 'live'
            ? Number.POSITIVE_INFINITY
            : leftOf(trialPoolOf(terms), facts.trialsUsedMicroUsd),
        ),
      },
    },
    rows: spend.rows,
    next_before: spend.nextBefore,
  }
}
