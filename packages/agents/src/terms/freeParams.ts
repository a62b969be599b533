import { isDeepStrictEqual } from 'node:util'
import { type Brain, schemas, withDefaults } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'

/**
 * Direction in which the owner's API key alone may change a live agent's param: only towards smaller or fewer
 * trades. `none`: any change needs a new grant.
 */
export type FreeDirection = 'none' | 'down' | 'up'

type Params = typeof schemas.BRAIN_PARAMS
/** Every param of every brain; a missing one does not compile. */
type Directions = {
  readonly [Name in Brain]: { readonly [Param in keyof Required<Static<Params[Name]>>]: FreeDirection }
}

export const FREE_PARAMS: Directions = {
  partner_llm: {
    strategy: 'none',
    model: 'none',
    funding: 'none',
    fallback_own: 'down',
    template: 'none',
    budget_usd_day: 'down',
    max_orders: 'down',
  },
  webhook: { url: 'none' },
  dca: { usd: 'down', side: 'none', total_usd: 'down' },
  momentum: {
    lookback_s: 'none',
    threshold_bps: 'none',
    exit_bps: 'none',
    usd: 'down',
    exit: 'none',
    cooldown_s: 'up',
  },
  mean_reversion: {
    lookback_s: 'none',
    band_bps: 'none',
    z: 'none',
    exit: 'none',
    usd: 'down',
    min_points: 'none',
  },
  grid: { low: 'none', high: 'none', range_bps: 'none', levels: 'none', usd: 'down', start: 'none' },
  rebalance: { weights: 'none', drift_bps: 'none' },
  orders: {},
}

type Values = Record<string, unknown>

/** Params of one brain whose change needs a new grant, as `params.<name>`. Unlisted params always do. */
export function steeringParams(brain: Brain, before: Values, after: Values): string[] {
  const schema = schemas.BRAIN_PARAMS[brain]
  // Apply defaults to both: a param added after the agent was stored is not a change.
  const [old, next] = [withDefaults(schema, before), withDefaults(schema, after)]
  const directions: Readonly<Record<string, FreeDirection>> = FREE_PARAMS[brain]
  const names = new Set([...Object.keys(old), ...Object.keys(next)])
  return [...names]
    .filter((name) => {
      const direction = Object.hasOwn(directions, name) ? directions[name]! : 'none'
      return !isDeepStrictEqual(old[name], next[name]) && !isFree(direction, old[name], next[name])
    })
    .map((name) => `params.${name}`)
}

function isFree(direction: FreeDirection, before: unknown, after: unknown): boolean {
  if (direction === 'none') return false
  const absent = direction === 'down' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  const [from, to] = [amountOf(before ?? absent), amountOf(after ?? absent)]
  return direction === 'down' ? to <= from : to >= from
}

/** Switches count as 0 and 1; anything else is NaN, which no comparison accepts. */
const amountOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'boolean' ? Number(value) : Number.NaN
