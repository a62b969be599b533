import { createHash } from 'node:crypto'
import { type Address, type Crypto, type Hex, type HopPath, poolIdOf, type RouterLayout } from '@pit/chain'
import {
  type ChainProfile,
  canonicalJson,
  FAST_MID_CHECKED_SYMBOLS,
  type FastRoute,
  type FastTable,
  fastRoutesOf,
  fastTableJson,
} from '@pit/protocol'

/** One end of a pinned pair. */
export interface End {
  symbol: string
  address: Address
  decimals: number
  stock: boolean
  /** Its market has opening hours. */
  hasHours: boolean
}

/** A row of the pinned table, with the data to rebuild and check its calls. */
export interface PinnedRoute {
  pair: string
  row: FastRoute
  tokenIn: End
  tokenOut: End
  hop: HopPath
  poolId: Hex
  zeroForOne: boolean
  /** Also checked against the mid of the reference pools. */
  midDue: boolean
}

/** Addresses that calls go to and are built with. */
export interface FastAddresses {
  router: Address
  permit2: Address
  weth: Address
  feeRecipient: Address
  layout: RouterLayout
}

export interface PinnedTable {
  table: FastTable
  /** The hash that clients pin. */
  sha256: string
  /** By `IN/OUT`. */
  routes: ReadonlyMap<string, PinnedRoute>
  /** Null if the profile has no router or no recipient; there are no routes then. */
  addresses: FastAddresses | null
}

/** The profile's pinned routes. Throws if a pin cannot be traded, so that a bad profile fails at startup. */
export function openTable(profile: ChainProfile, crypto: Pick<Crypto, 'keccak256'>): PinnedTable {
  const table = fastRoutesOf(profile)
  const routes = new Map(
    Object.entries(table.pairs).map(([pair, row]) => [pair, pinned(profile, crypto as Crypto, pair, row)]),
  )
  return { table, sha256: sha256Of(table), routes, addresses: addressesOf(profile, table) }
}

/** Hash of the served table without this field. */
export const sha256Of = (table: FastTable): string =>
  createHash('sha256')
    .update(canonicalJson(fastTableJson(table)))
    .digest('hex')

/** The table's entry in config; `sha256` is null without routes. */
export function fastPinOf(profile: ChainProfile): { version: string; sha256: string | null } {
  const table = fastRoutesOf(profile)
  const { version, pairs } = table
  return { version, sha256: Object.keys(pairs).length === 0 ? null : sha256Of(table) }
}

function addressesOf({ contracts }: ChainProfile, table: FastTable): FastAddresses | null {
  const { router, fee_recipient } = table
  if (router === null || fee_recipient === null || contracts.weth === null) return null
  return {
    router: router as Address,
    permit2: table.permit2 as Address,
    weth: contracts.weth.toLowerCase() as Address,
    feeRecipient: fee_recipient as Address,
    layout: contracts.universal_router_layout,
  }
}

function pinned(profile: ChainProfile, crypto: Crypto, pair: string, row: FastRoute): PinnedRoute {
  const { pool } = row
  const [tokenIn, tokenOut] = [endOf(profile, row.token_in), endOf(profile, row.token_out)]
  const ends = { tokenIn: pool.token_in as Address, tokenOut: pool.token_out as Address }
  const midDue = [tokenIn, tokenOut].some(({ symbol }) =>
    (FAST_MID_CHECKED_SYMBOLS as readonly string[]).includes(symbol),
  )
  const common = { pair, row, tokenIn, tokenOut, midDue }
  if (pool.version === 'v3') {
    return {
      ...common,
      hop: { version: 'v3', ...ends, feePips: pool.fee },
      poolId: pool.address as Address,
      zeroForOne: pool.token_in < pool.token_out,
    }
  }
  const key = {
    currency0: pool.currency0 as Address,
    currency1: pool.currency1 as Address,
    fee: pool.fee,
    tickSpacing: pool.tick_spacing,
    hooks: pool.hooks as Address,
  }
  return {
    ...common,
    hop: { version: 'v4', ...ends, key },
    poolId: poolIdOf(crypto, key),
    zeroForOne: pool.zero_for_one,
  }
}

function endOf(profile: ChainProfile, { symbol, address, decimals }: FastRoute['token_in']): End {
  const core = profile.core_tokens.find((token) => token.symbol === symbol)
  const stock = core?.kind === 'stock'
  const closes = stock && core.feed?.session !== 'always'
  return { symbol, address: address as Address, decimals, stock, hasHours: closes }
}
