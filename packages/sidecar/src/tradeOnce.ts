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
    /** A list of orders that may have been placed: the same request is the same list. */
    | { is: 'placing'; request: object }
    | { is: 'placed'; result: unknown }
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

export interface OnceOrders extends Omit<OnceRequest, 'run'> {
  /** Everything that decides the list, its nonce included. Signs nothing. */
  request(): Promise<object>
  place(request: object): Promise<unknown>
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

  /** The co-signer registers a list once, however often it is placed. */
  async function placeList(
    base: Omit<Entry, 'state'>,
    request: object,
    place: OnceOrders['place'],
  ): Promise<unknown> {
    const result = toSnake(await place(request))
    write({ ...base, state: { is: 'placed', result } })
    return result
  }

  async function placeNew({ clientId, request, place }: OnceOrders, requestHash: string): Promise<unknown> {
    const base = { clientId, requestHash, atMs: nowMs() }
    const list = await request()
    write({ ...base, state: { is: 'placing', request: list } })
    return placeList(base, list, place)
  }

  async function finishList({ state, ...base }: Entry, { place }: OnceOrders): Promise<unknown> {
    if (state.is === 'placed') return state.result
    if (state.is === 'placing') return placeList(base, state.request, place)
    throw reused()
  }

  async function finish(entry: Entry): Promise<unknown> {
    const { state, ...base } = entry
    if (state.is === 'mined') return state.result
    if (state.is === 'failed') throw new EarlierFailure(state)
    if (state.is !== 'signed') throw reused()
    return settle(
      base,
      () => true,
      () => client.resume(revive(state.signed)),
    )
  }

  /** Joins the same request while it runs, and continues one that an earlier call began. */
  async function once(
    { verb, clientId, input }: Omit<OnceRequest, 'run'>,
    begin: (requestHash: string) => Promise<unknown>,
    proceed: (entry: Entry) => Promise<unknown>,
  ): Promise<unknown> {
    claim()
    const requestHash = sha256(canonicalJson({ verb, input } as unknown as Json))
    const current = running.get(clientId)
    if (current) {
      if (current.requestHash !== requestHash) throw reused()
      return current.done
    }
    const entry = readEntry(join(folder, fileOf(clientId)))
    if (entry && entry.requestHash !== requestHash) throw reused()
    const done = (entry ? proceed(entry) : begin(requestHash)).finally(() => running.delete(clientId))
    running.set(clientId, { requestHash, done })
    return done
  }

  return {
    run: (request: OnceRequest) => once(request, (hash) => runNew(request, hash), finish),
    /** Places a list of orders at most once per client_id. */
    place: (orders: OnceOrders) =>
      once(
        orders,
        (hash) => placeNew(orders, hash),
        (entry) => finishList(entry, orders),
      ),
  }
}

const reused = () =>
  new SidecarFault(
    'CLIENT_ID_REUSED',
    'This client_id belongs to another trade or list of orders.',
    'client_id',
  )

/** Final: the own node shows that it reverted or can no longer be mined. Anything else stays open. */
const tradedNothing = (fate: Fate | null): boolean =>
  fate?.state === 'dead' || (fate?.state === 'mined' && fate.reverted)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const readEntry = (file: string): Entry | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Entry) : null

function sweep(folder: string, beforeMs: number): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const entry = readEntry(join(folder, name))
    const isOpen = entry?.state.is === 'signed' || entry?.state.is === 'placing'
    if (entry && !isOpen && entry.atMs < beforeMs) rmSync(join(folder, name))
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
