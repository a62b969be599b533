import { type MarkSource, markCalls, markPriceIn, multicall3Abi, type Priced } from '@pit/chain'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { Rpc } from '../rpc/index.ts'
import { askBlockNumber } from './blocks.ts'
import { wordsIn } from './hex.ts'
import { askMulticall } from './multicall.ts'
import { readOne } from './question.ts'

/** An independent price: a feed's, PARTNER's TWAP, or USDG's dollar. Never a pool's mid price. */
export type Mark = Exclude<Priced, { why: string }> & {
  token: Address
  symbol: string
  block: number
  /** When we read it, by our clock. */
  readAtS: number
}

export type UnreadMark = { token: Address; symbol: string; why: string }

export interface MarkReading {
  block: number
  /** Time of that block; null if unreadable. Shows a node that has stopped. */
  timestampS: number | null
  marks: Mark[]
  unread: UnreadMark[]
  /** The same responses at a later time, for a state that has not changed since. */
  again(nowMs: number): MarkReading
}

/** Reads every mark in one call, so that all are of one block. Throws if the chain does not answer. */
export async function readMarks({
  rpc,
  multicall3,
  sources,
  nowMs,
  stockSession,
}: {
  rpc: Rpc
  multicall3: Address
  sources: readonly MarkSource[]
  nowMs: number
  stockSession: (atMs: number) => boolean
}): Promise<MarkReading> {
  // The node's block number: inside a call a rollup may see its parent chain's.
  const block = await readOne(rpc, askBlockNumber())
  const reads = sources.map((source) => ({ source, calls: markCalls(source) }))
  const calls = [{ to: multicall3, data: TIMESTAMP }, ...reads.flatMap((one) => one.calls)]
  const [timestamp, ...answers] = await readOne(rpc, askMulticall(multicall3, calls, { block }))
  const readings = reads.map(({ source, calls }) => ({ source, answers: answers.splice(0, calls.length) }))
  const priceAt = (atMs: number): MarkReading => {
    const marks: Mark[] = []
    const unread: UnreadMark[] = []
    const readAtS = Math.floor(atMs / 1000)
    const at = { nowS: readAtS, stocksOpen: stockSession(atMs) }
    for (const { source, answers } of readings) {
      const { token, symbol } = source
      const priced = markPriceIn(source, answers, at)
      if ('why' in priced) unread.push({ token, symbol, why: priced.why })
      else marks.push({ token, symbol, block, readAtS, ...priced })
    }
    return { block, timestampS: secondsOf(timestamp!), marks, unread, again: priceAt }
  }
  return priceAt(nowMs)
}

const TIMESTAMP = encodeFunctionData({ abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' })

const secondsOf = (answer: Hex | null): number | null => {
  const words = wordsIn(answer, 1)
  return words && Number(words[0])
}
