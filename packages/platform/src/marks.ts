import { type MarkSource, markCalls, markPriceIn, multicall3Abi, type Priced } from '@pit/chain'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { askBlockNumber, askMulticall, readOne, wordsIn } from './reads/index.ts'
import type { Rpc } from './rpc.ts'

/** An independent price: a feed's, PARTNER's TWAP, or USDG's dollar. A pool's mid is never one. */
export type Mark = Exclude<Priced, { why: string }> & {
  token: Address
  symbol: string
  block: number
  /** When it was read here, by our clock. */
  readAtS: number
}

export type UnreadMark = { token: Address; symbol: string; why: string }

export interface MarkReading {
  block: number
  /** Of that block; null when it could not be read. A node that stands still says so here. */
  timestampS: number | null
  marks: Mark[]
  unread: UnreadMark[]
}

/** Reads every mark in one call, so that all are of one block. Throws when the chain does not answer. */
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
  // The node's own number: inside a call a rollup's chain may see its parent's.
  const block = await readOne(rpc, askBlockNumber())
  const asked = sources.map((source) => ({ source, calls: markCalls(source) }))
  const calls = [{ to: multicall3, data: TIMESTAMP }, ...asked.flatMap((one) => one.calls)]
  const [timestamp, ...answers] = await readOne(rpc, askMulticall(multicall3, calls, { block }))
  const reading: MarkReading = { block, timestampS: secondsOf(timestamp!), marks: [], unread: [] }
  const readAtS = Math.floor(nowMs / 1000)
  const at = { nowS: readAtS, stocksOpen: stockSession(nowMs) }
  for (const { source, calls } of asked) {
    const { token, symbol } = source
    const priced = markPriceIn(source, answers.splice(0, calls.length), at)
    if ('why' in priced) reading.unread.push({ token, symbol, why: priced.why })
    else reading.marks.push({ token, symbol, block, readAtS, ...priced })
  }
  return reading
}

const TIMESTAMP = encodeFunctionData({ abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' })

const secondsOf = (answer: Hex | null): number | null => {
  const words = wordsIn(answer, 1)
  return words && Number(words[0])
}
