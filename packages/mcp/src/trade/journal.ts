import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import type { SignedTrade } from '@pit/client'

/** What was asked for, in the words of the tool. */
export type Asked = {
  sell: string
  buy: string
  usd: number
  shield?: boolean
  session_id?: string
}

interface Kept {
  clientId: string
  asked: Asked
  /** Counted against the day from here on. */
  microUsd: bigint
  reservedAtMs: number
}
/** One intended trade, and how far it has come. */
export type Entry = Kept &
  (
    | { state: 'reserved' }
    /** Nothing was signed: its dollars are free again. */
    | { state: 'refused'; code: string }
    /** The bytes exist and may have been sent; only they are ever sent for it. */
    | { state: 'signed'; txHash: Hex; signed: SignedTrade }
    | { state: 'mined'; txHash: Hex; block: number; tokenOut: Hex; amountOut: bigint | null }
    | { state: 'reverted'; txHash: Hex }
  )

export interface Journal {
  find(clientId: string): Entry | undefined
  findHash(txHash: string): Entry | undefined
  /** On disk when it returns. */
  write(entry: Entry): void
  /** Micro-dollars reserved after this time by all but one client id. */
  reservedSince(sinceMs: number, exceptClientId: string): bigint
}

/** Keeps one file for each intended trade. One process at a time: whoever opens it holds its lock. */
export function openJournal(folder: string): Journal {
  const entries = new Map<string, Entry>()
  for (const name of readdirSync(folder)) {
    // A draft was never finished: the entry before it counts.
    if (name.endsWith('.draft')) rmSync(join(folder, name), { force: true })
    if (!name.endsWith('.json')) continue
    const entry = parse(readFileSync(join(folder, name), 'utf8'))
    entries.set(entry.clientId, entry)
  }
  return {
    find: (clientId) => entries.get(clientId),
    findHash: (txHash) =>
      [...entries.values()].find((entry) => 'txHash' in entry && entry.txHash === txHash.toLowerCase()),
    write(entry) {
      writeWhole(folder, `${nameOf(entry.clientId)}.json`, print(entry))
      entries.set(entry.clientId, entry)
    },
    reservedSince(sinceMs, exceptClientId) {
      let sum = 0n
      for (const { clientId, state, reservedAtMs, microUsd } of entries.values()) {
        const counts = state !== 'refused' && reservedAtMs > sinceMs && clientId !== exceptClientId
        if (counts) sum += microUsd
      }
      return sum
    },
  }
}

const nameOf = (clientId: string): string => createHash('sha256').update(clientId).digest('hex')

/** The old text or the new one, on disk, whatever dies when. */
function writeWhole(folder: string, name: string, text: string): void {
  const draft = join(folder, `${name}.draft`)
  const file = openSync(draft, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, join(folder, name))
  syncFolder(folder)
}

function syncFolder(folder: string): void {
  // Windows opens no folder; its renames are journalled by the file system.
  if (process.platform === 'win32') return
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

const BIG = /^(\d+)n$/
const print = (entry: Entry): string =>
  `${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))}\n`
const parse = (text: string): Entry =>
  JSON.parse(text, (key, value: unknown) => {
    // Only our own numbers: what a caller wrote stays text.
    const isNumber = key === 'microUsd' || key === 'leastOut' || key === 'amountOut'
    return isNumber && typeof value === 'string' ? BigInt(BIG.exec(value)![1]!) : value
  }) as Entry
