import {
  type Address,
  encodePoolKey,
  type Hex,
  multicall3Abi,
  NATIVE,
  type PoolKey,
  TOPIC,
  v4QuoterAbi,
} from '@pit/chain'
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  keccak256,
  parseAbiParameters,
  toHex,
} from 'viem'
import { type Rpc, type RpcCall, RpcFailure } from '../src/own/rpc.ts'
import type { Pins } from '../src/pins.ts'

const at = (digit: string): Address => `0x${digit.repeat(40)}`
export const TOKEN = at('1')
export const USDG = at('2')
export const HOOK = at('9')
const CONTRACTS = {
  v2_factory: null,
  v3_factory: null,
  v4_state_view: at('a'),
  v4_quoter: at('b'),
  v4_pool_manager: at('c'),
}
const MULTICALL3 = at('d')

/** USDG is the one core token, at a dollar. */
export const pins = {
  tokens: new Map([[USDG, { symbol: 'USDG', core: 'USDG', decimals: 6, stock: false }]]),
  marks: new Map([[USDG, { kind: 'fixed', token: USDG, symbol: 'USDG', feed: null }]]),
  knownHooks: new Set(),
  launchpads: [],
  multicall3: MULTICALL3,
  weth: at('e'),
  headMaxAgeS: 60,
  profile: {
    contracts: CONTRACTS,
    first_block: 0,
    core_tokens: [],
    market_holidays: [],
  },
} as unknown as Pins

export const keyOf = (fee: number, hooks: Address = NATIVE): PoolKey => ({
  currency0: TOKEN,
  currency1: USDG,
  fee,
  tickSpacing: { 500: 10, 3000: 60, 10000: 200 }[fee] ?? 60,
  hooks,
})

/** A pool that buys and sells any amount of the token (18 decimals) at one price, without a fee. */
export interface FakePool {
  key: PoolKey
  /** Micro-dollars for a whole token. */
  bid: bigint
  ask: bigint
}

export interface FakeNode extends Rpc {
  /** Methods of the exchanges so far. */
  exchanges: string[][]
  pools: FakePool[]
  logs: 'served' | 'refused' | 'silent'
  head: number
  /** Of the newest block. */
  timeS: () => number
  /** First block of each log query. */
  scannedFrom: number[]
}

const idOf = (key: PoolKey): Hex => keccak256(`0x${encodePoolKey(key)}`)
const E18 = 10n ** 18n

/** A node with these pools on it; pools of usual fees exist for StateView, all of them have their log. */
export function fakeMarket(pools: FakePool[], timeS = () => 1_800_000_000): FakeNode {
  const node: FakeNode = {
    exchanges: [],
    pools,
    logs: 'served',
    head: 10_000,
    timeS,
    scannedFrom: [],
    async all(calls) {
      node.exchanges.push(calls.map(({ method }) => method))
      if (node.logs === 'silent' && calls.some(({ method }) => method === 'eth_getLogs'))
        await new Promise(() => {})
      return calls.map((call) => answer(node, call))
    },
  }
  return node
}

function answer(node: FakeNode, { method, params: [first] }: RpcCall): unknown {
  if (method === 'eth_getBlockByNumber')
    return { number: toHex(node.head), timestamp: toHex(Math.floor(node.timeS())), baseFeePerGas: '0x7' }
  if (method === 'eth_blockNumber') return toHex(node.head)
  if (method === 'eth_getLogs') return logsOf(node, first as { fromBlock: Hex; topics: Hex[][] })
  const { to, data } = first as { to: Address; data: Hex }
  if (to === CONTRACTS.v4_quoter) return quoteOf(node, data)
  if (to !== MULTICALL3) return '0x'
  const { args } = decodeFunctionData({ abi: multicall3Abi, data })
  const calls = args![0] as readonly { callData: Hex }[]
  const ids = new Set(node.pools.map(({ key }) => idOf(key).slice(2)))
  const results = calls.map(({ callData }) => ({
    success: true,
    returnData: toHex(ids.has(callData.slice(10)) ? 1n : 0n, { size: 32 }),
  }))
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
}

function logsOf(node: FakeNode, { fromBlock, topics }: { fromBlock: Hex; topics: Hex[][] }): unknown {
  if (node.logs === 'refused') return new RpcFailure('query exceeds limit')
  if (!topics[2]!.includes(toHex(BigInt(TOKEN), { size: 32 }))) return []
  node.scannedFrom.push(Number(fromBlock))
  return node.pools.map(({ key }, i) => ({
    topics: [TOPIC.v4Initialize, idOf(key), word(key.currency0), word(key.currency1)],
    data: encodeAbiParameters(parseAbiParameters('uint24, int24, address, uint160, int24'), [
      key.fee,
      key.tickSpacing,
      key.hooks,
      1n,
      0,
    ]),
    blockNumber: toHex(i),
  }))
}

const word = (address: Address): Hex => toHex(BigInt(address), { size: 32 })

function quoteOf({ pools }: FakeNode, data: Hex): unknown {
  const { args } = decodeFunctionData({ abi: v4QuoterAbi, data })
  const { poolKey, zeroForOne, exactAmount } = args[0] as {
    poolKey: PoolKey
    zeroForOne: boolean
    exactAmount: bigint
  }
  const lower = { ...poolKey, hooks: poolKey.hooks.toLowerCase() as Address }
  const pool = pools.find(({ key }) => key.fee === lower.fee && key.hooks === lower.hooks)
  if (!pool) return new RpcFailure('execution reverted', { code: 3, data: '0x' })
  const out = zeroForOne ? (exactAmount * pool.bid) / E18 : (exactAmount * E18) / pool.ask
  return encodeFunctionResult({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', result: [out, 0n] })
}
