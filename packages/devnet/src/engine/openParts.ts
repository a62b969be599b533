import { publicAccounts } from './accounts.ts'
import type { Archive } from './archive.ts'
import { type Archiver, createArchiver } from './archiver.ts'
import { bootEngine, bootEngines, worldAt } from './boot.ts'
import { type ChainHead, createChainHead, headOfImage } from './chainHead.ts'
import { createEngines, type Engines } from './engines.ts'
import type { Entry } from './entries.ts'
import { createJournal, type Journal } from './journal.ts'
import { openDisk } from './openDisk.ts'
import { createPool, type Pool } from './pool.ts'
import { createShadow, type Shadow } from './shadow.ts'
import type { Log } from './types.ts'

/** The parts of a chain that are restored from disk; each owns its state. */
export interface ChainParts {
  dir: string
  fresh: boolean
  ownedKeys: string[]
  genesis: { initialBaseFeeWei: string; initialBlockGasLimit: string }
  archive: Archive
  archiver: Archiver
  engines: Engines
  head: ChainHead
  journal: Journal
  pool: Pool
  shadow: Shadow
  /** Growth of the main engine by the replayed blocks. */
  grownKb: number
  /** Logs an entry and passes it on to the shadow. */
  record(entry: Entry): void
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
  const booted = await bootEngines({ image, entries, archive, ownedKeys }).catch((error) => {
    generation.wal.close()
    release()
    throw error
  })

  const engines = createEngines(booted.main, keepStateBlocks)
  const journal = createJournal({ dir, generation, settings: booted.settings, log })
  const head = createChainHead(journal.served(booted.headBlock), entries)
  const shadow = createShadow({
    engine: booted.shadow,
    head: headOfImage(image, head.block()),
    world: worldAt(image),
    log,
    async rebuild(count) {
      const stored = journal.readBack()
      return {
        engine: await bootEngine('shadow', stored.image, ownedKeys),
        head: headOfImage(stored.image, head.block()),
        world: worldAt(stored.image),
        entries: stored.entries.slice(0, count),
      }
    },
  })
  for (const entry of entries) shadow.mirror(entry)
  const { initialBaseFeeWei, initialBlockGasLimit } = image
  return {
    dir,
    fresh,
    ownedKeys,
    genesis: { initialBaseFeeWei, initialBlockGasLimit },
    archive,
    archiver: createArchiver(archive, journal.served),
    engines,
    head,
    journal,
    pool: createPool(),
    shadow,
    grownKb: booted.grownKb,
    record(entry) {
      journal.append(entry)
      shadow.mirror(entry)
    },
    async close() {
      await shadow.close()
      journal.close()
      release()
    },
  }
}
