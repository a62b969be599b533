import { replayBlock, replayEmptyBlocks } from './mineBlock.ts'
import type { Provider } from './provider.ts'
import type { Replayable } from './replayable.ts'
import type { Hex } from './types.ts'

/** Entries of the write-ahead log, in order. */
export type Entry = BlockEntry | AdminEntry | ClockEntry | PoolEntry

export interface BlockEntry {
  kind: 'block'
  number: number
  hash: Hex
  timestampS: string
  baseFeeWei: string
  prevRandao: Hex
  gasUsed: string
  txs: Replayable[]
}

export interface AdminEntry {
  kind: 'admin'
  method: string
  params: unknown[]
}

export interface ClockEntry {
  kind: 'clock'
  timeOffsetS: string
}

/** Transactions pooled and not mined at a clean stop. */
export interface PoolEntry {
  kind: 'pool'
  txs: Replayable[]
}

/** Applies an entry to an engine; a block must have its logged hash. Returns its transactions' hashes. */
export async function applyEntry(engine: Provider, entry: Entry): Promise<Hex[]> {
  if (entry.kind === 'admin') await engine.request(entry.method, entry.params)
  if (entry.kind !== 'block') return []
  const block = await replayBlock(engine, termsOf(entry), entry.txs)
  checkHash(block, entry)
  return block.transactions as unknown as Hex[]
}

export const isEmptyBlock = (entry: Entry | undefined): entry is BlockEntry =>
  entry?.kind === 'block' && entry.txs.length === 0

/** The same for consecutive empty blocks, in one call: each hash contains its parent's. */
export async function applyEmptyBlocks(engine: Provider, entries: readonly BlockEntry[]): Promise<void> {
  checkHash(await replayEmptyBlocks(engine, entries.map(termsOf)), entries.at(-1)!)
}

const termsOf = ({ timestampS, baseFeeWei, prevRandao }: BlockEntry) => ({
  timestampS: BigInt(timestampS),
  baseFeeWei: BigInt(baseFeeWei),
  prevRandao,
})

function checkHash({ hash }: { hash: Hex }, entry: BlockEntry): void {
  if (hash !== entry.hash)
    throw new Error(`block ${entry.number} came out as ${hash} on replay, not ${entry.hash}`)
}
