import { dueSamples } from '@pit/accounts/internal/sampleStore'
import { refundsOf } from '@pit/agents/internal/gas/refundStore'
import { logsPage } from '@pit/agents/internal/logs'
import { sweepFills } from '@pit/agents/internal/paper/store'
import { appendPoints, readPoints, thinPoints } from '@pit/history/internal/store'
import { winnersIn } from '@pit/league/internal/reads/winners'
import { readBars, readMinutes, sweepCandles } from '@pit/market/internal/candles/store'
import { allMarks, pricesAt } from '@pit/market/markReads'
import type { Sql } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { feeTxsIn, oldestFeeS, sumTaken, sumUntaken } from '@pit/relay/internal/feeReads'
import { takeSettled, unsummedTrades } from '@pit/relay/internal/hostedTrades'
import { deleteSignedRefused, givenUpRows, openRows, unsettledRows } from '@pit/relay/internal/receipts/rows'
import { tradedTokens, tradesPage, trimRefused, volumeSince } from '@pit/relay/internal/walletTrades'
import {
  countOpen,
  longestWaiting,
  longestWaitingOfAll,
  minedBetween,
  rowsAfter,
  tradesByHash,
} from '@pit/relay/tradeReads'
import { deleteEnded, deleteUnsigned, sessionsOf, usedBy } from '@pit/sessions/internal/store'
import { beforeAll, describe, expect, it } from 'vitest'

// Every statement on a growing table must use an index and read no more rows for an owner of many: a scan of
// a small store is fast today and too slow in a year. `bench/year.ts` measures the year itself.

const ROWS = 40_000
const BUSY_ROWS = 5_000
const TOKEN = { address: 't1' as never, decimals: 18 }
const GROWING = [
  ...['trades', 'fees', 'treasury_incomings', 'hosted_logs', 'hosted_refunds', 'paper_fills', 'marks'],
  ...['history_points', 'wallet_samples', 'candles', 'pool_volumes'],
  ...['sessions', 'session_trades', 'traded_tokens', 'league_standings', 'league_entries', 'api_keys'],
]
const wallet = `0x${'0'.repeat(36)}0007` as const
const WALLET = `'0x' || lpad((n % 2000)::text, 40, '0')`
const HASH = `'0x' || md5('h' || n) || md5('i' || n)`
const SERIES = `from generate_series(1::int8, ${ROWS}) n`

const FILL = `
set session_replication_role = replica;
insert into trades (kind, wallet, key_id, path, session_id, status, token_in, token_out, amount_in,
  amount_out,
  tx_hash, signer, nonce, fee_bps, block, block_hash, mined_at_s, volume_token, volume_micro_usd,
    created_at_ms,
  settled, summed)
select 'swap', ${WALLET}, n % 2000, case when n % 5 = 0 then 'hosted' else 'agent' end, 's' || n % 3000,
  case when n % 50 = 0 then 'refused' when n > ${ROWS - 20} then 'pending' else 'mined' end, 'a', 'b', 1, 1,
  case when n % 100 <> 0 then ${HASH} end, ${WALLET}, n, 25, n, ${HASH}, n * 700, 'a', 5, n * 700000,
  n < ${ROWS - 50}, n < ${ROWS - 60} ${SERIES};
insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
  week_start_s,
  treasury_seq)
select id, 'a', 1, 'input', 25, 'major', 'r', tx_hash, block, mined_at_s, 0, case when id < ${ROWS - 500}
  then 1 end
from trades where tx_hash is not null;
insert into treasury_incomings (wallet, token, from_block, to_block, tx_hash, log_index, atoms, how, seq)
select 'r', 'a', block, block, tx_hash, 1, 1, 'log', treasury_seq from fees;
insert into hosted_logs (agent_id, at_ms, kind) select 'agt_' || n % 20, n * 700000,
  case when n % 200 = 0 then 'error' else 'decision' end ${SERIES};
insert into hosted_refunds (executor, agent_id, to_wallet, value_wei, balance_wei, tx_hash, raw, nonce, gas,
  max_fee_per_gas, status, created_at_s)
select 'e' || n, 'agt_' || n, 'w', 1, 1, ${HASH}, '', 1, 1, 1, 'mined', n ${SERIES};
insert into paper_fills (book_id, token_in, token_out, amount_in, amount_out, micro_usd, fee_bps, fee_class,
  fee_tier,
  fee_token, fee_atoms, gas_micro_usd, gas_usdg_atoms, route_id, block, filled_at_ms)
select n % 1000, 'a', 'b', 1, 1, 1, 1, 'major', 1, 'a', 1, 1, 1, 'r', 1, n * 700000 ${SERIES};
insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
select 't' || n % 4, n * 60, 1, 'fixed', 1, 1, false ${SERIES};
insert into sessions (id, wallet, executor, status, binding, binding_version, root, root_hash, created_at_s,
  expires_at_s)
select 's' || n, ${WALLET}, ${WALLET}, 'active', '{}', 3, jsonb_build_object('signature', case when n % 2000
  = 0 then '0x'
  else '0x' || repeat('ab', 65) end), ${HASH}, n * 700, n * 700 + 1000 ${SERIES};
insert into session_trades (session_id, status, sequence, micro_usd, created_at_ms)
select 's' || n % 3000, 'signed', n / 3000, 1, n * 700000 ${SERIES};
-- One wallet and one session with many more than the others, all of long ago.
insert into trades (kind, wallet, key_id, path, session_id, status, token_in, token_out, amount_in, amount_out,
  tx_hash, signer, nonce, block, mined_at_s, volume_token, volume_micro_usd, created_at_ms, settled, summed)
select 'swap', '${wallet}', 7, 'hosted', 's2007', 'mined', 'a', 'b', 1, 1, '0x' || md5('j' || n) || md5('k' || n),
  '${wallet}', n, 1, 1, 'a', 5, 1, true, true from generate_series(1, ${BUSY_ROWS}) n;
insert into session_trades (session_id, status, sequence, micro_usd, created_at_ms)
select 's2007', 'signed', 100 + n, 1, 1 from generate_series(1, ${BUSY_ROWS}) n;
insert into traded_tokens (wallet, token, last_id)
select wallet, token, max(id) from trades cross join lateral unnest(array[token_in, token_out]) as token
group by wallet, token;
insert into session_counts select session_id, count(*) from session_trades group by session_id;
insert into league_standings (season, board, entry_id, rank, row)
select 1 + n % 26, 'prize', n, n, jsonb_build_object('place', case when n / 26 < 3 then n / 26 + 1 end,
  'label', repeat('x', 300))
${SERIES};
insert into api_keys (account_id, key_sha256, issued_at_s, expires_at_s)
select n, sha256(n::text::bytea), n, n ${SERIES};
insert into history_points select 60, n / 1000 * 3600, 'book:' || n % 1000, '{0,60}', '{1,2}' ${SERIES};
insert into wallet_samples (wallet, traded_at_s, due_s) select '0x' || n, n, n ${SERIES};
insert into candles select 't' || n % 4, 3600, n / 4 * 3600, 1, 1, 1, 1, 1 ${SERIES};
insert into pool_volumes select 't' || n % 4, n / 4 * 60, 1 ${SERIES};
set session_replication_role = default;
analyze;`

/** An index that finds many rows to discard them is a scan too. */
const MAX_DISCARDED = 300
/** So is one that reads all rows of an owner to sum them. */
const MAX_READ = 1_000

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Loops'?: number
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}
const scansOf = (plan: Plan): string[] => {
  const name = plan['Relation Name']
  const loops = plan['Actual Loops'] ?? 1
  const discarded = (plan['Rows Removed by Filter'] ?? 0) * loops
  const read = (plan['Actual Rows'] ?? 0) * loops
  const isScan = plan['Node Type'] === 'Seq Scan' || discarded > MAX_DISCARDED || read > MAX_READ
  return [
    ...(isScan && name !== undefined && GROWING.includes(name) ? [name] : []),
    ...(plan.Plans ?? []).flatMap(scansOf),
  ]
}

withDb('a store that has grown', (db) => {
  beforeAll(() => db.exec(FILL))

  /** Runs a function on the store; returns the tables its statements scan. */
  async function scanned(verb: (sql: Sql) => Promise<unknown>): Promise<string[]> {
    const scans: string[] = []
    let queryCount = 0
    const watched: Sql = {
      async query<Row>(text: string, values?: readonly unknown[]) {
        queryCount++
        const explain = async (sql: Sql) => {
          const [row] = await sql.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
            `explain (analyze, format json) ${text}`,
            values,
          )
          scans.push(...scansOf(row!['QUERY PLAN'][0]!.Plan))
          return []
        }
        // Roll back, so that the next case finds the same rows.
        await undone(explain)
        return undone((sql) => sql.query<Row>(text, values))
      },
    }
    await verb(watched)
    expect(queryCount).toBeGreaterThan(0)
    return scans
  }

  async function undone<Row>(run: (sql: Sql) => Promise<Row[]>): Promise<Row[]> {
    let rows: Row[] = []
    const ended = new Error('ended on purpose')
    await db
      .transaction(async (sql) => {
        rows = await run(sql)
        throw ended
      })
      .catch((error) => {
        if (error !== ended) throw error
      })
    return rows
  }

  const page = { wallet, before: undefined, withNeverMined: true, limit: 51 }
  const hash = `0x${'1'.repeat(64)}` as const
  const logs = (kinds: readonly string[]) => (sql: Sql) =>
    sql.query(logsPage(kinds), ['agt_7', '9223372036854775807', kinds, 51])
  const VERBS: Record<string, (sql: Sql) => Promise<unknown>> = {
    'a page of trades': (sql) => tradesPage(sql, page),
    'a wallet’s volume': (sql) => volumeSince(sql, wallet, (ROWS - 1_000) * 700),
    'tokens it traded': (sql) => tradedTokens(sql, { wallet, except: [], max: 40 }),
    'trades by hash': (sql) => tradesByHash(sql, [hash]),
    'trades that wait': (sql) => openRows(sql, 0, 100),
    'the longest waiting': (sql) => longestWaiting(sql, wallet, ROWS * 700_000),
    'the longest waiting of each wallet': (sql) => longestWaitingOfAll(sql, 700_000, 1_000),
    'trades to look at again': (sql) => unsettledRows(sql, ROWS * 700, 100),
    'trades given up': (sql) => givenUpRows(sql, 0, 100),
    'refused calls past their number': (sql) => trimRefused(sql, [wallet], 1),
    'refused trades past their time': (sql) => deleteSignedRefused(sql, 700_000, 500),
    'open trades of a week': (sql) => countOpen(sql, { beforeS: ROWS * 700, unsettledToo: true }),
    'trades of a season': (sql) => minedBetween(sql, { wallets: [wallet], fromS: 700, beforeS: 70_000 }),
    'hosted trades to sum': (sql) => takeSettled(sql, { beforeS: ROWS * 700, limit: 500 }),
    'hosted trades not summed': (sql) => unsummedTrades(sql, ['s2007', 's8']),
    'the oldest fee to take': (sql) => oldestFeeS(sql, 'r' as never),
    'fees of a block': (sql) =>
      feeTxsIn(sql, { recipient: 'r' as never, token: 'a' as never, block: ROWS - 5 }),
    'fees to take': (sql) =>
      sumUntaken(sql, { recipient: 'r' as never, fromBlock: 0, toBlock: ROWS, except: [], limit: 200 }),
    'fees taken': (sql) =>
      sumTaken(sql, 'r' as never, [{ token: 'a' as never, fromBlock: 100, toBlock: 160 }]),
    'logs of an agent': logs(['decision', 'error']),
    'seldom kinds of logs': logs(['error', 'watch']),
    'refunds of an agent': (sql) => refundsOf(sql, 'agt_7'),
    'old fills': (sql) => sweepFills(sql, 91 * 86_400_000),
    'marks of a season': (sql) => allMarks(sql, { afterS: 6_000, toS: 60_000 }),
    'a mark at a time': (sql) => pricesAt(sql, [{ token: 't1' as never, atS: 60_000, afterS: 56_400 }]),
    'a page of equity': (sql) => readPoints(sql, ['book:7'], { range: 'all', nowS: 144_000, sinceS: 0 }),
    'points of a minute': (sql) => appendPoints(sql, [{ series: 'book:7', value: 1n }], 144_000),
    'old points': (sql) => thinPoints(sql, 86_400 + 7_200, 100),
    'wallets to sample': (sql) => dueSamples(sql, ROWS, 500),
    'wallets that traded': (sql) => rowsAfter(sql, { afterId: 500, beforeMs: ROWS * 700_000, limit: 500 }),
    'candles of a token': (sql) =>
      readBars(sql, 't1', { intervalS: 3_600, fromS: 36_000_00, beforeS: 36_000_00 + 500 * 3_600 }),
    'minutes of a token': (sql) => readMinutes(sql, TOKEN, { fromS: 60_000, beforeS: 90_000 }),
    'old candles': (sql) =>
      sweepCandles(sql, 't1', { intervalS: 3_600, barsBeforeS: 360_000, volumesBeforeS: 6_000 }),
    // Their roots here are not valid delegations, which is detected after the read.
    'sessions of a wallet': (sql) =>
      sessionsOf(sql, { who: wallet, nowS: 0, max: 50 }).catch(() => undefined),
    'what sessions used': (sql) => usedBy(sql, ['s2007', 's8'], ROWS * 700_000),
    'grants never signed': (sql) => deleteUnsigned(sql, 70_000, 0),
    'ended sessions': (sql) => deleteEnded(sql, 70_000, 50, async () => new Set()),
    'winners of seasons': (sql) => winnersIn(sql, [24, 25]),
    'a key': (sql) => sql.query('select id from api_keys where key_sha256 = $1', [Buffer.alloc(32)]),
  }

  describe('never scans a table for', () => {
    it.each(Object.keys(VERBS))('%s', async (name) => {
      expect(await scanned(VERBS[name]!)).toEqual([])
    })
  })

  it('detects a scan', async () => {
    const filters = ['nonce = 5', `wallet = '${wallet}'`].map(
      (where) => `select count(*) from trades where ${where}`,
    )
    for (const text of filters) expect(await scanned((sql) => sql.query(text))).toEqual(['trades'])
  })
})
