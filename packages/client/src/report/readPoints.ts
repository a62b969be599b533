import {
  type Address,
  erc20Abi,
  type Hex,
  markCalls,
  markPriceIn,
  multicall3Abi,
  multiplierAt,
  NATIVE,
  stockIssuerOf,
} from '@pit/chain'
import { stockSessionOf } from '@pit/protocol'
import type { Price, ReportPoint } from '@pit/reports'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { type Rpc, RpcFailure } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import type { BlockTime } from './findBlocks.ts'
import { readInChunks } from './readInChunks.ts'

interface PointsRequest {
  wallet: Address
  tokens: readonly Address[]
  blocks: readonly BlockTime[]
  signal?: AbortSignal | undefined
  onDone?(done: number): void
}

/** Balances, prices and share multipliers at the end of each block, one call a block; empty without its state. */
export async function readPoints(
  rpc: Rpc,
  pins: Pins,
  { wallet, tokens, blocks, signal, onDone }: PointsRequest,
): Promise<ReportPoint[]> {
  const question = pointQuestion(pins, wallet, tokens)
  const calls = blocks.map(({ block }) => ({
    method: 'eth_call',
    params: [{ to: pins.multicall3, data: question.data }, `0x${block.toString(16)}`],
  }))
  const answers = await readInChunks(rpc, calls, { signal, ...(onDone && { onDone }) })
  return blocks.map((at, i) => {
    const answer = answers[i]
    return answer instanceof RpcFailure || typeof answer !== 'string' || answer === '0x'
      ? { ...at, balances: {}, prices: {} }
      : { ...at, ...question.read(answer as Hex, at) }
  })
}

type Content = Required<Pick<ReportPoint, 'balances' | 'prices' | 'multipliers'>>

function pointQuestion(pins: Pins, wallet: Address, tokens: readonly Address[]) {
  const { profile, weth } = pins
  const sources = [...new Set([...tokens, weth])].flatMap((token) => pins.marks.get(token) ?? [])
  const callsOf = sources.map(markCalls)
  const stocks = tokens.filter((token) => pins.tokens.get(token)?.stock)
  const issuer = stockIssuerOf(profile)
  const calls = [
    ...tokens.map((token) => balanceCall(pins, token, wallet)),
    ...callsOf.flat(),
    ...stocks.flatMap((token) => issuer.multiplierCalls(token)),
  ].map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  return {
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
    read(answer: Hex, { timeS }: BlockTime): Content {
      const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
      const words = results.map(({ success, returnData }) => (success ? returnData : null))
      const balances: Record<Address, bigint> = {}
      for (const token of tokens) {
        const word = words.shift()
        if (word?.length === 66) balances[token] = BigInt(word)
      }
      const at = { nowS: timeS, stocksOpen: stockSessionOf(profile)(timeS * 1000) }
      const prices: Record<Address, Price> = {}
      for (const [i, source] of sources.entries()) {
        const priced = markPriceIn(source, words.splice(0, callsOf[i]!.length), at)
        if ('why' in priced) continue
        const { priceE18, source: kind, stale } = priced
        prices[source.token] = { priceE18, source: kind, stale: stale && kind !== 'fixed' }
      }
      const ether = prices[NATIVE] ?? prices[weth]
      if (ether) prices[NATIVE] = ether
      const multipliers: Record<Address, bigint> = {}
      for (const token of stocks) {
        const read = issuer.multiplierIn(words.splice(0, 3))
        if (read) multipliers[token] = multiplierAt(read, timeS)
      }
      return { balances, prices, multipliers }
    },
  }
}

const balanceCall = ({ multicall3 }: Pins, token: Address, wallet: Address): { to: Address; data: Hex } =>
  token === NATIVE
    ? {
        to: multicall3,
        data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [wallet] }),
      }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) }
