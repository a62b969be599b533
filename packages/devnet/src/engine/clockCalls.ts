import { amountOf } from './admin.ts'
import { rpcFailure } from './provider.ts'
import type { BlockJson, Head, Hex } from './types.ts'

/** Requested terms of the next block. */
export interface NextBlock {
  atS?: bigint
  baseFeeWei?: bigint
  prevRandao?: Hex
}

export interface ClockDeps {
  head(): Head
  mine(atS?: bigint): Promise<BlockJson>
  setNext(wish: NextBlock): void
  /** Shifts the chain's clock against the wall clock; returns the total shift. */
  addOffset(seconds: bigint): Promise<bigint>
}

/** Maximum number of blocks of one hardhat_mine. */
const MAX_BLOCKS_AT_ONCE = 10_000n

/** Admin calls about time and the next block, handled by the chain itself. */
export async function clockCall(deps: ClockDeps, method: string, params: unknown[]): Promise<unknown> {
  const [first, second] = params
  switch (method) {
    case 'evm_increaseTime':
      return (await deps.addOffset(amountOf(first, 'seconds'))).toString()
    case 'evm_setNextBlockTimestamp': {
      const atS = amountOf(first, 'timestamp')
      const { timestampS } = deps.head()
      if (atS < timestampS)
        throw rpcFailure(-32000, `timestamp ${atS} is before the latest block's, ${timestampS}`)
      deps.setNext({ atS })
      return atS.toString()
    }
    case 'hardhat_setNextBlockBaseFeePerGas':
      deps.setNext({ baseFeeWei: amountOf(first, 'base fee') })
      return true
    case 'hardhat_setPrevRandao':
      if (!/^0x[0-9a-f]{64}$/i.test(String(first))) throw rpcFailure(-32602, 'prevRandao must be 32 bytes')
      deps.setNext({ prevRandao: first as Hex })
      return true
    case 'evm_mine': {
      const at = typeof first === 'object' ? (first as { timestamp?: unknown } | null)?.timestamp : first
      await deps.mine(at === undefined ? undefined : amountOf(at, 'timestamp'))
      return '0x0'
    }
    default:
      return mineMany(deps, first, second)
  }
}

async function mineMany({ head, mine }: ClockDeps, blocks: unknown, intervalS: unknown): Promise<boolean> {
  const count = blocks === undefined ? 1n : amountOf(blocks, 'blocks')
  const gapS = intervalS === undefined ? undefined : amountOf(intervalS, 'interval')
  if (count > MAX_BLOCKS_AT_ONCE) throw rpcFailure(-32602, `at most ${MAX_BLOCKS_AT_ONCE} blocks at once`)
  for (let at = 0n; at < count; at++) {
    await mine(at === 0n || gapS === undefined ? undefined : head().timestampS + gapS)
  }
  return true
}
