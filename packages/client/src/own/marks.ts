import { type Address, type Hex, markCall, markPriceIn, multicall3Abi, NATIVE } from '@pit/chain'
import { stockSessionOf } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import type { RpcCall } from './rpc.ts'

/** A price the client read itself: dollars of one whole token times 10^18. */
export interface OwnMark {
  priceE18: bigint
  decimals: number
  source: 'oracle_feed' | 'twap' | 'fixed'
}
export type OwnMarks = ReadonlyMap<Address, OwnMark>

/** One call for the marks of these tokens; `read` leaves out whatever has no fresh price. */
export function askMarks(
  pins: Pins,
  tokens: readonly Address[],
  nowMs: number,
): { call: RpcCall; read(answer: Hex): OwnMarks } {
  const sources = [...new Set(tokens)].flatMap((token) => pins.marks.get(token) ?? [])
  const calls = sources.map((source) => {
    const { to, data } = markCall(source) ?? { to: pins.multicall3, data: '0x' as Hex }
    return { target: to, allowFailure: true, callData: data }
  })
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  return {
    call: { method: 'eth_call', params: [{ to: pins.multicall3, data }, 'latest'] },
    read(answer) {
      const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
      const at = { nowS: Math.floor(nowMs / 1000), stocksOpen: stockSessionOf(pins.profile)(nowMs) }
      const marks = new Map<Address, OwnMark>()
      for (const [i, source] of sources.entries()) {
        const result = results[i]
        const priced = markPriceIn(source, result?.success ? result.returnData : null, at)
        if ('why' in priced || priced.stale) continue
        const { decimals } = pins.tokens.get(source.token)!
        marks.set(source.token, { priceE18: priced.priceE18, decimals, source: priced.source })
      }
      return marks
    },
  }
}

/** WETH stands for ETH where only tokens have a price. */
export const markOf = (marks: OwnMarks, token: Address, weth: Address): OwnMark | undefined =>
  marks.get(token) ?? (token === NATIVE ? marks.get(weth) : undefined)
