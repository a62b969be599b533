import { isRuleBrain, RULE_BRAINS, readRuleParams } from '@pit/brains'
import { AI, type GatewayModel, TEMPLATES, templateOf } from '@pit/models'
import { type Brain, checkWith, fail, HOSTED, schemas, withDefaults } from '@pit/protocol'
import type { TSchema } from '@sinclair/typebox'
import type { HostedAgent } from '../types.ts'
import { type Reach, urlProblem } from './webhook/target.ts'

export interface ParamsContext {
  reach: Reach
  /** The gateway's last model list; null if it was never read. */
  models(): readonly GatewayModel[] | null
}

type Params = Record<string, unknown>

/** Checks an owner's params and adds defaults; throws BAD_REQUEST or UNKNOWN_FIELD with the field. */
export function readParams(
  context: ParamsContext,
  brain: Brain,
  params: Params,
  { intervalS }: { intervalS: number; mode: HostedAgent['mode'] },
): Params {
  if (brain === 'webhook') return readWebhook(context, params)
  if (brain === 'partner_llm') return readAi(context, params, intervalS)
  if (brain === 'orders') return checked(schemas.OrdersParams, params)
  if (!isRuleBrain(brain)) return refuse('brain', 'Unknown brain.')
  const read = readRuleParams(RULE_BRAINS[brain], params)
  return read.ok ? read.params : fail(read.code, { field: read.field, message: read.message })
}

/** Checks that params refer only to the agent's own pairs. */
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
  return problem === undefined ? read : refuse('params.url', `The URL ${problem}.`)
}

function readAi({ models }: ParamsContext, params: Params, intervalS: number): Params {
  const read = checked(schemas.AiParams, params)
  if (intervalS < HOSTED.aiMinIntervalS) {
    refuse('interval_s', `The minimum interval of an AI agent is ${HOSTED.aiMinIntervalS} s.`)
  }
  const template = read['template']
  if (typeof template === 'string' && templateOf(template) === undefined) {
    refuse('params.template', `Use one of ${TEMPLATES.map(({ id }) => id).join(', ')}.`)
  }
  const budget = Number(read['budget_usd_day'] ?? AI.budgetDefaultUsd)
  if (budget > AI.budgetMaxUsd)
    refuse('params.budget_usd_day', `The maximum is ${AI.budgetMaxUsd} USD a day.`)
  const maxOrders = Number(read['max_orders'] ?? AI.maxOrdersDefault)
  if (maxOrders > AI.maxOrders) refuse('params.max_orders', `The maximum is ${AI.maxOrders} orders.`)
  const model = models()?.find(({ id }) => id === read['model'])
  if (read['model'] !== undefined && models() !== null && model?.structured !== true) {
    refuse(
      'params.model',
      'The gateway has no such model with structured output. Choose one of GET hosted/ai.',
    )
  }
  return { ...read, budget_usd_day: budget, max_orders: maxOrders }
}
