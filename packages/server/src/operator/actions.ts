import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { TREASURY_BUCKETS } from '@pit/protocol'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { writeSwitch } from '../features/operator/index.ts'
import { listActions, recordAction } from './audit.ts'
import { readStatus } from './readStatus.ts'
import { type OperatorDeps, OperatorRefused } from './types.ts'

const TxHash = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
const Season = Type.Integer({ minimum: 1, maximum: 100_000 })
const Exact = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false })

interface Context {
  deps: OperatorDeps
  operator: string
  reason: string | null
  /** Keeps what was done, in the transaction it was done in. */
  note(sql: Sql, details: Record<string, unknown>): Promise<void>
}

interface Action<T extends TSchema = TSchema> {
  input: T
  /** What it is asked for without a reason answers, or null when none is needed. */
  needsReason: string | null
  run(context: Context, input: Static<T>): Promise<unknown>
}
const action = <T extends TSchema>(row: Action<T>): Action => row as unknown as Action

/** Everything an operator can ask for. */
export const ACTIONS: Record<string, Action> = {
  status: action({
    input: Exact({}),
    needsReason: null,
    run: ({ deps }) => readStatus(deps),
  }),
  switch: action({
    input: Exact({
      name: Type.Union([Type.Literal('kill'), Type.Literal('live')]),
      on: Type.Boolean(),
    }),
    needsReason: 'say why: everybody whose agents stand still will ask',
    run: ({ deps, reason, note }, { name, on }) =>
      deps.db.transaction(async (sql) => {
        const changed = await writeSwitch(sql, { name, on, reason, changedAtS: nowS(deps.clock) })
        await note(sql, { name, on, changed })
        return { name, on, changed }
      }),
  }),
  'week.close': action({
    input: Exact({
      early: Type.Boolean(),
      accept: Type.Union([Type.String({ minLength: 3, maxLength: 500 }), Type.Null()]),
    }),
    needsReason: null,
    run: ({ deps, note }, { early, accept }) =>
      deps.treasury.closeWeek({
        early,
        accept,
        async alongside(sql, closing) {
          if (closing.kind !== 'closed') return
          const { seq, hash, week, reconciliation } = closing.row
          await note(sql, { early, accept: reconciliation.accepted, seq, hash, week: week.label })
        },
      }),
  }),
  'transfer.record': action({
    input: Exact({
      bucket: Type.Union(TREASURY_BUCKETS.map((bucket) => Type.Literal(bucket))),
      tx_hash: TxHash,
    }),
    needsReason: null,
    run: ({ deps, reason, note }, { bucket, tx_hash }) =>
      deps.treasury.recordTransfer({
        bucket,
        txHash: tx_hash as `0x${string}`,
        reason,
        alongside: (sql, { seq, hash, transfers }) => note(sql, { bucket, tx_hash, seq, hash, transfers }),
      }),
  }),
  'league.review': action({
    input: Exact({
      season: Season,
      entry_id: Type.Integer({ minimum: 1 }),
      rule: Type.String({ pattern: '^[A-Z_]{2,40}$' }),
      status: Type.Union([Type.Literal('pass'), Type.Literal('fail')]),
    }),
    needsReason: 'a judgement needs its reason: it is shown beside the rule',
    run: ({ deps, operator, reason, note }, { season, entry_id, rule, status }) =>
      leagueOf(deps).reviewRule(
        { season, entryId: entry_id, rule, status, reason: reason!, operator },
        (sql) => note(sql, { season, entry_id, rule, status }),
      ),
  }),
  'league.settle': action({
    input: Exact({ season: Season }),
    needsReason: null,
    run: ({ deps, operator, note }, { season }) =>
      leagueOf(deps).settleSeason({ season, operator }, (sql) => note(sql, { season })),
  }),
  'league.payout': action({
    input: Exact({ season: Season, place: Type.Integer({ minimum: 1, maximum: 3 }), tx_hash: TxHash }),
    needsReason: null,
    run: ({ deps, operator, note }, { season, place, tx_hash }) =>
      leagueOf(deps).recordPayout({ season, place, txHash: tx_hash as `0x${string}`, operator }, (sql) =>
        note(sql, { season, place, tx_hash }),
      ),
  }),
  'audit.list': action({
    input: Exact({
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
      before: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    }),
    needsReason: null,
    run: ({ deps }, page) => listActions(deps.db, page),
  }),
  /** What is done elsewhere, with a key this process does not have: noted before it is tried, and after. */
  note: action({
    input: Exact({
      action: Type.Union([Type.Literal('signer.freeze'), Type.Literal('signer.thaw')]),
      phase: Type.Union([Type.Literal('asked'), Type.Literal('done'), Type.Literal('failed')]),
      why: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
    }),
    needsReason: 'say why',
    run: async ({ deps, operator, reason }, { action: name, phase, why }) => {
      const details = { phase, ...(why === null ? {} : { why }) }
      await recordAction(deps.db, { operator, action: name, details, reason, atS: nowS(deps.clock) })
      return { noted: true }
    },
  }),
}

function leagueOf({ league }: OperatorDeps) {
  if (league === null) throw new OperatorRefused('no league runs here')
  return league
}
