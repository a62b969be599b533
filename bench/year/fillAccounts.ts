import { createHash } from 'node:crypto'
import { DAY_S } from '@pit/protocol'
import type { Filling } from './fill.ts'
import { BUSY, ORDINARY, type YearWorld } from './size.ts'

/** Keys of the two requesting accounts. */
export const keyOf = (account: number): string => `pit_w_${String(account).padStart(43, 'A')}`
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Accounts with their keys: what the sweep leaves of a year, 90 days past each key's end. */
export async function fillAccounts({ run, inSteps, withoutIndexes }: Filling, { size }: YearWorld) {
  await withoutIndexes(['accounts', 'api_keys'], async () => {
    await inSteps(
      'accounts',
      size.accounts,
      `insert into accounts (id, wallet, created_at_s) overriding system value
       select n, made.wallet(n), $3::int8 + n * 31536000 / $4::int8
       from generate_series($1::int8, $2::int8) n`,
      [size.startS, size.accounts],
    )
    await inSteps(
      'keys',
      size.keys,
      `insert into api_keys (id, account_id, wallet, key_sha256, issued_at_s, expires_at_s, revoked_at_s)
         overriding system value
       select n, owner, made.wallet(owner), sha256(('key' || n)::bytea), at_s, at_s + 2592000,
         case when n % 12 = 0 then at_s + 86400 end
       from generate_series($1::int8, $2::int8) n
       cross join lateral (select 1 + n % $4::int8 as owner, $3::int8 - (n * 7919) % 10368000 as at_s) made`,
      [size.nowS, size.accounts],
    )
  })
  await run(`select setval(pg_get_serial_sequence('accounts', 'id'), max(id)) from accounts`)
  await run(`select setval(pg_get_serial_sequence('api_keys', 'id'), max(id)) from api_keys`)
  for (const account of [BUSY, ORDINARY])
    await run(
      `insert into api_keys (account_id, wallet, key_sha256, issued_at_s, expires_at_s)
       values ($1, made.wallet($1), $2, $3, $4)`,
      [account, sha256(keyOf(account)), size.nowS - DAY_S, size.nowS + 20 * DAY_S],
    )
  // A day of counts and the last minutes' challenges: the sweep keeps no more.
  await run(
    `insert into issue_counts (what, scope, window_start_s, count)
     select 'key', '10.' || n % 200 || '.' || n / 200 || '.1', $1, 1 + n % 5
     from generate_series(1, 10000) n`,
    [size.nowS - DAY_S],
  )
  await run(
    `insert into challenges (wallet, purpose, nonce, issued_at_s, expires_at_s)
     select made.wallet(n), 'sign-in', md5('n' || n), $1, $1::int8 + 300 from generate_series(1, 2000) n`,
    [size.nowS - 60],
  )
  await run(
    `insert into operator_actions (at_s, operator, action, details, reason)
     select $1::int8 - n * 6000, 'op', (array['kill', 'live', 'review', 'payout'])[1 + n % 4], '{"n": 1}',
       'a reason'
     from generate_series(1, 5000) n`,
    [size.nowS],
  )
}

/** The registry that search reads. */
export async function fillTokens({ inSteps }: Filling, { size }: YearWorld) {
  await inSteps(
    'tokens',
    size.tokens,
    `with made as (
       select '0x' || md5('t' || n) || '00000003' as address, 'tkn' || n as symbol_key,
         'token number ' || n as name_key, case when n % 9 = 0 then 'blocked' else 'C' end as tier,
         (array['erc20', 'curve', 'bridged', 'partner_agent'])[1 + n % 4] as kind,
         1e7 / (1 + (n * 7919) % 1000003) as rank_usd
       from generate_series($1::int8, $2::int8) n
     ), kept as (
       insert into tokens (address, symbol_key, name_key, tier, kind, tradable, blocked_reason, risks,
         rank_usd, replaceable, screened_at_s, updated_at_s)
       select address, symbol_key, name_key, tier, kind, tier <> 'blocked',
         case when tier = 'blocked' then 'NO_ROUTE' end, array['NEW_TOKEN', 'SINGLE_POOL'], rank_usd, false,
         1, 1 from made)
     insert into token_records (address, record, reading)
     select address, jsonb_build_object('address', address, 'symbol', upper(symbol_key), 'name', name_key,
       'tier', tier, 'kind', kind, 'liquidity_usd', rank_usd, 'risks', '[]'::jsonb, 'venues', '[]'::jsonb),
       '{"decimals": 18}' from made`,
  )
}
