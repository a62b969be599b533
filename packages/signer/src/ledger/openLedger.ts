import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Address, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { type Db, type Migration, mayRunAgain, migrate, readMigrations, type Sql } from '@pit/platform/db'
import { StartRefused } from '@pit/platform/settings'
import { fail, type SessionBinding } from '@pit/protocol'
import { fromWireDelegation, type RootStatus, toWireDelegation, type WireDelegation } from '@pit/signer-wire'
import { findExecutor } from '../executors/store.ts'
import type { Executor } from '../executors/types.ts'
import type { Session } from '../roots/readRoots.ts'
import { createBatch } from './batch.ts'
import { countLeaves, SPEND_WINDOW_MS } from './countLeaves.ts'
import type { LeafRequest, LeafVerdict, NamedLeaf, RegisterOutcome, StoredRoot } from './types.ts'

export type Ledger = ReturnType<typeof openLedger>

/** Leaves in one transaction. */
const MAX_BATCH = 128
const MAX_WAITING = 2_048
/** After a longer wait the price a leaf was judged by would be old. */
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

interface NamedRow {
  sequence: number
  micro_usd: number
  signed_at_ms: number
  execution_hash: string
  trades: number
  frozen: boolean
  revoked: boolean
  day: number
}

/** Roots, leaves, revocations and the freeze, in the signer's own store. */
export function openLedger({ db, clock }: { db: Db; clock: Clock }) {
  const batch = createBatch<LeafRequest, LeafVerdict>({
    maxItems: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    nowMs: () => performance.now(),
    run: (asks) => retryOnDeadlock(() => countLeaves(db, asks, clock.nowMs())),
  })

  return {
    /** Committed when it resolves with ok: only then may a signature be returned. */
    countLeaf: batch.submit,

    /** Null if nothing was co-signed with this client_id. */
    async findLeaf(
      { rootHash, binding: { limits } }: Pick<Session, 'rootHash' | 'binding'>,
      clientId: string,
    ): Promise<NamedLeaf | null> {
      const [row] = await db.query<NamedRow>(
        `select l.sequence, l.micro_usd, l.signed_at_ms, l.execution_hash, roots.sequence as trades,
           (select frozen from state where id = 1) as frozen,
           exists (select from revocations where root_hash = $1) as revoked,
           (select coalesce(sum(micro_usd), 0)::int8 from leaves
            where root_hash = $1 and signed_at_ms > $3) as day
         from leaves l join roots on roots.hash = l.root_hash where l.root_hash = $1 and l.client_id = $2`,
        [rootHash, clientId, clock.nowMs() - SPEND_WINDOW_MS],
      )
      if (!row) return null
      const { sequence, micro_usd, signed_at_ms: atMs, execution_hash: executionHash, trades, day } = row
      return {
        sequence,
        atMs,
        executionHash,
        frozen: row.frozen,
        revoked: row.revoked,
        spend: {
          trades,
          trades_left: limits.max_trades - trades,
          day_micro_usd: day,
          day_left_micro_usd: limits.max_day_micro_usd - day,
          this_micro_usd: micro_usd,
        },
      }
    },

    register: (stored: StoredRoot): Promise<RegisterOutcome> =>
      db.transaction((sql) => insertRoot(sql, stored, clock.nowMs())),

    async load(hash: Hex): Promise<StoredRoot | null> {
      const [row] = await db.query<RootRow>(
        'select hash, session_id, binding, root, curve_roots, curve_tokens from roots where hash = $1',
        [hash],
      )
      return row ? storedRoot(row) : null
    },

    /** Also a root that was never registered, which then never can be. Returns when it was first revoked. */
    revoke: (hash: Hex): Promise<number> =>
      db.transaction(async (sql) => {
        // Waits for leaves in progress; later ones see the revocation.
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
           (select coalesce(sum(micro_usd), 0)::text from leaves
            where root_hash = hash and signed_at_ms > $2) as day
         from roots where hash = $1`,
        [hash, nowMs - SPEND_WINDOW_MS],
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

    /** The hosted executor of this address; null when the signer does not hold its key. */
    hostedExecutor: (address: Address): Promise<Executor | null> => findExecutor(db, address),

    isFrozen: () => readFrozen(db),

    setFrozen: (frozen: boolean, callNonce: string): Promise<void> =>
      db.transaction(async (sql) => {
        const added = await sql.query(
          'insert into freezes values ($1, $2, $3) on conflict do nothing returning frozen',
          [callNonce, frozen, clock.nowMs()],
        )
        if (added.length === 0) fail('UNAUTHORIZED', { message: 'Duplicate request.' })
        await sql.query('update state set frozen = $1 where id = 1', [frozen])
      }),

    close: batch.idle,
  }
}

const MAX_TRIES = 5

/** A deadlock rolled the batch back. Retried without a pause, because a leaf's price ages. */
async function retryOnDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (tries >= MAX_TRIES || !mayRunAgain(error)) throw error
    }
  }
}

/**
 * Locks the freeze flag: a freeze waits for this transaction, and later ones see it. A ledger that was
 * restored from a backup counts as frozen until its operator accepts it.
 */
export async function readFrozen(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ frozen: boolean }>(
    'select frozen or not ledger_is_home() as frozen from state where id = 1 for share',
  )
  return row!.frozen
}

async function insertRoot(sql: Sql, stored: StoredRoot, atMs: number): Promise<RegisterOutcome> {
  const { hash, sessionId, binding, root, curveRoots, curveTokens } = stored
  if (await readFrozen(sql)) return 'frozen'
  // Locked: closing the executor waits for this transaction, or this sees it closed.
  const hosted = await findExecutor(sql, binding.executor, 'share')
  if (hosted && hosted.closedAtMs !== null) return 'closed'
  const added = await sql.query(
    `insert into roots (hash, session_id, wallet, executor, binding, binding_nonce, root, curve_roots,
       curve_tokens, registered_at_ms)
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
    if (!read) throw new Error(`the stored root ${row.hash} is not a delegation`)
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

/** Applies the migrations that are missing and returns how many; refuses the server's store. */
export async function migrateLedger(db: Db): Promise<number> {
  const [row] = await db.query<{ found: string | null }>(
    `select coalesce(to_regclass('plans'), to_regclass('api_keys'))::text as found`,
  )
  // An attacker who controls the server must not be able to write the signer's ledger.
  if (row?.found != null) {
    throw new StartRefused(
      `the signer’s store holds the server’s table ${row.found}: ` +
        'set SIGNER_DATABASE_URL to a separate database',
    )
  }
  return migrate(db, ledgerMigrations())
}

export const ledgerMigrations = (): Migration[] => readMigrations(directory())

/** Next to the running bundle (dist/ or dist/bench/), or in the source. */
function directory(): string {
  const folders = ['./signerMigrations', '../signerMigrations', '../migrations'].map((folder) =>
    fileURLToPath(new URL(folder, import.meta.url)),
  )
  const folder = folders.find(existsSync)
  if (!folder) throw new Error(`no migrations beside this program: ${folders.join(', ')}`)
  return folder
}
