import { Type } from '@sinclair/typebox'
import { CLIENT } from './numbers.ts'

/** Numbers, places and dates that differ by chain, as data of its profile. */

const Gas = Type.Integer({ minimum: 21_000, maximum: 50_000_000 })

/** How the chain's blocks come. */
export const ChainNumbers = Type.Object({
  block_time_ms: Type.Integer({ minimum: 1, maximum: 600_000 }),
  /** Blocks this deep, or this old, are taken to stay: payouts and books rest on them. */
  settled_blocks: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  settled_s: Type.Integer({ minimum: 0, maximum: 86_400 }),
  /** Clients sign nothing while their node's newest block is older; 60 if absent. */
  head_max_age_s: Type.Optional(Type.Integer({ minimum: 1, maximum: CLIENT.headMaxAgeS })),
})

export const Limits = Type.Object({
  /** A simulated transaction is given no more gas than this, unless its own limit is higher. */
  simulation_gas: Gas,
  /** More than any trade takes: a plan of the service with more is not signed by the client. */
  plan_gas: Gas,
  /** The same of an executor's transaction, which the signer is asked to sign. */
  executor_gas: Gas,
  fast: Type.Object({
    /** Gas limit times fee cap. */
    max_cost_wei: Type.String({ pattern: '^[1-9][0-9]{0,20}$' }),
    /** Size caps of the pinned routes: with USDG on one side, and without. */
    max_usd: Type.Object({ usdg: Type.Integer({ minimum: 1 }), cross: Type.Integer({ minimum: 1 }) }),
    /** Least gas limits, a fifth above what a trade of the shape used. */
    gas_floor: Type.Object({
      v3: Gas,
      v4: Gas,
      /** Added by the fee's stop at the router, by wrapping, by unwrapping, by a permit. */
      to_router: Type.Integer({ minimum: 0 }),
      wrap: Type.Integer({ minimum: 0 }),
      unwrap: Type.Integer({ minimum: 0 }),
      permit: Type.Integer({ minimum: 0 }),
    }),
  }),
})

const Country = Type.String({ pattern: '^[A-Z]{2}$' })
const Region = Type.String({ pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' })

export const Countries = Type.Object({
  /** Served nothing: ISO 3166-1. */
  blocked: Type.Array(Country),
  /** ISO 3166-2, of countries that are served otherwise. */
  blocked_regions: Type.Array(Region),
  /** Where stock tokens are not traded. */
  stock_blocked: Type.Array(Country),
})
