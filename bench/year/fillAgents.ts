import { RULE_BRAINS, readRuleParams } from '@pit/brains'
import { DAY_S } from '@pit/protocol'
import type { Filling } from './fill.ts'
import { AGENTS, agentId, lower, type YearWorld } from './size.ts'

const START_MICRO_USD = 10_000_000_000

/** Three in ten trade live; one in twenty, on paper, by a model. */
const MADE = `
insert into hosted_agents (id, wallet, key_id, name, brain, params, interval_s, pairs, tokens,
  max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, live, status, session_id, executor,
  executor_attestation, brain_state, book_id, last_decision, created_at_s, stopped_at_s, deleted_at_s,
  left_league_at_s, tick, next_tick_ms)
select made.agent(n), made.wallet(owner), owner, 'Agent ' || n, brain,
  case brain when 'partner_llm' then $6::jsonb else $5::jsonb end, 300, array['ETH/USDG'], $7::jsonb,
    25000000,
  100000000, 500000000, case when is_live then 'live' else 'paper' end, is_live and status = 'active', status,
  case when is_live then made.session(n, 12) end, case when is_live then made.executor(n) end,
  case when is_live then $8::jsonb end, '{"last": 2000}', case when not is_live then n end,
  jsonb_build_object('action', 'hold', 'code', 'NO_SIGNAL', 'at', $3::int8), $3::int8 - (n * 7919) % 31536000,
  case when status = 'stopped' then $3::int8 - 86400 end, case when gone then $3::int8 - 86000 end,
  case when gone or status = 'stopped' then $3::int8 - 85000 end, 100000,
  case when status = 'active' and not gone then $3::int8 * 1000 + n * 3 end
from generate_series($1::int8, $2::int8) n
cross join lateral (select made.owner(n, $4::int8) as owner, n % 10 between 1 and 3 as is_live,
  case when n % 20 = 5 then 'partner_llm' else 'dca' end as brain, n > 24 and n % 20 = 19 as gone,
  case when n <= 24 or n % 20 < 13 then 'active' when n % 20 < 17 then 'paused' else 'stopped' end as
    status) as kinds`

const BOOKS = `
with books as (
  insert into paper_books (id, owner, start_micro_usd, opened_at_s) overriding system value
  select n, 'hosted:' || made.agent(n), ${START_MICRO_USD}, $3 from generate_series($1::int8, $2::int8) n
  where n % 10 not between 1 and 3 returning id)
insert into paper_balances (book_id, token, atoms)
select id, token, case when token = $4 then 6000000000 else 2000000000000000000 end
from books, unnest(array[$4, $5]) as token`

const EXECUTORS = `
insert into hosted_executors (executor, agent_id, owner, attestation, created_at_s, retired_at_s)
select case when old then '0x' || md5('o' || n) || '00000002' else made.executor(n) end, made.agent(n),
  made.wallet(made.owner(n, $4::int8)), $5::jsonb, $3::int8 - 1000000, case when old then $3::int8 - 500000
    end
from generate_series($1::int8, $2::int8) n, unnest(array[false, true]) as old
where n % 10 between 1 and 3 and (not old or n % 3 = 0)`

const REFUNDS = `
insert into hosted_refunds (executor, agent_id, to_wallet, value_wei, balance_wei, tx_hash, raw, nonce, gas,
  max_fee_per_gas, status, block, created_at_s)
select '0x' || md5('o' || n) || '00000002', made.agent(n), made.wallet(made.owner(n, $4::int8)), 1000, 2000,
  made.hash('g', n), sha256('raw') || sha256('tx'), 7, 21000, 1000, 'mined', 1000, $3::int8 - 400000
from generate_series($1::int8, $2::int8) n where n % 10 between 1 and 3 and n % 3 = 0`

const LOGS = `
insert into hosted_logs (agent_id, tick, at_ms, kind, code, message, fee_bps, fee_class, fee_tier, data)
select made.agent(1 + n % $4::int8), n / $4::int8, ($3::int8 - 2592000) * 1000 + n * 2592000000 / $5::int8,
  kind,
  case kind when 'hold' then 'NO_SIGNAL' when 'error' then 'BRAIN_TIMEOUT' end,
  case kind when 'decision' then 'the price moved by 0.31% in the last hour' when 'trade' then
    'sold 25 dollars' end,
  case kind when 'trade' then 25 end, case kind when 'trade' then 'major' end, case kind when 'trade' then
    25 end,
  case kind when 'decision' then '{"orders": [], "seen": {"ETH/USDG": 2000.5}}'::jsonb end
from generate_series($1::int8, $2::int8) n
cross join lateral (select case when n % 100 < 70 then 'decision' when n % 100 < 90 then 'hold'
  when n % 100 < 96 then 'trade' when n % 100 < 98 then 'error' else 'state' end as kind) as kinds`

/** One agent that fills its log: the newest thousand decisions, and every trade of a month. */
const BUSY_LOGS = `
insert into hosted_logs (agent_id, tick, at_ms, kind, message, data)
select $1, n, $2::int8 * 1000 - (4000 - n) * 60000, case when n < 3000 then 'trade' else 'decision' end,
  'sold 25 dollars',
  '{"orders": [], "seen": {"ETH/USDG": 2000.5}}' from generate_series(1, 4000) n`

const ORDERS = `
insert into hosted_orders (agent_id, tick, n, pair, side, micro_usd, status, tx_hash, trade_id, created_at_ms)
select e.agent_id, t.id, 0, 'ETH/USDG', 'buy', 25000000, 'filled', t.tx_hash, t.id, t.created_at_ms
from trades t join sessions s on s.id = t.session_id join hosted_executors e on e.executor = s.executor
where t.path = 'hosted' and t.kind = 'swap' and t.created_at_ms > $1 and t.tx_hash is not null`

const SUMS = `
insert into hosted_trade_sums
select made.agent(n), 'mined', token_in, token_out, 300, 1e12, 3e12, 1e10, $3::int8 * 1000, $3::int8 * 1000
  + 1
from generate_series($1::int8, $2::int8) n, (values ($4, $5), ($5, $4)) as pair (token_in, token_out)
where n % 10 between 1 and 3`

const FILLS = `
insert into paper_fills (book_id, token_in, token_out, amount_in, amount_out, micro_usd, fee_bps, fee_class,
  fee_tier, fee_token, fee_atoms, gas_micro_usd, gas_usdg_atoms, route_id, block, filled_at_ms)
select 10 * (n % $4::int8) + 4, $6, $7, 25000000, 12500000000000000, 25000000, 25, 'major', 25, $6, 62500,
  1000,
  1000, 'v3:500', 1, ($3::int8 - 7776000) * 1000 + n * 7776000000 / $5::int8
from generate_series($1::int8, $2::int8) n`

const SPENDS = `
insert into ai_spend (agent_id, wallet, tick, at_ms, day_s, source, model, status, prompt_tokens,
  completion_tokens, cost_micro_usd, cost_source, ms)
select made.agent(of), made.wallet(made.owner(of, $4::int8)), n, at_s * 1000, at_s / 86400 * 86400, 'pool',
  'small-model', 'ok', 900, 80, 300, 'usage.cost', 700
from generate_series($1::int8, $2::int8) n
cross join lateral (select 20 * (n % $5::int8) + 5 as of, $3::int8 - 7776000 + n * 7776000 / $6::int8 as
  at_s) as made_at`

export async function fillAgents(filling: Filling, { size, profile, usdg, eth }: YearWorld) {
  const { run, inSteps, withoutIndexes } = filling
  const { agents, accounts, nowS } = size
  const params = readRuleParams(RULE_BRAINS.dca, {})
  if (!params.ok) throw new Error(params.message)
  const model = {
    strategy: 'buy low',
    model: 'small-model',
    funding: 'pool',
    budget_usd_day: 1,
    max_orders: 1,
  }
  const tokens = ['ETH', 'USDG'].map((name) => {
    const { symbol, address, decimals } = profile.core_tokens.find((token) => token.symbol === name)!
    return { token: name, symbol, address: lower(address), decimals, stock: false }
  })
  const attested = {
    text: 'who holds the key',
    signature: `0x${'ab'.repeat(65)}`,
    cosigner: `0x${'cd'.repeat(20)}`,
  }
  const json = [params.params, model, tokens, attested].map((value) => JSON.stringify(value))
  await inSteps('paper books', agents, BOOKS, [size.startS, usdg, eth])
  await inSteps('hosted agents', agents, MADE, [nowS, accounts, ...json])
  await inSteps('executors of', agents, EXECUTORS, [nowS, accounts, json[3]])
  await inSteps('refunds of', agents, REFUNDS, [nowS, accounts])
  await inSteps('sums of', agents, SUMS, [nowS, eth, usdg])
  await withoutIndexes(['hosted_logs'], async () => {
    await inSteps('log rows', size.logs, LOGS, [nowS, agents, size.logs])
    for (const n of [AGENTS.live, AGENTS.paper]) await run(BUSY_LOGS, [agentId(n), nowS])
  })
  await run(ORDERS, [(nowS - 30 * DAY_S) * 1000])
  await inSteps('fills on paper', size.fills, FILLS, [nowS, Math.floor(agents / 10), size.fills, usdg, eth])
  await inSteps('spends of models', size.spends, SPENDS, [
    nowS,
    accounts,
    Math.floor(agents / 20),
    size.spends,
  ])
  const dayS = nowS - (nowS % DAY_S)
  await run(
    `insert into ai_pool_days (day_s, used_micro_usd) select $1::int8 - n * 86400, 20000000
     from generate_series(0, 364) n`,
    [dayS],
  )
  await run(
    `insert into ai_pool_agents (day_s, wallet, agent_id)
     select $1, made.wallet(made.owner(20 * n + 5, $2::int8)), made.agent(20 * n + 5) from
       generate_series(0, $3::int8 / 20 - 1) n`,
    [dayS, accounts, agents],
  )
  await run(
    `insert into ai_trials (wallet, started_at_s)
     select made.wallet(n), $1::int8 - n * 31000000 / $2::int8 from generate_series(2000, 2000 + $2::int8 /
       10) n
     on conflict do nothing`,
    [nowS, agents],
  )
  await run(`select setval(pg_get_serial_sequence('paper_books', 'id'), $1)`, [agents])
}
