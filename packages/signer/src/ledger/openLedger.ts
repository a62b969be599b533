import type { Address, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import {
  fromWireDelegation,
  type RootStatus,
  toWireDelegation,
  type WireDelegation,
} from '@pit/platform/signerCalls'
import { fail, type SessionBinding } from '@pit/protocol'
import { findExecutor } from '../executors/store.ts'
import type { Executor } from '../executors/types.ts'
import { createBatch } from './batch.ts'
import { countLeaves, DAY_MS } from './countLeaves.ts'
import type { LeafAsk, LeafVerdict, RegisterOutcome, StoredRoot } from './types.ts'

export type Ledger = ReturnType<typeof openLedger>

/** Leaves in one transaction. */
const MAX_BATCH = 128
const MAX_WAITING = 2_048
/** Longer than that the price a leaf was judged by is old. */
const MAX_WAIT_MS = 5_000

interface RootRow {
  hash: Hex
  session_id: string
  wallet: Address
  executor: Address
  binding: SessionBinding
  root: WireDelegation
  curve_roots: WireDelegation[]
  curve_tokens: Record<Address, Address>
}

/** Roots, leaves, revocations and the freeze, in the signer's own store. */
export function openLedger({ db, clock }: { db: Db; clock: Clock }) {
  const batch = createBatch<LeafAsk, LeafVerdict>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    run: (asks) => againIfInTheWay(() => countLeaves(db, asks, clock.nowMs())),
  })

  return {
    /** Committed when it resolves with ok: only then may a signature leave. */
    countLeaf: batch.ask,

    register: (stored: StoredRoot): Promise<RegisterOutcome> =>
      db.transaction((sql) => insertRoot(sql, stored, clock.nowMs())),

    async load(hash: Hex): Promise<StoredRoot | null> {
      const [row] = await db.query<RootRow>(
        'select hash, session_id, binding, root, curve_roots, curve_tokens from roots where hash = $1',
        [hash],
      )
      return row ? storedRoot(row) : null
    },

    /** Also one that was never registered: it never will be. Answers when it was revoked, the first time. */
    revoke: (hash: Hex): Promise<number> =>
      db.transaction(async (sql) => {
        // Waits for leaves under way: what comes after it sees it.
        await sql.query('select hash from roots where hash = $1 for update', [hash])
        await sql.query('insert into revocations values ($1, $2) on conflict do nothing', [
          hash,
          clock.nowMs(),
        ])
        const [row] = await sql.query<{ at: number }>(
          'select revoked_at_ms as at from revocations where root_hash = $1',
          [hash],
        )
        return row!.at
      }),

    async status(hash: Hex): Promise<RootStatus | null> {
      const nowMs = clock.nowMs()
      const [row] = await db.query<
        RootRow & { at: number; sequence: number; revoked: number | null; day: string }
      >(
        `select hash, session_id, wallet, executor, binding, registered_at_ms as at, sequence,
           (select revoked_at_ms from revocations where root_hash = hash) as revoked,
           (select coalesce(sum(micro_usd), 0)::text from leaves where root_hash = hash and signed_at_ms > $2) as day
         from roots where hash = $1`,
        [hash, nowMs - DAY_MS],
      )
      if (!row) return null
      const { binding, sequence, revoked, day } = row
      const { max_trades, max_day_micro_usd } = binding.limits
      const ended = nowMs >= binding.expires_at * 1000
      return {
        root_hash: row.hash,
        session_id: row.session_id,
        wallet: row.wallet,
        executor: row.executor,
        binding_version: binding.version,
        status: revoked !== null ? 'revoked' : ended ? 'expired' : 'active',
        registered_at: Math.floor(row.at / 1000),
        expires_at: binding.expires_at,
        revoked_at: revoked === null ? null : Math.floor(revoked / 1000),
        sequence,
        spend: {
          trades: sequence,
          trades_left: max_trades - sequence,
          day_micro_usd: Number(day),
          day_left_micro_usd: max_day_micro_usd - Number(day),
        },
      }
    },

    /** The hosted executor of this address; null when it is anybody's. */
    hostedExecutor: (address: Address): Promise<Executor | null> => findExecutor(db, address),

    isFrozen: () => readFrozen(db),

    setFrozen: (frozen: boolean, callNonce: string): Promise<void> =>
      db.transaction(async (sql) => {
        const added = await sql.query(
          'insert into freezes values ($1, $2, $3) on conflict do nothing returning frozen',
          [callNonce, frozen, clock.nowMs()],
        )
        if (added.length === 0) fail('UNAUTHORIZED', { message: 'This very call was answered before.' })
        await sql.query('update state set frozen = $1 where id = 1', [frozen])
      }),

    close: batch.idle,
  }
}

/** Rolled back because two waited for each other: nothing was counted. */
const IN_THE_WAY = ['40P01', '40001']
const MOST_TRIES = 5

async function againIfInTheWay<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (tries >= MOST_TRIES || typeof code !== 'string' || !IN_THE_WAY.includes(code)) throw error
    }
  }
}

/** Inside a transaction a freeze waits for it, and what comes after sees the freeze. */
export async function readFrozen(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ frozen: boolean }>('select frozen from state where id = 1 for share')
  return row!.frozen
}

async function insertRoot(sql: Sql, stored: StoredRoot, atMs: number): Promise<RegisterOutcome> {
  const { hash, sessionId, binding, root, curveRoots, curveTokens } = stored
  if (await readFrozen(sql)) return 'frozen'
  // Whoever closes the executor waits for this, or this sees it closed.
  const hosted = await findExecutor(sql, binding.executor, 'share')
  if (hosted && hosted.closedAtMs !== null) return 'closed'
  const added = await sql.query(
    `insert into roots (hash, session_id, wallet, executor, binding, binding_nonce, root, curve_roots, curve_tokens,
       registered_at_ms)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning hash`,
    [
      hash,
      sessionId,
      binding.wallet,
      binding.executor,
      JSON.stringify(binding),
      binding.nonce,
      JSON.stringify(toWireDelegation(root)),
      JSON.stringify(curveRoots.map(toWireDelegation)),
      JSON.stringify(curveTokens),
      atMs,
    ],
  )
  if (added.length === 0) {
    const same = await sql.query('select from roots where hash = $1', [hash])
    return same.length > 0 ? 'reused' : 'nonce used'
  }
  const revoked = await sql.query('select from revocations where root_hash = $1', [hash])
  if (revoked.length === 0) return 'registered'
  await sql.query('delete from roots where hash = $1', [hash])
  return 'revoked'
}

function storedRoot(row: RootRow): StoredRoot {
  const delegation = (wire: WireDelegation) => {
    const read = fromWireDelegation(wire)
    if (!read) throw new Error(`the stored root ${row.hash} is no delegation`)
    return read
  }
  return {
    hash: row.hash,
    sessionId: row.session_id,
    binding: row.binding,
    root: delegation(row.root),
    curveRoots: row.curve_roots.map(delegation),
    curveTokens: row.curve_tokens,
  }
}
