import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import type { SignedTrade } from '@pit/client'
import { ToolRefusal } from '../refusal.ts'
import { writeWhole } from '../writeWhole.ts'

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
    /** Nothing was signed, or what was signed can no longer trade: its dollars are free again. */
    | { state: 'refused'; code: string }
    /** The bytes exist and may have been sent; only they are ever sent for it. */
    | { state: 'signed'; txHash: Hex; signed: SignedTrade }
    | { state: 'mined'; txHash: Hex; block: number; tokenOut: Hex; amountOut: bigint | null }
    | { state: 'reverted'; txHash: Hex }
  )

export interface Journal {
  /** Makes this process the only writer from here on; refuses while another one is. */
  claim(): void
  find(clientId: string): Entry | undefined
  findHash(txHash: string): Entry | undefined
  /** On disk when it returns. Only for whoever claimed it. */
  write(entry: Entry): void
  /** Micro-dollars reserved after this time by all but one client id. */
  reservedSince(sinceMs: number, exceptClientId: string): bigint
}

/** So long the same client id never trades twice. What is still open is kept for ever. */
const KEPT_MS = 90 * 86_400_000

/** Keeps one file for each intended trade. `takeLock` answers the process that has it already, if one has. */
export function openJournal(
  folder: string,
  takeLock: () => number | null,
  nowMs: () => number = Date.now,
): Journal {
  // Whoever claimed it knows every entry; others read what stands on disk now.
  let claimed: Map<string, Entry> | null = null
  const entries = (): Map<string, Entry> => claimed ?? readAll(folder)
  return {
    claim() {
      if (claimed) return
      const holder = takeLock()
      if (holder !== null)
        throw new ToolRefusal(
          'ANOTHER_SERVER',
          `Process ${holder} already trades for this wallet through its own MCP server; only one may.`,
          'Trade there, or end that server first.',
        )
      claimed = readAll(folder)
      sweep(folder, claimed, nowMs() - KEPT_MS)
    },
    find: (clientId) => entries().get(clientId),
    findHash: (txHash) =>
      [...entries().values()].find((entry) => 'txHash' in entry && entry.txHash === txHash.toLowerCase()),
    write(entry) {
      if (!claimed) throw new TypeError('the journal is not claimed')
      writeWhole(folder, `${nameOf(entry.clientId)}.json`, print(entry))
      claimed.set(entry.clientId, entry)
    },
    reservedSince(sinceMs, exceptClientId) {
      let sum = 0n
      for (const { clientId, state, reservedAtMs, microUsd } of entries().values()) {
        const counts = state !== 'refused' && reservedAtMs > sinceMs && clientId !== exceptClientId
        if (counts) sum += microUsd
      }
      return sum
    },
  }
}

function sweep(folder: string, entries: Map<string, Entry>, beforeMs: number): void {
  for (const { clientId, state, reservedAtMs } of entries.values()) {
    if (state === 'reserved' || state === 'signed' || reservedAtMs >= beforeMs) continue
    rmSync(join(folder, `${nameOf(clientId)}.json`), { force: true })
    entries.delete(clientId)
  }
}

/** A draft was never finished: the entry before it counts. */
function readAll(folder: string): Map<string, Entry> {
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const entries = files.map((name) => parse(readFileSync(join(folder, name), 'utf8')))
  return new Map(entries.map((entry) => [entry.clientId, entry]))
}

const nameOf = (clientId: string): string => createHash('sha256').update(clientId).digest('hex')

const BIG = /^(\d+)n$/
const BIGINT_FIELDS: ReadonlySet<string> = new Set(['microUsd', 'leastOut', 'atoms', 'amountOut'])
const print = (entry: Entry): string =>
  `${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))}\n`
const parse = (text: string): Entry =>
  JSON.parse(text, (key, value: unknown) => {
    // Only our own numbers: what a caller wrote stays text.
    return BIGINT_FIELDS.has(key) && typeof value === 'string' ? BigInt(BIG.exec(value)![1]!) : value
  }) as Entry
