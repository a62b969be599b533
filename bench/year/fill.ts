import type { Db } from '@pit/platform/db'

const STATEMENT_MS = 3_600_000

export interface Filling {
  db: Db
  /** One statement, as long as it takes. */
  run(sql: string, values?: readonly unknown[]): Promise<void>
  /** The same for rows 1 to `count`, some at a time: `$1` and `$2` are the first and the last of a step. */
  inSteps(what: string, count: number, sql: string, values?: readonly unknown[]): Promise<void>
  /** Rows are inserted without these indexes, which are created afterwards. */
  withoutIndexes(tables: readonly string[], work: () => Promise<void>): Promise<void>
}

const STEP_ROWS = 500_000

/** Names of wallets and hashes by their number, so that every statement finds the same ones. */
const NAMES = `
create schema made;
create function made.wallet(n int8) returns text language sql immutable as
  $$ select '0x' || md5('w' || n) || '00000001' $$;
create function made.hash(kind text, n int8) returns text language sql immutable as
  $$ select '0x' || md5(kind || n) || md5(n || kind) $$;
create function made.random(n int8, salt int4) returns int8 language sql immutable as
  $$ select (hashint8extended(n, salt) & 9007199254740991) $$;
create function made.agent(n int8) returns text language sql immutable as
  $$ select 'agt_' || lpad(n::text, 32, '0') $$;
-- Twenty agents of the busy account, two of the ordinary one, and one or two of others.
create function made.owner(n int8, accounts int8) returns int8 language sql immutable as
  $$ select case when n <= 20 then 1 when n in (21, 24) then 1007
       else 1100 + n % greatest(accounts * 6 / 10, 100) end $$;
create function made.session(agent int8, month int8) returns text language sql immutable as
  $$ select 'ses_' || md5('h' || agent || '-' || month) $$;
create function made.executor(n int8) returns text language sql immutable as
  $$ select '0x' || md5('e' || n) || '00000002' $$;`

export async function openFilling(db: Db): Promise<Filling> {
  await db.exec(NAMES)
  const run: Filling['run'] = async (sql, values) => {
    await db.transaction(
      async (tx) => {
        // Rows are consistent by construction; checking each reference again would take hours.
        await tx.query('set local session_replication_role = replica')
        await tx.query(`set local work_mem = '256MB'`)
        await tx.query(sql, values)
      },
      { statementTimeoutMs: STATEMENT_MS },
    )
  }
  return {
    db,
    run,
    async inSteps(what, count, sql, values = []) {
      const startedMs = performance.now()
      for (let from = 1; from <= count; from += STEP_ROWS) {
        await run(sql, [from, Math.min(count, from + STEP_ROWS - 1), ...values])
        const done = Math.min(count, from + STEP_ROWS - 1)
        if (count > STEP_ROWS && (from - 1) % (STEP_ROWS * 10) === 0)
          console.log(`  ${what}: ${done} of ${count}, ${seconds(startedMs)} s`)
      }
      console.log(`  ${what}: ${count} in ${seconds(startedMs)} s`)
    },
    async withoutIndexes(tables, work) {
      const made = await db.query<{ name: string; drop: string; create: string }>(
        `select c.conname as name, format('alter table %s drop constraint %I', c.conrelid::regclass,
          c.conname) as drop,
           format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname,
             pg_get_constraintdef(c.oid)) as create
         from pg_constraint c where c.contype = 'u' and c.conrelid = any($1::text[]::regclass[])
         union all
         select i.indexname, 'drop index ' || quote_ident(i.indexname), i.indexdef from pg_indexes i
         where i.tablename = any($1::text[]) and not exists (
           select 1 from pg_constraint c where c.conname = i.indexname)`,
        [tables],
      )
      for (const { drop } of made) await run(drop)
      await work()
      const startedMs = performance.now()
      for (const { create } of made) {
        await db.transaction(
          async (tx) => {
            await tx.query(`set local maintenance_work_mem = '1GB'`)
            await tx.query(create)
          },
          { statementTimeoutMs: STATEMENT_MS },
        )
      }
      console.log(`  ${made.length} indexes of ${tables.join(', ')} in ${seconds(startedMs)} s`)
    },
  }
}

export const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1_000).toFixed(1)
