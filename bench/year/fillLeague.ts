import { DAY_S } from '@pit/protocol'
import type { Filling } from './fill.ts'
import { SEASON_S, type YearWorld } from './size.ts'

const EMPTY_BOOK = {
  ...{ held: {}, unmarked: {}, basis: {}, brought: '0', left: '0', capital: '0', seen: '0', unseen: '0' },
  ...{ gas: '0', trades: 0, days: [], noGas: 0, unvalued: 0, outliers: 0, overMarks: '0', unmarkedGain: '0' },
  ...{ roundTrips: 0, last: null, peak: '0', maxDdBps: 0, cursor: null },
}

const OUTCOME = { eligible_agents: 90, eligible_owners: 90, active_clusters: 90, pays: true, why: null }

/** The busy account is the first entrant, the ordinary one the second; the others trade little. */
const PRIZE = `
insert into league_entries (id, board, kind, agent_id, wallet, from_season, owner, agent_wallet, beneficiary,
  token, symbol, name, proof, confirmed_at_s, entered_at_s) overriding system value
select n, 'prize', 'wallet', n::text, made.wallet(case n when 1 then 1 when 2 then 1007 else 1100 + n end), 1,
  '0x' || md5('o' || n) || '00000004', '0x' || md5('a' || n) || '00000005', '0x' || md5('b' || n) ||
    '00000006',
  '0x' || md5('tt' || n) || '00000007', 'AG' || n, 'Agent number ' || n, 'statement', $2, $2
from generate_series(1, $1::int8) n`
const PRACTICE = `
insert into league_entries (board, kind, agent_id, wallet, hosted_id, from_season, owner, agent_wallet,
  beneficiary, token, symbol, name, proof, entered_at_s)
select 'practice', 'hosted', (100000 + n)::text, made.wallet(made.owner(10 * n + 4, $3::int8)),
  made.agent(10 * n + 4), 1, '0x' || md5('o' || n) || '00000004', '0x' || md5('a' || n) || '00000005',
  '0x' || md5('b' || n) || '00000006', '0x' || md5('pt' || n) || '00000007', 'PR' || n, 'Practice ' || n,
  'statement', $2 from generate_series(0, $1::int8 - 1) n`
const FACTS = [
  `insert into league_owners (agent_id, status, owner, agent_wallet, beneficiary, read_at_s)
   select agent_id, 'read', owner, agent_wallet, beneficiary, $1 from league_entries`,
  `insert into league_funders (address, status, funder, block, looked_at_s)
   select distinct a, 'read', '0x' || md5('f' || a) || '00000008', 1, $1::int8
   from league_entries cross join lateral unnest(array[wallet, owner, agent_wallet]) as a where board =
     'prize'`,
  `insert into league_transfer_scans (token, address, next_block, scanned_to_s)
   select distinct token, a, 9999999999, $1::int8 from league_entries
   cross join lateral unnest(array[wallet, owner, agent_wallet, beneficiary]) as a where board = 'prize'`,
]
const SEASONS = `
insert into league_seasons (number, starts_at_s, ends_at_s, state, opened_at_s, valued_at_s, decided_at_s,
  settled_at_s, outcome)
select n, start_s, start_s + ${SEASON_S}, case when n = $2 then 'open' when n = $2::int8 - 1 then 'decided'
    else 'settled' end, start_s, case when n < $2 then start_s + ${SEASON_S} end,
  case when n < $2 then start_s + ${SEASON_S + DAY_S} end, case when n < $2::int8 - 1 then start_s +
    ${SEASON_S + 2 * DAY_S} end,
  case when n < $2 then
    $3::jsonb end
from generate_series(1, $2::int8) n cross join lateral (select $1::int8 + (n - 1) * ${SEASON_S} as start_s)
  as starts`
const BOOKS = `
insert into league_books (season, entry_id, book, numbers)
select s.number, e.id, $1::jsonb || jsonb_build_object('sampledTo', s.starts_at_s), case when s.state <>
  'open' then '{}'::jsonb end
from league_seasons s, league_entries e where e.board = 'prize'`
const PRACTICE_BOOKS = [
  `insert into paper_books (owner, start_micro_usd, opened_at_s)
   select 'practice:' || s.number || ':' || e.id, 10000000000, s.starts_at_s
   from league_seasons s, league_entries e where e.board = 'practice'`,
  `insert into league_practice_books (season, entry_id, book_id)
   select split_part(owner, ':', 2)::int4, split_part(owner, ':', 3)::int8, id from paper_books
   where owner like 'practice:%'`,
  `insert into paper_balances (book_id, token, atoms)
   select book_id, $1, 10000000000 from league_practice_books`,
]
const STANDINGS = `
insert into league_standings (season, board, entry_id, rank, row, facts)
select s.number, e.board, e.id, rank() over (partition by s.number, e.board order by e.id),
  jsonb_build_object('rank', e.id, 'entry_id', e.id, 'agent_id', e.agent_id, 'board', e.board, 'kind', e.kind,
    'label', e.name, 'wallet', e.wallet, 'symbol', e.symbol, 'name', e.name, 'token', e.token, 'owner',
      e.owner,
    'cluster', e.id, 'cluster_size', 1, 'cluster_links', '[]'::jsonb, 'profit_usd', 1000.5 - e.id, 'score',
      '10.5',
    'return_pct', 1.5, 'max_dd_pct', 0.4, 'capital_usd', 500, 'trades', 40, 'active_days', 9, 'active', true,
    'unvalued', 0, 'open_unpriced', 0, 'price_outliers', 0, 'valued_at', s.ends_at_s, 'left', false,
    'place', case when e.board = 'prize' and e.id between 3 and 5 then e.id - 2 end, 'prize_atoms', null,
    'live', false, 'eligibility', case when e.board = 'prize' then $1::jsonb end),
  case when e.board = 'prize' then '{"confirmed": true}'::jsonb end
from league_seasons s, league_entries e where s.state <> 'open'`
const MONEY = [
  `insert into league_ledger (season, status, reserve_before, gain, half_gain, added, kept_staked, cap,
    ceiling,
     reserve, budget, shares, paid, paid_total, reserve_after, partner_price_e18, mark_at_s, mark_source,
       updated_at_s)
   select number, 'settled', 100, 50, 25, 25, 25, 400, 1200, 125, 41, '{20,12,8}', '{20,12,8}', 40, 85, 1e18,
     ends_at_s, 'marks', ends_at_s from league_seasons where state <> 'open'`,
  `insert into league_payouts (season, place, entry_id, agent_id, recipient, amount, status, tx_hash, block,
    sender,
     recorded_at_s)
   select number, place, 2 + place, (2 + place)::text, made.wallet(2 + place), 20, 'mined', made.hash('pay',
     number * 10 + place),
     1, made.wallet(9), ends_at_s from league_seasons, generate_series(1, 3) as place where state <> 'open'`,
]
const SEEN = [
  `insert into league_samples (season, at_s, block)
   select s.number, s.starts_at_s + h * 3600, h from league_seasons s, generate_series(1, $1::int8) h`,
  `insert into league_balances (season, entry_id, at_s, balances)
   select l.season, b.entry_id, l.at_s,
     '{"0x0000000000000000000000000000000000000000": "2000000000000000000"}'
   from league_samples l join league_books b on b.season = l.season`,
]
const TAKEN = `
insert into league_trades (trade_id, season, entry_id, mined_at_s, block, token_in, token_out, amount_in,
  amount_out, gas_wei)
select t.id, s.number, e.id, t.mined_at_s, t.block, t.token_in, t.token_out, t.amount_in, t.amount_out,
  t.gas_wei
from league_entries e join trades t on t.wallet = e.wallet join league_seasons s
  on t.mined_at_s >= s.starts_at_s and t.mined_at_s < s.ends_at_s
where e.board = 'prize' and t.status in ('mined', 'reverted') and t.settled`

/** Seasons with their books, all decided but the one that runs. */
export async function fillLeague({ run }: Filling, { size, usdg }: YearWorld) {
  const startedMs = performance.now()
  const firstS = size.weekS - (size.seasons - 1) * SEASON_S
  const rules = ['CONFIRMED', 'ACTIVE', 'OWNER', 'FUNDERS', 'TRANSFERS', 'SANCTIONS', 'COPYING'].map(
    (rule) => ({
      ...{ rule, status: 'pass', reason: null, checked_at: size.nowS },
    }),
  )
  await run('insert into league_start (first_season_s) values ($1)', [firstS])
  await run(PRIZE, [size.entrants, firstS - DAY_S])
  await run(`select setval(pg_get_serial_sequence('league_entries', 'id'), $1)`, [size.entrants])
  await run(PRACTICE, [Math.min(size.practice, Math.floor(size.agents / 10)), firstS - DAY_S, size.accounts])
  for (const facts of FACTS) await run(facts, [size.nowS])
  await run(SEASONS, [firstS, size.seasons, JSON.stringify(OUTCOME)])
  await run(BOOKS, [JSON.stringify(EMPTY_BOOK)])
  for (const books of PRACTICE_BOOKS) await run(books, books.includes('$1') ? [usdg] : [])
  await run(STANDINGS, [JSON.stringify({ eligible: true, rules })])
  for (const money of MONEY) await run(money)
  for (const seen of SEEN) await run(seen, seen.includes('$1') ? [size.samples] : [])
  await run(TAKEN)
  await run('insert into league_cursor (after_id) values ($1)', [size.trades - 100])
  console.log(`  ${size.seasons} seasons in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`)
}
