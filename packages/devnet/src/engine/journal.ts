import type { Entry } from './entries.ts'
import { type Generation, sweepGenerations } from './generation.ts'
import type { EngineSettings } from './image.ts'
import { rpcFailure } from './provider.ts'
import { settingsAfter } from './settings.ts'
import type { BlockJson, Log } from './types.ts'

/** The generation in use: its log on disk and the settings that result from it. */
export interface Journal {
  /** Halts the chain if the log cannot be written. */
  append(entry: Entry): void
  /** Number of the block before the engine's first. */
  base(): number
  /** The block as clients see it: the first one of an engine has the archived one as its parent. */
  served(block: BlockJson): BlockJson
  settings(): EngineSettings
  /** Continues in another generation. */
  switchTo(generation: Generation): void
  /** Removes the files of older generations. */
  sweep(): void
  /** From now on nothing is mined or answered; a restart continues from the log. */
  halt(why: string): Error
  isHalted(): boolean
  throwIfHalted(): void
  bytes(): number
  close(): void
}

interface JournalInput {
  dir: string
  generation: Generation
  settings: EngineSettings
  log: Log
}

export function createJournal({ dir, log, ...start }: JournalInput): Journal {
  let { generation, settings } = start
  let halted: Error | undefined
  const base = () => generation.image.base.number
  const halt = (why: string) => {
    halted ??= rpcFailure(-32603, `the chain has halted: ${why}. Restart it: it continues from its log`)
    log('the chain has halted', { why })
    return halted
  }
  return {
    append(entry) {
      try {
        generation.wal.append(entry)
      } catch (error) {
        throw halt(`its log cannot be written (${String(error)})`)
      }
      settings = settingsAfter(settings, entry)
    },
    base,
    served: (block) =>
      base() > 0 && Number(block.number) === base() + 1
        ? { ...block, parentHash: generation.image.base.hash }
        : block,
    settings: () => settings,
    switchTo(next) {
      generation.wal.close()
      generation = next
    },
    sweep: () => sweepGenerations(dir, base()),
    halt,
    isHalted: () => halted !== undefined,
    throwIfHalted() {
      if (halted) throw halted
    },
    bytes: () => generation.wal.bytes(),
    close: () => generation.wal.close(),
  }
}
