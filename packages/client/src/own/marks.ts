import { type Address, markCalls, markPriceIn, multicall3Abi, NATIVE } from '@pit/chain'
import { stockSessionOf } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import type { Reading } from './reading.ts'
import { ethCall, type RpcCall } from './rpc.ts'

/** A price the client read itself: dollars of one whole token times 10^18. */
export interface OwnMark {
  priceE18: bigint
  decimals: number
  source: 'oracle_feed' | 'twap' | 'fixed'
}
export type OwnMarks = ReadonlyMap<Address, OwnMark>

/** One call for the marks of these tokens; `read` leaves out whatever has no fresh price. */
export function marksRequest(
  pins: Pins,
  tokens: readonly Address[],
  nowMs: number,
): { call: RpcCall; read(reading: Reading): OwnMarks } {
  const sources = [...new Set(tokens)].flatMap((token) => pins.marks.get(token) ?? [])
  const callsBySource = sources.map(markCalls)
  const calls = callsBySource
    .flat()
    .map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const call = ethCall(pins.multicall3, data)
  return {
    call,
    read(reading) {
      const answer = reading.value(call)
      const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
      const stocksOpen = stockSessionOf(pins.profile)(nowMs)
      const at = { nowS: Math.floor(nowMs / 1000), stocksOpen }
      const returned = results.map(({ success, returnData }) => (success ? returnData : null))
      const marks = new Map<Address, OwnMark>()
      for (const [i, source] of sources.entries()) {
        const priced = markPriceIn(source, returned.splice(0, callsBySource[i]!.length), at)
        // A dollar by definition stays one: the server is what holds trades while the peg is lost.
        if ('why' in priced || (priced.stale && priced.source !== 'fixed')) continue
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
