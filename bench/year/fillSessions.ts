import { readFileSync } from 'node:fs'
import type { Filling } from './fill.ts'
import type { YearWorld } from './size.ts'

interface Grant {
  http: { answer: { sign?: { delegation: { binding: Record<string, unknown> } } } }[]
  sign: {
    data: { message: Record<string, unknown> & { caveats: object[]; salt: string } }
    signature: string
  }[]
}

/** Sessions that the sweep keeps: active ones, and those that ended in the last 90 days. */
const SESSIONS = `
insert into sessions (id, wallet, executor, status, binding, binding_version, root, root_hash, created_at_s,
  expires_at_s, revoked_at_s, signer_revoked_at_s)
select made.session(of, month), wallet, executor, case when month % 5 = 3 then 'revoked' else 'active' end,
  $5::jsonb || jsonb_build_object('wallet', wallet, 'executor', executor, 'expires_at', ends_s), 3,
  $6::jsonb || jsonb_build_object('delegator', wallet), made.hash('r' || month, of), ends_s - 2592000, ends_s,
  case when month % 5 = 3 then ends_s - 86400 end, case when month % 5 = 3 then ends_s - 86390 end
from generate_series($1::int8, $2::int8) n
cross join generate_series(8, 12) as month
cross join lateral (select $3::int8 + (month + 1) * 2592000 as ends_s) as ends
cross join lateral (`
/** An agent's, granted to its executor. */
const OF_AGENTS = `${SESSIONS}select n as of, made.wallet(made.owner(n, $4::int8)) as wallet,
    made.executor(n) as executor where n % 10 between 1 and 3) as granted`
/** A wallet's own. */
const OF_WALLETS = `${SESSIONS}select -n as of, made.wallet(n) as wallet, made.executor(-n) as executor
    where n <= $4::int8 and (n < 1000 or n % 10 = 7)) as granted`

/** Leaves co-signed under them. */
const COUNTED = `
insert into session_trades (session_id, status, sequence, leaf_hash, micro_usd, created_at_ms)
select session_id, 'signed', row_number() over (partition by session_id order by id), made.hash('l', id),
  1 + amount_in::int8 / 1000, created_at_ms
from trades where session_id in (select id from sessions) and status <> 'refused' and amount_in is not null`

export async function fillSessions({ run, inSteps }: Filling, { size }: YearWorld) {
  const { http, sign } = JSON.parse(readFileSync('fixtures/session-grant.json', 'utf8')) as Grant
  const binding = http[0]!.answer.sign!.delegation.binding
  const { message } = sign[0]!.data
  const root = {
    ...message,
    caveats: message.caveats.map((caveat) => ({ args: '0x', ...caveat })),
    salt: `0x${BigInt(message.salt).toString(16).padStart(64, '0')}`,
    signature: sign[0]!.signature,
  }
  const values = [JSON.stringify(binding), JSON.stringify(root)]
  await inSteps('agents whose sessions are kept', size.agents, OF_AGENTS, [
    size.startS,
    size.accounts,
    ...values,
  ])
  const wallets = 1_000 + size.traders
  await inSteps('wallets whose sessions are kept', wallets, OF_WALLETS, [size.startS, wallets, ...values])
  await run(COUNTED)
}
