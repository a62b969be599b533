import { isRuleBrain, RULE_BRAINS, readRuleParams } from '@pit/brains'
import { type Brain, checkWith, fail, HOSTED, schemas, withDefaults } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'
import type { HostedAgent } from '../types.ts'
import type { GatewayModel } from './model/models.ts'
import { TEMPLATES, templateOf } from './model/templates.ts'
import { AI } from './numbers.ts'
import { type Reach, urlProblem } from './webhook/target.ts'

export interface ParamsContext {
  reach: Reach
  /** The gateway's models as last read; null when they never were. */
  models(): readonly GatewayModel[] | null
}

type Params = Record<string, unknown>

/** An owner's params, checked and with defaults; refuses BAD_REQUEST or UNKNOWN_FIELD with the field. */
export function readParams(
  context: ParamsContext,
  brain: Brain,
  params: Params,
  { intervalS }: { intervalS: number; mode: HostedAgent['mode'] },
): Params {
  if (brain === 'webhook') return readWebhook(context, params)
  if (brain === 'partner_llm') return readAi(context, params, intervalS)
  if (!isRuleBrain(brain)) return refuse('brain', 'There is no such brain.')
  const read = readRuleParams(RULE_BRAINS[brain], params)
  return read.ok ? read.params : fail(read.code, { field: read.field, message: read.message })
}

/** What the params say of tokens has to be said of the agent's own. */
export function checkPairs(brain: Brain, params: Params, pairs: readonly string[]): void {
  const problem = isRuleBrain(brain) ? RULE_BRAINS[brain].pairsProblem?.(params, pairs) : undefined
  if (problem !== undefined) fail('BAD_REQUEST', problem)
}

const refuse = (field: string, message: string): never => fail('BAD_REQUEST', { field, message })

function checked(schema: TSchema, params: Params): Params {
  const filled = withDefaults(schema, params)
  const result = checkWith(schema, filled)
  if (result.ok) return filled
  const field = result.field === '' ? 'params' : `params.${result.field}`
  return fail(result.code, { field, message: result.message })
}

function readWebhook({ reach }: ParamsContext, params: Params): Params {
  const read = checked(schemas.WebhookParams, params)
  const problem = urlProblem(String(read['url']), reach)
  return problem === undefined ? read : refuse('params.url', `The url ${problem}.`)
}

function readAi({ models }: ParamsContext, params: Params, intervalS: number): Params {
  const read = checked(schemas.AiParams, params)
  if (intervalS < HOSTED.aiMinIntervalS) {
    refuse('interval_s', `An AI agent ticks at most every ${HOSTED.aiMinIntervalS} s.`)
  }
  const template = read['template']
  if (typeof template === 'string' && templateOf(template) === undefined) {
    refuse('params.template', `Use one of ${TEMPLATES.map(({ id }) => id).join(', ')}.`)
  }
  const budget = Number(read['budget_usd_day'] ?? AI.budgetDefaultUsd)
  if (budget > AI.budgetMaxUsd) refuse('params.budget_usd_day', `At most ${AI.budgetMaxUsd} dollars a day.`)
  const maxOrders = Number(read['max_orders'] ?? AI.maxOrdersDefault)
  if (maxOrders > AI.maxOrders) refuse('params.max_orders', `At most ${AI.maxOrders} orders.`)
  const known = models()?.find(({ id }) => id === read['model'])
  if (read['model'] !== undefined && models() !== null && known?.structured !== true) {
    refuse('params.model', 'The gateway has no such model that answers to a schema; see hosted/ai.')
  }
  return { ...read, budget_usd_day: budget, max_orders: maxOrders }
}
