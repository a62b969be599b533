import { launchpadOf, type PinnedLaunchpad } from '@pit/chain'
import { toEventHash } from 'viem'
import type { Chain, Hex } from '../engine/types.ts'
import { word } from './multicall.ts'
import { type Curve, NATIVE, type Pool } from './types.ts'

/** Contracts whose logs list every pool and curve. */
export interface Registries {
  v2Factory: Hex
  v3Factory: Hex
  v4PoolManager: Hex
  launchpads: readonly PinnedLaunchpad[]
}

interface Log {
  address: Hex
  topics: Hex[]
  data: Hex
}

const PAIR_CREATED = toEventHash('PairCreated(address,address,address,uint256)')
const POOL_CREATED = toEventHash('PoolCreated(address,address,uint24,int24,address)')
const INITIALIZE = toEventHash('Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)')

const addressOf = (value: Hex | undefined): Hex => `0x${(value ?? NATIVE).slice(-40)}`
const addressAt = (data: Hex, n: number): Hex => `0x${word(data, n).toString(16).padStart(40, '0')}`
const signed24 = (value: bigint) => Number(BigInt.asIntN(24, value))

/** Every pool and curve created between two blocks, from the registries' logs. */
export async function discoverVenues(
  chain: Chain,
  registries: Registries,
  range: { fromBlock: bigint; toBlock: bigint },
): Promise<{ pools: Pool[]; curves: Curve[] }> {
  const blocks = {
    fromBlock: `0x${range.fromBlock.toString(16)}`,
    toBlock: `0x${range.toBlock.toString(16)}`,
  }
  const logsOf = (address: Hex | null, topics: Hex[] = []) =>
    address ? chain.request<Log[]>('eth_getLogs', [{ ...blocks, address, topics }]) : Promise.resolve([])
  const [pairs, v3Pools, v4Pools, ...launches] = await Promise.all([
    logsOf(registries.v2Factory, [PAIR_CREATED]),
    logsOf(registries.v3Factory, [POOL_CREATED]),
    logsOf(registries.v4PoolManager, [INITIALIZE]),
    ...registries.launchpads.map(({ kind, factory }) => logsOf(factory, [launchpadOf(kind).launchedTopic])),
  ])
  return {
    pools: [...pairs.map(pairOf), ...v3Pools.map(v3Of), ...v4Pools.map(v4Of)],
    curves: launches.flatMap((logs, i) => {
      const { kind, launchIn } = launchpadOf(registries.launchpads[i]!.kind)
      return logs.map((log) => {
        const { curve, token, pair } = launchIn(log)
        return { launchpad: kind, address: curve, token, pair }
      })
    }),
  }
}

const pairOf = ({ topics, data }: Log): Pool => ({
  version: 2,
  address: addressAt(data, 0),
  currency0: addressOf(topics[1]),
  currency1: addressOf(topics[2]),
  fee: 3_000,
  tickSpacing: 60,
  hooks: NATIVE,
})

const v3Of = ({ topics, data }: Log): Pool => ({
  version: 3,
  address: addressAt(data, 1),
  currency0: addressOf(topics[1]),
  currency1: addressOf(topics[2]),
  fee: Number(topics[3] ?? 0),
  tickSpacing: signed24(word(data, 0)),
  hooks: NATIVE,
})

const v4Of = ({ topics, data }: Log): Pool => ({
  version: 4,
  address: NATIVE,
  currency0: addressOf(topics[2]),
  currency1: addressOf(topics[3]),
  fee: Number(word(data, 0)),
  tickSpacing: signed24(word(data, 1)),
  hooks: addressAt(data, 2),
})
