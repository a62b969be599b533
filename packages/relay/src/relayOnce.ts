import type { Hex } from '@pit/chain'
import { lookUntil } from '@pit/platform/clock'
import type { RelayDeps } from './deps.ts'
import type { LateWrites } from './lateWrites.ts'
import type { RelayMetrics } from './metrics.ts'
import type { FollowedRow } from './receipts/types.ts'
import { saysKnown, saysNonce, sendRaw, viewChain } from './sendRaw.ts'
import { claimRefused, followedRow, insertRelaying, markRefused, statusOf } from './tradeRows.ts'
import type { RelayOutcome, RelayRequest, SignedBytes } from './types.ts'

/** Bytes are sent within this time of inserting their row, or not at all: an older row was abandoned. */
export const LEASE_MS = 2_000
/** How long to wait for another process that relays the same bytes. */
const WAIT_MS = 3_000
const WAIT_STEP_MS = 40
/** Chain reads after a refusal: a node lags behind its sequencer. */
const VIEWS = 4
const VIEW_PAUSE_MS = 150
const UNIQUE_VIOLATION = '23505'
/** Blocks without the transaction after which an unexplained refusal counts: it would be in the first. */
const FILTERED_BLOCKS = 5
const FILTERED_WAIT_MS = 3_000
const FILTERED =
  'no reason given, as by the chain’s filter of restricted addresses; sender, target or a transfer may be restricted'

export interface RelayOnce {
  (request: RelayRequest): Promise<RelayOutcome>
  /** Outcome of bytes that were relayed before, without sending. Null if they never were. */
  lookUp(signed: SignedBytes): Promise<RelayOutcome | null>
  /** Whether this process relays these bytes right now. */
  isRelaying(hash: Hex): boolean
  /** Waits for running relays. */
  idle(): Promise<void>
}

type Ms = RelayOutcome['ms']
type Deps = Pick<RelayDeps, 'db' | 'rpc' | 'sequencer' | 'clock' | 'logger'> & {
  late: LateWrites
  counted: RelayMetrics
  /** Called after inserting a row that will have a receipt; null for an older row that is sent again. */
  onWritten(row: FollowedRow | null): void
  /** Called when the sequencer may have taken the bytes of a row. */
  onSent(id: number): void
}

/** Inserts, sends and marks: the same bytes are sent once across all calls and processes. */
export function createRelayOnce(deps: Deps): RelayOnce {
  const { db, rpc, sequencer, clock, logger, late, counted } = deps
  const underWay = new Map<Hex, Promise<RelayOutcome>>()

  async function relayOnce(request: RelayRequest): Promise<RelayOutcome> {
    const { hash } = request.signed
    const other = underWay.get(hash)
    if (other && request.whenInFlight === 'tell') return { kind: 'in_flight', hash, ms: NO_TIME }
    if (other) return asRepeat(await other)
    const own = carry(request).finally(() => underWay.delete(hash))
    underWay.set(hash, own)
    const outcome = await own
    counted.outcome(outcome.kind)
    return outcome
  }

  async function carry(request: RelayRequest): Promise<RelayOutcome> {
    const { hash } = request.signed
    const started = performance.now()
    const outcome = await insertAndSend(request, started)
    if (outcome) return outcome
    // The row exists. Retry if it was refused before; otherwise return its outcome.
    const waitUntil = started + (request.whenInFlight === 'tell' ? 0 : WAIT_MS)
    for (;;) {
      const status = await markedStatus(hash)
      if (status === null) {
        // No such row: its fee paid for another swap. (Or the row was refused and swept just now.)
        return (await insertAndSend(request, performance.now())) ?? feeUsed(request, started)
      }
      if (status === 'refused') {
        const claimedMs = performance.now()
        const claimed = await claimRefused(db, request, clock.nowMs()).catch(feeTaken)
        if (claimed === 'fee taken') return feeUsed(request, started)
        if (claimed !== null) return send(request, { id: claimed, row: null }, claimedMs)
      }
      const outcome = outcomeOf(hash, status, msSince(started))
      if (outcome) return outcome
      if (performance.now() > waitUntil) return { kind: 'in_flight', hash, ms: msSince(started) }
      await clock.sleep(WAIT_STEP_MS)
    }
  }

  async function markedStatus(hash: Hex): ReturnType<typeof statusOf> {
    const status = await statusOf(db, hash)
    // This process may have sent it without marking it yet.
    if (status !== 'relaying') return status
    await late.flush()
    return statusOf(db, hash)
  }

  /** Null if the row, or another swap with its fee, exists. */
  async function insertAndSend(request: RelayRequest, startedMs: number): Promise<RelayOutcome | null> {
    const nowMs = clock.nowMs()
    const id = await insertRelaying(db, request, nowMs)
    return id === null ? null : send(request, { id, row: followedRow(request, id, nowMs) }, startedMs)
  }

  async function send(
    { signed }: RelayRequest,
    { id, row }: { id: number; row: FollowedRow | null },
    startedMs: number,
  ): Promise<RelayOutcome> {
    const { hash } = signed
    const writtenMs = performance.now()
    if (writtenMs - startedMs > LEASE_MS) return tooLate(hash, id, startedMs)
    deps.onWritten(row)
    const answer = await sendRaw(sequencer, signed.raw)
    const ms = { write: writtenMs - startedMs, send: performance.now() - writtenMs }
    if (answer.kind === 'refused') return afterRefusal(signed, id, answer.words, ms)
    if (answer.kind === 'unexplained') {
      const words = await whyFiltered(signed, startedMs + LEASE_MS)
      if (words !== null) return afterRefusal(signed, id, words, ms)
    }
    markSent(id)
    if (answer.kind === 'taken') return { kind: 'sent', hash, ms }
    logger.warn({ hash }, 'no response from the sequencer; the transaction may have arrived')
    return { kind: 'unreachable', hash, ms }
  }

  /**
   * The text of an unexplained refusal if it is certain: the same bytes got the same response twice, and the chain
   * advanced several blocks without them. Null if they may still arrive.
   */
  async function whyFiltered(signed: SignedBytes, untilMs: number): Promise<string | null> {
    const before = await viewChain(rpc, signed)
    if (before === null || before.known || performance.now() > untilMs) return null
    const again = await sendRaw(sequencer, signed.raw)
    if (again.kind === 'refused') return again.words
    if (again.kind !== 'unexplained') return null
    const after = await lookUntil(clock, () => viewChain(rpc, signed), {
      holds: (view) => view === null || view.known || view.head >= before.head + FILTERED_BLOCKS,
      withinMs: FILTERED_WAIT_MS,
      everyMs: VIEW_PAUSE_MS,
    })
    const isAbsent = after !== null && !after.known && after.nonce === before.nonce
    return isAbsent && after.head >= before.head + FILTERED_BLOCKS ? FILTERED : null
  }

  /** A refusal counts only if the chain does not know the bytes, which may have arrived another way. */
  async function afterRefusal(signed: SignedBytes, id: number, words: string, ms: Ms): Promise<RelayOutcome> {
    const { hash, nonce } = signed
    let view = await viewChain(rpc, signed)
    for (let i = 1; i < VIEWS && view && !view.known; i++) {
      await clock.sleep(VIEW_PAUSE_MS)
      view = await viewChain(rpc, signed)
    }
    if (view === null) {
      markSent(id)
      return { kind: 'unreachable', hash, ms }
    }
    if (view.known || saysKnown(words)) {
      markSent(id)
      return { kind: 'sent', hash, ms }
    }
    if (!(await markRefused(db, id, 'SUBMIT_REJECTED'))) {
      const outcome = outcomeOf(hash, (await statusOf(db, hash)) ?? 'refused', ms)
      if (outcome) return outcome
    }
    return rejected(hash, 'sequencer', words, ms, { nonceSpent: view.nonce > nonce })
  }

  function markSent(id: number): void {
    deps.onSent(id)
    late.pending(id)
  }

  async function tooLate(hash: Hex, id: number, startedMs: number): Promise<RelayOutcome> {
    logger.warn({ hash }, 'the insert was too slow to send the transaction')
    await markRefused(db, id, 'LIVE_UNAVAILABLE')
    return rejected(hash, 'late', 'the store was too slow, so nothing was sent', msSince(startedMs))
  }
  const feeUsed = ({ signed }: RelayRequest, startedMs: number): RelayOutcome =>
    rejected(signed.hash, 'fee_used', 'its fee already paid for another swap', msSince(startedMs))

  async function lookUp({ hash }: SignedBytes): Promise<RelayOutcome | null> {
    const other = underWay.get(hash)
    if (other) return asRepeat(await other)
    const started = performance.now()
    const status = await lookUntil(clock, () => markedStatus(hash), {
      holds: (seen) => seen !== 'relaying',
      withinMs: WAIT_MS,
      everyMs: WAIT_STEP_MS,
    })
    if (status === null || status === 'refused') return null
    const ms = msSince(started)
    return outcomeOf(hash, status, ms) ?? { kind: 'in_flight', hash, ms }
  }

  return Object.assign(relayOnce, {
    lookUp,
    isRelaying: (hash: Hex) => underWay.has(hash),
    idle: async () => {
      await Promise.allSettled(underWay.values())
    },
  })
}

const NO_TIME: Ms = { write: 0, send: 0 }
const msSince = (startedMs: number): Ms => ({ write: performance.now() - startedMs, send: 0 })

const asRepeat = (outcome: RelayOutcome): RelayOutcome =>
  outcome.kind === 'sent'
    ? { kind: 'repeat', status: 'pending', hash: outcome.hash, ms: outcome.ms }
    : outcome

/** The recorded outcome for repeated bytes; undefined while undecided. */
function outcomeOf(
  hash: Hex,
  status: NonNullable<Awaited<ReturnType<typeof statusOf>>>,
  ms: Ms,
): RelayOutcome | undefined {
  if (status === 'relaying' || status === 'refused') return undefined
  if (status === 'dropped') {
    return rejected(hash, 'dropped', 'it was relayed before and has not reached the chain', ms)
  }
  return { kind: 'repeat', status, hash, ms }
}

function rejected(
  hash: Hex,
  reason: Extract<RelayOutcome, { kind: 'rejected' }>['reason'],
  words: string,
  ms: Ms,
  { nonceSpent = null }: { nonceSpent?: boolean | null } = {},
): RelayOutcome {
  const nonceRefused = reason === 'sequencer' && saysNonce(words)
  return { kind: 'rejected', reason, words, hash, ms, nonceRefused, nonceSpent }
}

/** The only unique constraint a claimed row can violate: one fee pays for one swap. */
function feeTaken(error: unknown): 'fee taken' {
  if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return 'fee taken'
  throw error
}
