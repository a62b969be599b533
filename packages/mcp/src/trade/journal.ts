import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import type { OrderIntent, SignedTrade } from '@pit/client'
import { DAY_MS } from '@pit/protocol'
import { writeWhole } from '@pit/sidecar'
import { ToolRefusal } from '../refusal.ts'

/** The requested trade; stored, so names must not change. */
export type TradeIntent = {
  sell: string
  buy: string
  usd: number
  shield?: boolean
  session_id?: string
  /** Whose session it is, as the caller named it. */
  wallet?: string
  /** Of a signed order: its kind, prices and times as requested. */
  order?: { [field: string]: string | number }
}

/** Everything that decides an order's list. */
export interface StoredOrder {
  agentId: string
  nonce: Hex
  orders: readonly OrderIntent[]
}

interface Reservation {
  clientId: string
  asked: TradeIntent
  /** Counts against the daily limit from the reservation on. */
  microUsd: bigint
  reservedAtMs: number
}
/** One intended trade and its state. */
export type Entry = Reservation &
  (
    | { state: 'reserved' }
    /** Nothing was signed, or the signed transaction can no longer execute: the reservation is released. */
    | { state: 'refused'; code: string }
    /** Signed and perhaps sent; only this transaction is ever sent for the trade. */
    | { state: 'signed'; txHash: Hex; signed: SignedTrade }
    | { state: 'mined'; txHash: Hex; block: number; tokenOut: Hex; amountOut: bigint | null }
    | { state: 'reverted'; txHash: Hex }
    /** A signed order: its list is repeated byte for byte until the co-signer has confirmed it. */
    | { state: 'ordered'; request: StoredOrder; ids: readonly Hex[] | null }
  )

export interface Journal {
  /** Makes this process the only writer; throws while another process is. */
  claim(): void
  find(clientId: string): Entry | undefined
  findHash(txHash: string): Entry | undefined
  /** Durable when it returns. Only after `claim`. */
  write(entry: Entry): void
  /** Micro-dollars reserved after this time, except by one client id. */
  reservedSince(sinceMs: number, exceptClientId: string): bigint
}

/** How long a client id never trades twice. Open trades are kept forever. */
const RETENTION_MS = 90 * DAY_MS

/** Stores one file per intended trade. `takeLock` returns the pid of the current holder, or null. */
export function openJournal(
  folder: string,
  takeLock: () => number | null,
  nowMs: () => number = Date.now,
): Journal {
  // The claiming process has all entries in memory; others read them from disk.
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
          'Trade through that server, or stop it first.',
        )
      claimed = readAll(folder)
      sweep(folder, claimed, nowMs() - RETENTION_MS)
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

/** Ignores unfinished drafts, so that the previous entry counts. */
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
    // Only our own numbers; a caller's text stays text.
    return BIGINT_FIELDS.has(key) && typeof value === 'string' ? BigInt(BIG.exec(value)![1]!) : value
  }) as Entry
