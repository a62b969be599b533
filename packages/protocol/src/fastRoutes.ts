import type { Json } from './canonicalJson.ts'
import { poolOf } from './fastPools.ts'
import { type FastShape, permitInput, shapeOf } from './fastShapes.ts'
import { lower } from './lower.ts'
import { CHAIN_ID, FAST } from './numbers.ts'
import type { ChainProfile, CoreToken } from './profile.ts'
import type { FastPool, FastRoute, FastTable } from './schemas/fastTable.ts'
import { FAST_SYMBOLS, FEE_SIDE_RANK, type FeeSide } from './values.ts'

/** Increment when a route's bytes, pool, cap or floor change: clients pin the table by its hash. */
const VERSION = '1'

/** The pinned routes of this chain's profile; none without a router or fee recipient. */
export function fastRoutesOf(profile: ChainProfile): FastTable {
  const { universal_router: router, permit2, universal_router_layout } = profile.contracts
  const pairs: Record<string, FastRoute> = {}
  if (router !== null && profile.fee_recipient !== null) {
    for (const pair of Object.keys(profile.pins.fast_pools).sort()) pairs[pair] = routeOf(profile, pair)
  }
  return {
    version: VERSION,
    chain_id: CHAIN_ID,
    router: router && lower(router),
    router_layout: universal_router_layout,
    permit2: lower(permit2),
    fee_recipient: profile.fee_recipient && lower(profile.fee_recipient),
    selector: '0x3593564c',
    max_usd: Object.fromEntries(Object.entries(pairs).map(([pair, route]) => [pair, route.max_usd])),
    pairs,
  }
}

/** The table as plain JSON, for hashing and sending. */
export const fastTableJson = (table: FastTable): Json => table as unknown as Json

function routeOf(profile: ChainProfile, pair: string): FastRoute {
  const { contracts, pins } = profile
  const { gas_floor, max_usd } = profile.limits.fast
  const [tokenIn, tokenOut] = pair.split('/').map((symbol) => tokenOf(profile, pair, symbol))
  if (!tokenIn || !tokenOut || tokenIn.symbol === tokenOut.symbol)
    throw new Error(`fast pool ${pair}: not a pair`)
  const weth = lower(contracts.weth ?? '')
  const pool = poolOf(pair, pins.fast_pools[pair]!, {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    weth,
  })
  const side = feeSideOf(tokenIn.symbol, tokenOut.symbol)
  const recipient = lower(profile.fee_recipient!)
  const shape = shapeOf({
    pool,
    side,
    recipient,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    layout: contracts.universal_router_layout,
  })
  const overUsdg = tokenIn.symbol === 'USDG' || tokenOut.symbol === 'USDG'
  const band = overUsdg ? FAST.bandBpsUsdg : FAST.bandBpsCross
  const steps = stepBpsOf(profile, tokenIn.symbol) + stepBpsOf(profile, tokenOut.symbol)
  if (steps > band) {
    throw new Error(
      `fast pool ${pair}: its feeds may lag by ${steps} bps together, more than its band of ${band}`,
    )
  }
  const commands = shape.inputs.map(({ command }) => command.slice(2)).join('')
  const takesPermit = tokenIn.address !== NATIVE
  const permit = permitInput({ token: tokenIn.address, spender: lower(contracts.universal_router!) })
  return {
    token_in: tokenIn,
    token_out: tokenOut,
    pool,
    pool_fee_bps: pool.fee / 100,
    band_bps: band,
    fee: {
      side,
      token: side === 'input' ? tokenIn.address : tokenOut.address,
      recipient,
      command: shape.feeCommand,
    },
    value: takesPermit ? '0' : '$amount_in',
    commands: `0x${commands}`,
    inputs: shape.inputs,
    permit: takesPermit ? { commands: `0x0a${commands}`, input: permit, gas_add: gas_floor.permit } : null,
    gas_floor: gasFloorOf(gas_floor, pool, shape),
    max_usd: overUsdg ? max_usd.usdg : max_usd.cross,
  }
}

const NATIVE = '0x0000000000000000000000000000000000000000'

/** How far a token's mark may lag its market: its feed's deviation; USDG is a dollar by definition. */
function stepBpsOf({ core_tokens }: ChainProfile, symbol: string): number {
  if (symbol === 'USDG') return 0
  const feedOf = (name: string) => core_tokens.find((token) => token.symbol === name)?.feed
  return (feedOf(symbol) ?? (symbol === 'WETH' ? feedOf('ETH') : null))?.deviation_bps ?? 0
}

function tokenOf(profile: ChainProfile, pair: string, symbol: string): FastRoute['token_in'] {
  const token: CoreToken | undefined = profile.core_tokens.find((core) => core.symbol === symbol)
  if (!token || !(FAST_SYMBOLS as readonly string[]).includes(symbol)) {
    throw new Error(`fast pool ${pair}: ${symbol} is not traded in fast mode`)
  }
  return { symbol, address: lower(token.address), decimals: token.decimals }
}

/** The token that ranks first pays the fee. */
function feeSideOf(symbolIn: string, symbolOut: string): FeeSide {
  const rank = (symbol: string) => (FEE_SIDE_RANK as readonly string[]).indexOf(symbol)
  return rank(symbolIn) < rank(symbolOut) ? 'input' : 'output'
}

type GasFloors = ChainProfile['limits']['fast']['gas_floor']

function gasFloorOf(gas: GasFloors, pool: FastPool, { names }: FastShape): number {
  const extra = (name: string, more: number) => (names.includes(name) ? more : 0)
  return (
    gas[pool.version] +
    extra('PAY_PORTION', gas.to_router) +
    extra('WRAP_ETH', gas.wrap) +
    extra('UNWRAP_WETH', gas.unwrap)
  )
}
