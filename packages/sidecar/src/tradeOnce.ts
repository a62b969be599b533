import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Fate, isRefusal, type PitClient, type SignedTrade } from '@pit/client'
import { canonicalJson, DAY_MS, type Json } from '@pit/protocol'
import { SidecarFault } from './fault.ts'
import { toSnake } from './names.ts'
import { writeWhole } from './writeWhole.ts'

/** A trade by its client_id. Stored, so names must not change. */
interface Entry {
  clientId: string
  /** Of the verb and its input: a client_id names one trade. */
  requestHash: string
  atMs: number
  state:
    | { is: 'signed'; signed: StoredTrade }
    | { is: 'mined'; result: unknown }
    | { is: 'failed'; code: string; message: string; details: unknown; fate?: FateFields }
}
/** A fate as it was stored. */
type FateFields = { readonly [field: string]: unknown }
/** `SignedTrade` with bigint values as text. */
type StoredTrade = { [field: string]: unknown }

/** How long a client_id never trades twice. Undecided trades are never deleted. */
const RETENTION_MS = 90 * DAY_MS

export interface OnceDeps {
  client: Pick<PitClient, 'resume'>
  folder: string
  /** Makes this process the only one that trades from the folder; returns the pid of another holder. */
  takeLock(): number | null
  nowMs(): number
}

export interface OnceRequest {
  verb: string
  clientId: string
  input: object
  /** Signs and sends. Must call `onSigned` before any signed byte leaves. */
  run(onSigned: (signed: SignedTrade) => void): Promise<unknown>
}

/** The result was decided by an earlier call with this client_id. */
export class EarlierFailure extends Error {
  readonly code: string
  readonly details: unknown
  readonly fate: FateFields | null
  constructor({ code, message, details, fate }: Extract<Entry['state'], { is: 'failed' }>) {
    super(message)
    this.code = code
    this.details = details
    this.fate = fate ?? null
  }
}

/**
 * Runs a trade at most once per client_id. The signed transactions are on disk before they are sent: a retry, also
 * after a crash, returns the stored result or finishes the same transactions.
 */
export function openTradeOnce({ client, folder, takeLock, nowMs }: OnceDeps) {
  const running = new Map<string, { requestHash: string; done: Promise<unknown> }>()
  let isClaimed = false

  function claim(): void {
    if (isClaimed) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const holder = takeLock()
    if (holder !== null)
      throw new SidecarFault('ANOTHER_PROCESS', `Process ${holder} already trades for this wallet.`)
    isClaimed = true
    sweep(folder, nowMs() - RETENTION_MS)
  }
  const fileOf = (clientId: string): string => `${sha256(clientId)}.json`
  const write = (entry: Entry): void =>
    writeWhole(folder, fileOf(entry.clientId), `${JSON.stringify(entry, bigintAsText)}\n`)

  async function runNew({ run, ...request }: OnceRequest, requestHash: string): Promise<unknown> {
    const { clientId } = request
    const base = { clientId, requestHash, atMs: nowMs() }
    let isSigned = false
    return settle(
      base,
      () => isSigned,
      () =>
        run((signed) => {
          write({ ...base, state: { is: 'signed', signed: signed as unknown as StoredTrade } })
          isSigned = true
        }),
    )
  }

  async function settle(
    base: Omit<Entry, 'state'>,
    isSigned: () => boolean,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    try {
      const result = toSnake(await work())
      write({ ...base, state: { is: 'mined', result } })
      return result
    } catch (error) {
      if (isSigned() && isRefusal(error) && tradedNothing(error.fate)) {
        const { code, message, details, fate } = error
        write({
          ...base,
          state: { is: 'failed', code, message, details: toSnake(details), fate: { ...fate } },
        })
      }
      throw error
    }
  }

  async function finish(entry: Entry): Promise<unknown> {
    const { state, ...base } = entry
    if (state.is === 'mined') return state.result
    if (state.is === 'failed') throw new EarlierFailure(state)
    return settle(
      base,
      () => true,
      () => client.resume(revive(state.signed)),
    )
  }

  return {
    async run(request: OnceRequest): Promise<unknown> {
      claim()
      const { verb, clientId, input } = request
      const requestHash = sha256(canonicalJson({ verb, input } as unknown as Json))
      const other = () =>
        new SidecarFault('CLIENT_ID_REUSED', 'This client_id belongs to another trade.', 'client_id')
      const current = running.get(clientId)
      if (current) {
        if (current.requestHash !== requestHash) throw other()
        return current.done
      }
      const entry = readEntry(join(folder, fileOf(clientId)))
      if (entry && entry.requestHash !== requestHash) throw other()
      const done = (entry ? finish(entry) : runNew(request, requestHash)).finally(() =>
        running.delete(clientId),
      )
      running.set(clientId, { requestHash, done })
      return done
    },
  }
}

/** Final: the own node shows that it reverted or can no longer be mined. Anything else stays open. */
const tradedNothing = (fate: Fate | null): boolean =>
  fate?.state === 'dead' || (fate?.state === 'mined' && fate.reverted)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const readEntry = (file: string): Entry | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Entry) : null

function sweep(folder: string, beforeMs: number): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const entry = readEntry(join(folder, name))
    if (entry && entry.state.is !== 'signed' && entry.atMs < beforeMs) rmSync(join(folder, name))
  }
}

const BIGINT = /^(\d+)n$/
const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Our own numbers only: every other text of a signed trade is hexadecimal. */
const revive = (stored: StoredTrade): SignedTrade =>
  JSON.parse(JSON.stringify(stored), (_, value: unknown) => {
    const digits = typeof value === 'string' ? BIGINT.exec(value)?.[1] : undefined
    return digits === undefined ? value : BigInt(digits)
  }) as SignedTrade
