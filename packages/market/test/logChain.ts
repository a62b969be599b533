import { type Address, type Hex, NATIVE, TOPIC } from '@pit/chain'
import type { ChainLog } from '@pit/platform/follow'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { encodeAbiParameters, pad, toHex } from 'viem'

/** A chain of v4 pools that is nothing but the pool manager's logs. */

export const MANAGER: Address = `0x${'a4'.repeat(20)}`
export const ROOT = 1n << 96n
export const DYNAMIC_FEE = 0x800000
export const HOOK: Address = `0x${'00'.repeat(18)}0080`
const word = (n: number | bigint): Hex => toHex(n, { size: 32 })
export const token = (n: number): Address => toHex(0xaa_0000_0000n + BigInt(n), { size: 20 })
export const poolId = (n: number): Hex => word(0xbb_0000_0000n + BigInt(n))
const words = (types: string[], values: unknown[]) =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  )
type Said = Pick<ChainLog, 'topics' | 'data'>
export const initialize = (n: number, root = ROOT, fee = 3_000, hooks: Address = NATIVE): Said => ({
  topics: [TOPIC.v4Initialize, poolId(n), pad(NATIVE), pad(token(n))],
  data: words(['uint24', 'int24', 'address', 'uint160', 'int24'], [fee, 60, hooks, root, 0]),
})
export const liquidity = (n: number, delta: bigint): Said => ({
  topics: [TOPIC.v4ModifyLiquidity, poolId(n), pad(MANAGER)],
  data: words(['int24', 'int24', 'int256', 'bytes32'], [-600, 600, delta, word(0)]),
})
export const swap = (n: number, root: bigint): Said => ({
  topics: [TOPIC.v4Swap, poolId(n), pad(MANAGER)],
  data: words(['int128', 'int128', 'uint160', 'uint128', 'int24', 'uint24'], [0n, 0n, root, 0n, 7, 3_000]),
})

/** A chain whose blocks say what the pool manager logged in them. */
export function chainOf(said: (number: number) => Said[]) {
  let [head, fork, forkedAt] = [0, 0, Number.POSITIVE_INFINITY]
  const own = new Map<number, Said[]>()
  const hashOf = (number: number): Hex =>
    word(BigInt(number + 1) + (number > forkedAt ? BigInt(fork) << 64n : 0n))
  const header = (number: number) =>
    number > head
      ? null
      : { number: toHex(number), hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: '0x1' }
  const logs = (number: number) =>
    (own.get(number) ?? said(number)).map((log, i) => ({
      ...log,
      address: MANAGER,
      blockNumber: toHex(number),
      blockHash: hashOf(number),
      transactionHash: word(1),
      logIndex: toHex(i),
    }))
  return {
    rpc: rpcOf(async (method, [first]) => {
      if (method === 'eth_getBlockByNumber') return header(first === 'latest' ? head : Number(first))
      if (method !== 'eth_getLogs') throw new Error(`unexpected ${method}`)
      const where = first as { blockHash?: Hex; fromBlock: Hex; toBlock: Hex }
      const number = Number(BigInt(where.blockHash ?? 0) & 0xffff_ffff_ffffn) - 1
      if (where.blockHash) return hashOf(number) === where.blockHash ? logs(number) : []
      const [from, to] = [Number(where.fromBlock), Number(where.toBlock)]
      return Array.from({ length: to - from + 1 }, (_, i) => logs(from + i)).flat()
    }),
    mine(...more: Said[]) {
      head += 1
      own.set(head, more)
    },
    growTo(number: number) {
      head = number
    },
    /** Other blocks from here on. */
    forkAt(number: number) {
      fork += 1
      forkedAt = number
      head = number
      for (const blockNumber of own.keys()) if (blockNumber > number) own.delete(blockNumber)
    },
  }
}
export type TestChain = ReturnType<typeof chainOf>
