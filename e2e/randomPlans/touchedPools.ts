import type { Hex } from '@pit/chain'
import { toEventSelector } from 'viem'
import type { DevnetProcess } from '../devnetProcess.ts'
import type { Plan, Receipt } from '../trading/trader.ts'

export interface Log {
  address: Hex
  topics: Hex[]
  transactionHash: Hex
  transactionIndex: Hex
  blockNumber: Hex
}
export interface Mined extends Receipt {
  transactionHash: Hex
  transactionIndex: Hex
  logs: Log[]
}

/** Blocks that the service may be behind. */
const FOLLOWED_WITHIN = 20

const BY_ADDRESS = new Set<Hex>([
  toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)'),
  toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  toEventSelector('CurveTrade(address,bool,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
])
/** v4 has one contract for all pools: the second topic identifies the pool. */
const BY_ID = toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)')

/**
 * Number of logs by others in a trade's pools after the block of its simulation (or request) and before it
 * was mined. For a reverted trade, whose pools have no logs, all pools count.
 */
export async function tradedBetween(
  devnet: DevnetProcess,
  { simulation }: Plan,
  mined: readonly Mined[],
  askedAt: number,
): Promise<{ logs: number; block: number }> {
  const last = mined[mined.length - 1]!
  // Without a simulation, it was priced by pools as they were shortly before the request.
  const block = Number(
    (simulation as { block?: number } | null | undefined)?.block ?? askedAt - FOLLOWED_WITHIN,
  )
  const own = new Set(mined.map(({ transactionHash }) => transactionHash))
  const touched = last.status === '0x1' ? new Set(last.logs.flatMap(poolOf)) : null
  const range = { fromBlock: `0x${(block + 1).toString(16)}`, toBlock: last.blockNumber }
  const logs = await devnet.rpc<Log[]>('eth_getLogs', [range])
  const foreign = logs.filter((log) => {
    if (own.has(log.transactionHash)) return false
    if (log.blockNumber === last.blockNumber && BigInt(log.transactionIndex) > BigInt(last.transactionIndex))
      return false
    if (touched === null) return poolOf(log).length > 0
    return touched.has(log.address) || touched.has(log.topics[1] ?? '0x')
  })
  return { logs: foreign.length, block }
}

function poolOf({ address, topics }: Log): Hex[] {
  if (topics[0] === BY_ID) return [topics[1]!]
  return BY_ADDRESS.has(topics[0]!) ? [address] : []
}
