import { type Address, type Hex, multicall3Abi } from '@pit/chain'
import { type RpcCall, RpcUnreachable } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData, toHex } from 'viem'
import type { AccountDeps } from './deps.ts'

/** Several times what an honest balanceOf uses, and too little to return hundreds of kilobytes. */
const BALANCE_GAS = 150_000
const AT_ONCE = 50
const TIMEOUT_MS = 4_000
const WORD_CHARS = 2 + 64

/** A balance, or null where it cannot be read. */
export type Balances = Map<Address, bigint | null>

type BalanceDeps = Pick<AccountDeps, 'rpc' | 'profile'>
interface At {
  wallet: Address
  /** The block, as the node writes it. */
  tag: Hex
}

/**
 * A wallet's balances, all of one block. Tokens of strangers are read apart from the standing ones, and
 * whatever fails there is asked again alone, with gas of its own: one that burns all it gets spoils nobody
 * else's reading.
 */
export async function readBalances(
  deps: BalanceDeps,
  at: At,
  { standing, strangers }: { standing: readonly Address[]; strangers: readonly Address[] },
): Promise<Balances> {
  const chunks = [...chunksOf(standing), ...chunksOf(strangers)]
  const read = await Promise.all(chunks.map((tokens) => readTogether(deps, at, tokens)))
  const balances: Balances = new Map(read.flat())
  const failed = [...balances].filter(([, balance]) => balance === null).map(([token]) => token)
  for (const [token, balance] of await readAlone(deps, at, failed)) balances.set(token, balance)
  return balances
}

function* chunksOf(tokens: readonly Address[]): Generator<readonly Address[]> {
  for (let i = 0; i < tokens.length; i += AT_ONCE) yield tokens.slice(i, i + AT_ONCE)
}

/** Throws only when the node does not answer. */
async function readTogether(
  { rpc, profile }: BalanceDeps,
  { wallet, tag }: At,
  tokens: readonly Address[],
): Promise<[Address, bigint | null][]> {
  const multicall3 = profile.contracts.multicall3 as Address
  const calls = tokens.map((token) => ({
    target: token === NATIVE_TOKEN ? multicall3 : token,
    allowFailure: true,
    callData: token === NATIVE_TOKEN ? ethBalanceOf(wallet) : balanceOf(wallet),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const call = { to: multicall3, data, gas: toHex(BALANCE_GAS * (tokens.length + 1)) }
  try {
    const answer = await rpc.request<Hex>('eth_call', [call, tag], { timeoutMs: TIMEOUT_MS })
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
    return tokens.map((token, i) => [token, results[i]?.success ? wordIn(results[i].returnData) : null])
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error
    // A token took all the gas, or the answer is none: each is asked by itself.
    return tokens.map((token) => [token, null])
  }
}

async function readAlone(
  { rpc }: BalanceDeps,
  { wallet, tag }: At,
  tokens: readonly Address[],
): Promise<[Address, bigint | null][]> {
  const calls = tokens.map((token): RpcCall => {
    if (token === NATIVE_TOKEN) return ['eth_getBalance', [wallet, tag]]
    return ['eth_call', [{ to: token, data: balanceOf(wallet), gas: toHex(BALANCE_GAS) }, tag]]
  })
  // A node that takes no batches leaves these unread; the others stand.
  const answers = await rpc.batch(calls, { timeoutMs: TIMEOUT_MS }).catch(() => [])
  return tokens.map((token, i) => {
    const answer = answers[i]
    if (!answer?.ok || typeof answer.result !== 'string') return [token, null]
    if (token === NATIVE_TOKEN) return [token, BigInt(answer.result)]
    return [token, wordIn(answer.result as Hex)]
  })
}

/** As contracts read it: the first word, whatever follows. */
const wordIn = (data: Hex): bigint | null =>
  data.length < WORD_CHARS ? null : BigInt(data.slice(0, WORD_CHARS))

const balanceOf = (wallet: Address): Hex => `0x70a08231${wallet.slice(2).padStart(64, '0')}`
const ethBalanceOf = (wallet: Address): Hex =>
  encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [wallet] })
