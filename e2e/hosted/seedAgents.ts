import { RULE_BRAINS, type RuleBrainName, readRuleParams } from '@pit/brains'
import type { Db } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'

/** Paper agents with rule brains, written directly into the store, in any number. */
export interface Seed {
  count: number
  intervalS: number
  brains: readonly RuleBrainName[]
  pairs: readonly string[]
  /** Parameters that differ from each brain's defaults. */
  params?: Partial<Record<RuleBrainName, Record<string, unknown>>>
  /** Start of their ticks, each with its own phase; absent: all are due at once. */
  afterMs?: number
  nowMs: number
}

const START_MICRO_USD = 10_000_000_000n

export async function seedAgents(db: Db, profile: ChainProfile, seed: Seed): Promise<string[]> {
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')!
  const ids = Array.from({ length: seed.count }, (_, i) => `a_seed${String(i).padStart(6, '0')}`)
  const brainOf = (i: number): RuleBrainName => seed.brains[i % seed.brains.length]!
  const pairOf = (i: number): string => seed.pairs[Math.floor(i / seed.brains.length) % seed.pairs.length]!
  const books = await db.query<{ id: number; owner: string }>(
    `insert into paper_books (owner, start_micro_usd, opened_at_s)
     select 'hosted:' || id, $2, $3 from unnest($1::text[]) as given (id) returning id, owner`,
    [ids, START_MICRO_USD, Math.floor(seed.nowMs / 1_000)],
  )
  const bookOf = new Map(books.map(({ id, owner }) => [owner.slice('hosted:'.length), id]))
  await db.query(
    `insert into paper_balances (book_id, token, atoms) select id, $2, $3
     from unnest($1::int8[]) as given (id)`,
    [books.map(({ id }) => id), usdg.address.toLowerCase(), START_MICRO_USD.toString()],
  )
  await db.query(
    `insert into hosted_agents (id, wallet, key_id, brain, params, interval_s, pairs, tokens,
       max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, status, book_id, created_at_s,
       next_tick_ms)
     select id, wallet, 1, brain, params, $6::int4, array[pair], tokens, 1000000000, 100000000000,
       10000000000, 'paper', 'active', book_id, $7,
       case when $8::int8 is null then $9::int8 else hosted_next_tick(id, $6::int4, $8) end
     from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::text[], $10::jsonb[], $11::int8[])
       as given (id, wallet, brain, params, pair, tokens, book_id)`,
    [
      ids,
      ids.map((_, i) => `0x${(0xa0000 + (i >> 4)).toString(16).padStart(40, '0')}`),
      ids.map((_, i) => brainOf(i)),
      ids.map((_, i) => JSON.stringify(paramsOf(brainOf(i), pairOf(i), seed))),
      ids.map((_, i) => pairOf(i)),
      seed.intervalS,
      Math.floor(seed.nowMs / 1_000),
      seed.afterMs ?? null,
      seed.nowMs,
      ids.map((_, i) => JSON.stringify(tokensOf(profile, pairOf(i)))),
      ids.map((id) => bookOf.get(id)!),
    ],
  )
  return ids
}

function paramsOf(name: RuleBrainName, pair: string, { params }: Seed): Record<string, unknown> {
  const base = pair.split('/')[0]!
  const own = { ...(name === 'rebalance' && { weights: { [base]: 50 } }), ...params?.[name] }
  const read = readRuleParams(RULE_BRAINS[name], own)
  if (!read.ok) throw new Error(`${name}: ${read.field}: ${read.message}`)
  return read.params
}

const tokensOf = ({ core_tokens }: ChainProfile, pair: string) =>
  pair.split('/').map((name) => {
    const { symbol, address, decimals, kind } = core_tokens.find((token) => token.symbol === name)!
    return { token: name, symbol, address: address.toLowerCase(), decimals, stock: kind === 'stock' }
  })
