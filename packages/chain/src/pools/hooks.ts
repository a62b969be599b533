import type { Address } from '../bytes/hex.ts'
import type { PoolKey } from '../router/types.ts'
import type { Pool } from './types.ts'

/** Which calls the pool manager makes to a hook: the low bits of its address. */
const FLAGS = {
  beforeInitialize: 1 << 13,
  afterInitialize: 1 << 12,
  beforeAddLiquidity: 1 << 11,
  afterAddLiquidity: 1 << 10,
  beforeRemoveLiquidity: 1 << 9,
  afterRemoveLiquidity: 1 << 8,
  beforeSwap: 1 << 7,
  afterSwap: 1 << 6,
  beforeDonate: 1 << 5,
  afterDonate: 1 << 4,
  beforeSwapReturnsDelta: 1 << 3,
  afterSwapReturnsDelta: 1 << 2,
  afterAddLiquidityReturnsDelta: 1 << 1,
  afterRemoveLiquidityReturnsDelta: 1 << 0,
} as const
export type HookFlag = keyof typeof FLAGS

/** As a pool's fee: it is the hook's to set. */
export const DYNAMIC_FEE = 0x800000

export function hookFlags(hooks: Address): HookFlag[] {
  const bits = flagBits(hooks)
  return (Object.keys(FLAGS) as HookFlag[]).filter((flag) => bits & FLAGS[flag])
}

/**
 * Whether a pool's own state determines a swap's output: `amounts` if the hook may change it, `fee` if the hook may
 * choose the fee at each swap. Both have to be quoted by call.
 */
export type HookEffect = 'none' | 'fee' | 'amounts'

export function hookEffectOf(key: Pick<PoolKey, 'hooks' | 'fee'>): HookEffect {
  const bits = flagBits(key.hooks)
  if (bits & (FLAGS.beforeSwapReturnsDelta | FLAGS.afterSwapReturnsDelta)) return 'amounts'
  if (key.fee === DYNAMIC_FEE && bits & FLAGS.beforeSwap) return 'fee'
  return 'none'
}

/** An unread dynamic fee counts as 100%: no quote is better than a wrong one. */
const UNREAD_FEE_PIPS = 1_000_000

/** Whether the fee set by a pool's hook has not been read. */
export const isFeeUnread = (pool: Pool): boolean =>
  pool.version === 'v4' && pool.key.fee === DYNAMIC_FEE && pool.lpFeePips >= UNREAD_FEE_PIPS

/** Whether only the chain can quote a pool: its hook decides the output, or sets a fee that was not read. */
export const isQuotedByCall = (pool: Pool): boolean =>
  pool.version === 'v4' && (hookEffectOf(pool.key) !== 'none' || isFeeUnread(pool))

function flagBits(hooks: Address): number {
  return Number.parseInt(hooks.slice(-4), 16) & 0x3fff
}
