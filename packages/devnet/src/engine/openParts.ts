import { publicAccounts } from './accounts.ts'
import type { Archive } from './archive.ts'
import { type Archiver, createArchiver } from './archiver.ts'
import { bootEngine, worldAt } from './boot.ts'
import { type ChainHead, createChainHead } from './chainHead.ts'
import { createEngines, type Engines } from './engines.ts'
import type { Entry } from './entries.ts'
import { createFifo, type Fifo } from './fifo.ts'
import { createJournal, type Journal } from './journal.ts'
import { openDisk } from './openDisk.ts'
import { createPool, type Pool } from './pool.ts'
import { createScratch, type Scratch } from './scratch.ts'
import { createStateHistory, type StateHistory } from './stateHistory.ts'
import { createStateTracker, type StateTracker } from './stateTracker.ts'
import { createTurnstile, type Turnstile } from './turnstile.ts'
import type { Hex, Log } from './types.ts'

/** The parts of a chain that are restored from disk; each owns its state. */
export interface ChainParts {
  dir: string
  fresh: boolean
  ownedKeys: string[]
  genesis: { initialBaseFeeWei: string; initialBlockGasLimit: string }
  archive: Archive
  archiver: Archiver
  engines: Engines
  /** Jobs that change the engine, one at a time. */
  onMain: Fifo
  /** Reads and sends pass, many at once. */
  door: Turnstile
  /** Runs a job while nothing else reads or changes the engine. */
  alone: Fifo
  head: ChainHead
  journal: Journal
  pool: Pool
  scratch: Scratch
  tracker: StateTracker
  history: StateHistory
  /** Growth of the engine by the replayed blocks. */
  grownKb: number
  /** Logs an entry; `hashes` are those of a block's transactions. */
  record(entry: Entry, hashes?: readonly Hex[]): void
  close(): Promise<void>
}

interface PartsInput {
  dataDir: string | undefined
  timeS: bigint
  blockGasLimit: bigint
  baseFeeWei: bigint
  keepStateBlocks: number
  log: Log
}

export async function openParts({
  dataDir,
  keepStateBlocks,
  log,
  ...terms
}: PartsInput): Promise<ChainParts> {
  const owned = publicAccounts()
  const ownedKeys = owned.map(({ privateKey }) => privateKey)
  const { dir, fresh, archive, generation, release } = openDisk(dataDir, { ...terms, owned })
  const { image, entries, cutBytes } = generation
  if (cutBytes > 0) log('the log ended in a partial record; truncated', { bytes: cutBytes })
  const booted = await bootEngine({ image, entries, archive, ownedKeys }).catch((error) => {
    generation.wal.close()
    release()
    throw error
  })

  const engines = createEngines(booted.main, keepStateBlocks)
  const journal = createJournal({ dir, generation, settings: booted.settings, log })
  const head = createChainHead(journal.served(booted.headBlock), entries)
  const onMain = createFifo()
  const door = createTurnstile()
  const alone: Fifo = (job) => onMain(() => door.whileShut(job))
  const pool = createPool()
  const last = entries.at(-1)
  if (last?.kind === 'pool') await pool.restore(booted.main, last.txs)
  const scratch = createScratch({
    engine: engines.main,
    head: head.current,
    pooled: pool.hashes,
    alone,
    halt: journal.halt,
  })
  const history = createStateHistory(image.base.number)
  const tracker = createStateTracker({
    engine: engines.main,
    world: worldAt(image, history),
    firstBlock: image.base.number,
    isBusy: scratch.isBusy,
    log,
  })
  for (const [at, entry] of entries.entries()) tracker.add(entry, booted.hashes[at]!)
  const { initialBaseFeeWei, initialBlockGasLimit } = image
  return {
    dir,
    fresh,
    ownedKeys,
    genesis: { initialBaseFeeWei, initialBlockGasLimit },
    archive,
    archiver: createArchiver(archive, journal.served),
    engines,
    onMain,
    door,
    alone,
    head,
    journal,
    pool,
    scratch,
    tracker,
    history,
    grownKb: booted.grownKb,
    record(entry, hashes = []) {
      journal.append(entry)
      tracker.add(entry, hashes)
    },
    async close() {
      await tracker.close()
      journal.close()
      release()
    },
  }
}
