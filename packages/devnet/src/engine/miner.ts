import { createHash } from 'node:crypto'
import type { NextBlock } from './clockCalls.ts'
import { collectAnswers } from './collectGarbage.ts'
import type { BlockEntry } from './entries.ts'
import { mineBlock } from './mineBlock.ts'
import type { ChainParts } from './openParts.ts'
import type { BlockJson, Head, Hex } from './types.ts'

/** Makes blocks of the pool's transactions: the terms of the next one, and the count. */
export interface Miner {
  /** Mines a block, logs it and makes it the head. */
  mine(atS?: bigint, atMs?: number): Promise<BlockJson>
  setNext(terms: NextBlock): void
  blocks(): number
}

interface MinerDeps {
  parts: Pick<ChainParts, 'engines' | 'head' | 'journal' | 'pool' | 'record'>
  /** Milliseconds since the epoch. */
  now(): number
  baseFeeWei: bigint
}

/** Traces of this many transactions may wait for garbage collection. */
const COLLECT_AFTER_TXS = 20

export function createMiner({ parts, now, baseFeeWei }: MinerDeps): Miner {
  const { engines, head, journal, pool, record } = parts
  let next: NextBlock = {}
  let blocks = 0
  let uncollectedTxs = 0
  const chainS = (atMs: number) => BigInt(Math.floor(atMs / 1000)) + BigInt(journal.settings().timeOffsetS)
  return {
    async mine(atS, atMs = now()) {
      const parent = head.current()
      const terms = {
        timestampS: later(atS ?? next.atS ?? chainS(atMs), parent.timestampS),
        baseFeeWei: next.baseFeeWei ?? baseFeeWei,
        prevRandao: next.prevRandao ?? randaoAfter(parent),
      }
      next = {}
      const block = journal.served(await mineBlock(engines.main(), terms))
      const hashes = block.transactions.map(({ hash }) => hash)
      record(entryOf(block, pool.take(block)), hashes)
      head.advance(block)
      blocks += 1
      uncollectedTxs += block.transactions.length
      if (uncollectedTxs >= COLLECT_AFTER_TXS) {
        uncollectedTxs = 0
        collectAnswers()
      }
      return block
    },
    setNext(terms) {
      next = { ...next, ...terms }
    },
    blocks: () => blocks,
  }
}

const later = (a: bigint, b: bigint) => (a < b ? b : a)

const entryOf = (block: BlockJson, txs: BlockEntry['txs']): BlockEntry => ({
  kind: 'block',
  number: Number(block.number),
  hash: block.hash,
  timestampS: BigInt(block.timestamp).toString(),
  baseFeeWei: BigInt(block.baseFeePerGas).toString(),
  prevRandao: block['mixHash'] as Hex,
  gasUsed: BigInt(block['gasUsed'] as Hex).toString(),
  txs,
})

/** Derived from the parent, so that every engine and replay agrees without EDR's own generator. */
const randaoAfter = (parent: Head): Hex =>
  `0x${createHash('sha256').update(parent.hash).update(parent.number.toString()).digest('hex')}`
