import { type Address, type Hex, TOPIC } from '@pit/chain'
import { addressWord, askBlockTime, askLogs, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { TradingPool } from '../depth.ts'

const MAX_POOLS_ASKED = 4
const TIMEOUT_MS = 2_000

/** Creation time of the token's first pool, from its log; null if the node has none. */
export async function findFirstPoolAtS(
  { rpc, profile }: { rpc: Pick<Rpc, 'request'>; profile: ChainProfile },
  pools: readonly TradingPool[],
): Promise<number | null> {
  const times = await Promise.all(
    pools.slice(0, MAX_POOLS_ASKED).map((pool) => bornAtS(pool).catch(() => null)),
  )
  const knownTimes = times.filter((time) => time !== null)
  return knownTimes.length > 0 ? Math.min(...knownTimes) : null

  async function bornAtS(pool: TradingPool): Promise<number | null> {
    if (pool.version === 'curve') return pool.launchedAtS
    const { address, topics } = birthLog(pool, profile)
    if (address === null) return null
    const where = { from: Math.max(0, profile.first_block), to: 'latest' } as const
    const query = askLogs({ address: address as Address, topics }, where)
    const [log] = await readOne(rpc, query, { timeoutMs: TIMEOUT_MS })
    return log ? (log.timestampS ?? readOne(rpc, askBlockTime(log.blockNumber))) : null
  }
}

function birthLog(pool: Exclude<TradingPool, { version: 'curve' }>, { contracts }: ChainProfile) {
  const [first, second] = [topicOf(pool.token0), topicOf(pool.token1)]
  if (pool.version === 'v2')
    return { address: contracts.v2_factory, topics: [TOPIC.v2PairCreated, first, second] }
  if (pool.version === 'v4')
    return { address: contracts.v4_pool_manager, topics: [TOPIC.v4Initialize, pool.id] }
  const fee: Hex = `0x${pool.feePips.toString(16).padStart(64, '0')}`
  return { address: contracts.v3_factory, topics: [TOPIC.v3PoolCreated, first, second, fee] }
}

const topicOf = (address: Address): Hex => `0x${addressWord(address)}`
