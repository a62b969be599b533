import { nowS } from '@pit/platform/clock'
import { TREASURY_BUCKETS } from '@pit/protocol'
import { readSwitches, SWITCHES, standing, writeSwitch } from '@pit/sessions'
import { type Static, Type } from '@sinclair/typebox'
import { type Action, action, Exact, TxHash } from './action.ts'
import { listActions, recordAction } from './audit.ts'
import { LEAGUE_ACTIONS } from './leagueActions.ts'
import { SANCTIONS_ACTIONS } from './sanctionsActions.ts'
import type { OperatorDeps } from './types.ts'

/** Shown in the public record: text without control characters. */
const ACCEPTED = '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]{3,500}$'

/** A mined transaction that moved a bucket's share. */
const Transfer = Exact({
  bucket: Type.Union(TREASURY_BUCKETS.map((bucket) => Type.Literal(bucket))),
  tx_hash: TxHash,
})
const transferOf = ({ bucket, tx_hash }: Static<typeof Transfer>) => ({
  bucket,
  txHash: tx_hash as `0x${string}`,
})

/** Every operator action. */
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
    needsReason: 'owners of stopped agents will ask why',
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
      accept: Type.Union([Type.String({ pattern: ACCEPTED }), Type.Null()]),
      transfers: Type.Optional(Type.Array(Transfer, { maxItems: 20 })),
    }),
    needsReason: null,
    run: ({ deps, note }, { early, accept, transfers = [] }) =>
      deps.treasury.closeWeek({
        early,
        accept,
        transfers: transfers.map(transferOf),
        async alongside(sql, closing) {
          if (closing.kind !== 'closed') return
          const { seq, hash, week, reconciliation, transfers: moved } = closing.row
          const row = { seq, hash, week: week.label, ...(moved.length > 0 && { transfers: moved }) }
          await note(sql, { early, accept: reconciliation.accepted, ...row })
        },
      }),
  }),
  'transfer.record': action({
    input: Transfer,
    needsReason: null,
    run: ({ deps, reason, note }, transfer) =>
      deps.treasury.recordTransfer({
        ...transferOf(transfer),
        reason,
        alongside: (sql, { seq, hash, transfers }) => note(sql, { ...transfer, seq, hash, transfers }),
      }),
  }),
  ...LEAGUE_ACTIONS,
  ...SANCTIONS_ACTIONS,
  'audit.list': action({
    input: Exact({
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
      before: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
    }),
    needsReason: null,
    run: ({ deps }, page) => listActions(deps.db, page),
  }),
  /** An action done elsewhere, with a key this process does not have: recorded before and after. */
  note: action({
    input: Exact({
      action: Type.Union([
        Type.Literal('signer.freeze'),
        Type.Literal('signer.thaw'),
        Type.Literal('signer.restored'),
      ]),
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

/** Current state of everything an operator can change. */
async function readStatus({ db, profile, signer, treasury, jobs }: OperatorDeps) {
  const rows = await readSwitches(db)
  const switches = Object.fromEntries(
    SWITCHES.map((name) => {
      const row = rows.find((each) => each.name === name)
      return [
        name,
        { on: standing(rows, name), reason: row?.reason ?? null, changed_at: row?.changedAtS ?? null },
      ]
    }),
  )
  return {
    profile: profile.name,
    kind: profile.kind,
    store: db.engine,
    switches,
    signer: signer === null ? null : await signerHealth(signer),
    treasury: await treasury.state(),
    jobs: jobs?.().map(({ name, status, why }) => ({ name, status, why })) ?? null,
  }
}

async function signerHealth(signer: NonNullable<OperatorDeps['signer']>) {
  try {
    const { status, cosigner, frozen } = await signer.health()
    return { status, cosigner, frozen }
  } catch (error) {
    return { status: 'unreachable', why: (error as Error).message }
  }
}
