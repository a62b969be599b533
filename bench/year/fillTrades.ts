import { DAY_S } from '@pit/protocol'
import type { Filling } from './fill.ts'
import type { YearWorld } from './size.ts'

/**
 * Trades as the receipts job writes them: mined ones settled, valued and, for hosted agents, summed; refused
 * calls only of the last month.
 */
const TRADES = `
insert into trades (id, kind, wallet, key_id, path, session_id, status, code, token_in, token_out, amount_in,
  amount_out, amount_out_kind, amount_out_min, tx_hash, signer, nonce, fee_bps, fee_class, fee_tier, fee_side,
  fee_token, fee_amount, fee_recipient, volume_token, volume_micro_usd, block, block_hash, mined_at_s,
  created_at_ms, settled, summed, gas_wei) overriding system value
select n, kind, wallet, who, path, session_id, status, case when status = 'refused' then 'MIN_NOTIONAL' end,
  token_in, token_out, case when is_swap then amount_in end,
  case when is_swap and status = 'mined' then amount_in * 3 end,
  case when is_swap and status = 'mined' then 'actual' end, case when is_swap then amount_in * 2 end,
  case when status <> 'refused' then made.hash('x', n) end, wallet, n % 100000,
  case when is_swap then 25 end, case when is_swap then 'major' end, case when is_swap then 25 end,
  case when is_swap then 'input' end, case when is_swap then token_in end,
  case when is_swap then amount_in / 400 end, case when is_swap then $8 end,
  case when is_swap then $5 end,
  case when is_swap and status = 'mined' then (amount_in / 1000)::int8 end,
  case when status in ('mined', 'reverted') then at_s - $3::int8 end,
  case when status in ('mined', 'reverted') then made.hash('b', n) end,
  case when status in ('mined', 'reverted') then at_s end, (at_s - 2) * 1000,
  status <> 'pending', path = 'hosted' and status in ('mined', 'reverted', 'dropped'), 21000000000000
from (
  select n, at_s, who, made.wallet(who) as wallet, kind, kind = 'swap' as is_swap, status,
    case when way >= 16 then 'hosted' when way between 13 and 15 and has_sessions then 'session'
      when way between 11 and 12 then 'fast' else 'agent' end as path,
    case when way >= 16 then made.session(agent, month)
      when way between 13 and 15 and has_sessions then made.session(-who, month) end as session_id,
    case when kind = 'swap' then case when n % 2 = 0 then $5 else $6 end end as token_in,
    case when kind = 'swap' then case when n % 29 = 0 then '0x' || md5('t' || 1 + a % 900) || '00000003'
      when n % 2 = 0 then $6 else $5 end end as token_out,
    (100000000 + a % 900000000)::numeric as amount_in
  from (
    select *, who < 1000 or who % 10 = 7 as has_sessions, (at_s - $3::int8) / 2592000 as month
    from (
      select *, case when way >= 16 then made.owner(agent, $9::int8) when b % 100 = 0 then 1
        when b % 100 <= 30 then 2 + a % 998 else 1000 + a % $10::int8 end as who
      from (
        select n, a, b, at_s, c % 20 as way,
          -- Of the live agents one takes a twentieth.
          case when b % 20 = 1 then 1 else 10 * (a % $11::int8 / 3) + 1 + a % 3 end as agent,
          case when c % 100 between 80 and 89 then 'approve' when c % 100 = 90 then 'revoke'
            else 'swap' end as kind,
          case when n > $4::int8 - 20 then 'pending' when c % 100 = 91 and at_s > $7::int8 then 'refused'
            when c % 100 between 92 and 95 then 'reverted' when c % 100 = 96 then 'dropped'
            else 'mined' end as status
        from (
          select n, made.random(n, 1) as a, made.random(n, 2) as b, made.random(n, 3) / 7 as c,
            $3::int8 + n * 31535900 / $4::int8 as at_s
          from generate_series($1::int8, $2::int8) n) as thrown) as chosen) as owned) as dated) as whole`

const FEES = `
insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
  week_start_s, treasury_seq)
select id, fee_token, fee_amount, fee_side, fee_bps, fee_class, fee_recipient, tx_hash, block, mined_at_s,
  week_s, case when week_s < $3::int8 then greatest(1, (week_s - $4::int8) / 604800 + 1) end
from (select *, mined_at_s - (mined_at_s - 345600) % 604800 as week_s from trades
  where id between $1 and $2 and status = 'mined' and fee_bps is not null) as mined`

/** The same fees on the chain, in block order. */
const INCOMINGS = `
insert into treasury_incomings (wallet, token, from_block, to_block, tx_hash, log_index, atoms, how, seq)
select recipient, token, block, block, tx_hash, case when token <> $3 then 7 end, atoms,
  case when token = $3 then 'trace' else 'log' end, treasury_seq
from fees where trade_id between $1 and $2`

export async function fillTrades(filling: Filling, { size, ...world }: YearWorld) {
  const { run, inSteps, withoutIndexes } = filling
  const { startS, nowS, weekS, trades } = size
  const live = Math.floor(size.agents / 10) * 3
  await withoutIndexes(['trades', 'fees', 'treasury_incomings'], async () => {
    await inSteps('trades', trades, TRADES, [
      ...[startS, trades, world.eth, world.usdg, nowS - 30 * DAY_S, world.feeRecipient],
      ...[size.accounts, size.traders, live],
    ])
    await inSteps('fees', trades, FEES, [weekS, weekS - 52 * 7 * DAY_S])
    await inSteps('incomings of the treasury', trades, INCOMINGS, [world.eth])
  })
  await run(`select setval(pg_get_serial_sequence('trades', 'id'), $1)`, [trades])
}

/** Plans of the last hour; the sweep leaves no older ones. */
export async function fillPlans({ run }: Filling, { size, usdg, eth, feeRecipient }: YearWorld) {
  await run(
    `insert into plans (key_id, wallet, path, execution, token_in, token_out, amount_in, amount_out_min,
      fee_bps,
       fee_class, fee_tier, fee_side, fee_token, fee_recipient, fee_apart, created_at_s, deadline_s)
     select n, made.wallet(n), 'agent', 'router', $2, $3, 1000000, 1, 25, 'major', 25, 'input', $2, $4, false,
       $1::int8 - n, $1::int8 - n + 1800
     from generate_series(1, 3000) n`,
    [size.nowS, eth, usdg, feeRecipient],
  )
  await run(
    `insert into plan_txs (key_id, hash, plan_id, kind, step, sender, target, value_wei, data, created_at_s,
       expires_at_s)
     select key_id, made.hash('p', id), id, 'swap', 0, wallet, wallet, 0, sha256(wallet::bytea) ||
       sha256('data'), created_at_s, deadline_s from plans`,
  )
}

/** One price a token and minute, up to now. */
export async function fillMarks({ run, inSteps }: Filling, { size, marked }: YearWorld) {
  for (const [i, token] of marked.entries())
    await inSteps(
      `marks of token ${i + 1}`,
      size.markMinutes,
      `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
       select $3, $4::int8 / 60 * 60 - n * 60, (2000 + n % 97) * 1000000000000000000::numeric, 'oracle_feed',
         1, $4::int8 - n * 60, false
       from generate_series($1::int8, $2::int8) n`,
      [token, size.nowS],
    )
  await run('analyze marks')
}
