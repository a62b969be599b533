import type { Address } from '@pit/chain'
import type { Handlers } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, HOSTED } from '@pit/protocol'
import type { GatewayModel } from '../model/models.ts'
import { MAX_COMPLETION_TOKENS } from '../model/prompt.ts'
import { TEMPLATES } from '../model/templates.ts'
import { readKey } from '../money/keys.ts'
import { readFacts } from '../money/ledger.ts'
import { readPoolDay } from '../money/pool.ts'
import { isCheap, type PoolTerms, trialEndsS } from '../money/rules.ts'
import { AI } from '../numbers.ts'
import { usdOf } from '../view.ts'
import type { BrainHandlerDeps } from './deps.ts'

type Overview = Answer<'hosted.ai'>
const DAY_S = 86_400
const NOBODY = '0x0000000000000000000000000000000000000000' as Address

/** GET hosted/ai: which models there are, what they cost and who pays. */
export const createOverviewHandler = (deps: BrainHandlerDeps): Pick<Handlers, 'hosted.ai'> => ({
  'hosted.ai': async ({ caller }) => {
    const { gateway, terms, clock, db } = deps
    const wallet = caller.key?.wallet ?? null
    const atS = nowS(clock)
    const [listed, day, facts, own] = await Promise.all([
      gateway?.models.read() ?? null,
      readPoolDay(db, atS),
      readFacts(db, { wallet: wallet ?? NOBODY, agentId: '', atS }),
      wallet === null ? null : readKey(db, deps.seal, wallet),
    ])
    const models = listed ?? gateway?.models.last() ?? []
    const poolOn = gateway !== null && terms.on && terms.dayMicroUsd > 0n
    const left = day.usedMicroUsd < terms.dayMicroUsd ? terms.dayMicroUsd - day.usedMicroUsd : 0n
    const { trialStartedAtS } = facts
    const connected = own?.state === 'connected' ? own : null
    return {
      enabled: gateway !== null,
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
      models: models.map((model) => describeModel(model, listed !== null)),
      app_fee_pct: AI.appFeePct,
      funding: {
        own: {
          available: gateway !== null && deps.seal !== null,
          connected: connected !== null,
          sub_hint: connected?.hint ?? null,
          connected_at: connected?.connectedAtS ?? null,
          today_usd: usdOf(facts.ownerOwnUsedMicroUsd),
        },
        pool: {
          available: poolOn && left > 0n,
          pool_state: !poolOn ? 'off' : left > 0n ? 'open' : 'spent',
          pool_usd: poolOn ? usdOf(terms.dayMicroUsd) : 0,
          pool_left_usd: poolOn ? usdOf(left) : 0,
          basis: 'a fixed sum a day, set by the operator; it starts anew at 00:00 UTC',
          owners_funded: day.owners,
          agents_funded: day.agents,
          models: poolOn ? models.filter((model) => isCheap(model, terms)).map(({ id }) => id) : [],
          min_interval_s: HOSTED.aiPoolIntervalS,
          owner_share_max_usd: usdOf(largestShare(terms)),
          live_share_usd: usdOf(terms.liveShareMicroUsd),
          trial_share_usd: usdOf(terms.trialShareMicroUsd),
          trial_days: terms.trialDays,
          trial_until: trialStartedAtS === null ? null : trialEndsS(trialStartedAtS, terms),
          trial_open: poolOn && terms.trialsOpen,
          today_usd: usdOf(facts.ownerPoolUsedMicroUsd),
        },
      },
    }
  },
})

const largestShare = ({ liveShareMicroUsd: live, trialShareMicroUsd: trial }: PoolTerms): bigint =>
  live > trial ? live : trial

function describeModel(model: GatewayModel, listed: boolean): Overview['models'][number] {
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
    available: listed && model.structured,
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
