import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { StoredRecord } from './describeToken.ts'
import { searchKey } from './text.ts'

export interface TokenSearchTerms {
  q: string
  tier?: string
  kind?: string
  limit: number
}

export interface TokenSearch {
  find(terms: TokenSearchTerms): Promise<StoredRecord[]>
  /** Discards cached lists after a token was added or screened again. */
  forgetLists(): void
}

/** Tokens read from the start of a prefix. With DEEPEST it bounds the cost of a search. */
const FIRST_OF_PREFIX = 100
/** The deepest tokens, searched in memory. */
const DEEPEST = 500
const DEEPEST_FOR_MS = 10_000
const MAX_FILTERS = 100
/** Lists without a search are the same for everyone: one read serves all callers within this time. */
const LISTED_FOR_MS = 1_000
const MAX_SHARED = 200
const LAST_CHAR = '\u{10ffff}'

interface DeepToken {
  address: string
  symbol_key: string
  name_key: string
}
type Filter = Pick<TokenSearchTerms, 'tier' | 'kind'>

/**
 * Finds tokens whose symbol, name or address starts with `q`: an exact symbol first, then the deepest. The prefix
 * is compared as a range of keys, so no character in it is special.
 */
export function createTokenSearch(deps: {
  db: Sql
  clock: Clock
  logger: Pick<Logger, 'warn'>
}): TokenSearch {
  const deepest = keepDeepest(deps)
  const lists = createCache<string, StoredRecord[]>({
    max: MAX_FILTERS,
    ttlMs: LISTED_FOR_MS,
    clock: deps.clock,
  })
  async function find(terms: TokenSearchTerms): Promise<StoredRecord[]> {
    const q = searchKey(terms.q)
    if (q === '') {
      const { tier, kind, limit } = terms
      return lists.load(JSON.stringify([tier, kind, limit]), () => listTokens(deps.db, terms))
    }
    const byAddress = q.startsWith('0x')
    const matches: string[] = []
    for (const { address, symbol_key, name_key } of await deepest(terms)) {
      if (!symbol_key.startsWith(q) && !name_key.startsWith(q) && !(byAddress && address.startsWith(q)))
        continue
      if (matches.push(address) === terms.limit) break
    }
    return findByPrefix(deps.db, q, terms, matches)
  }
  return { find, forgetLists: lists.clear }
}

async function findByPrefix(
  sql: Sql,
  q: string,
  { limit, ...filter }: TokenSearchTerms,
  deep: readonly string[],
): Promise<StoredRecord[]> {
  const values: unknown[] = [q, q + LAST_CHAR, deep, limit]
  const where = conditions(filter, values)
  const keys = q.startsWith('0x') ? ['symbol_key', 'name_key', 'address'] : ['symbol_key', 'name_key']
  const columns = 'address, symbol_key, tier, kind, rank_usd'
  const starts = keys.map(
    (key) => `(select * from (
       select ${columns} from tokens where ${key} >= $1::text and ${key} < $2::text
       order by ${key} limit ${FIRST_OF_PREFIX}
     ) first_by_${key} ${where})`,
  )
  const rows = await sql.query<{ record: StoredRecord }>(
    `select record from (
       select distinct address, symbol_key <> $1::text as is_longer, rank_usd from (
         ${starts.join(' union all ')}
         union all (select ${columns} from tokens where address = any($3::text[]))
       ) candidates order by is_longer, rank_usd desc, address limit $4::int4
     ) found join token_records using (address) order by is_longer, rank_usd desc, address`,
    values,
  )
  return rows.map(({ record }) => record)
}

async function listTokens(sql: Sql, { limit, ...filter }: TokenSearchTerms): Promise<StoredRecord[]> {
  const values: unknown[] = [limit]
  const rows = await sql.query<{ record: StoredRecord }>(
    `select record from (
       select address, rank_usd from tokens ${conditions(filter, values)}
       order by rank_usd desc, address limit $1::int4
     ) found join token_records using (address) order by rank_usd desc, address`,
    values,
    { prepared: true },
  )
  return rows.map(({ record }) => record)
}

function conditions({ tier, kind }: Filter, values: unknown[]): string {
  const params = [
    ...(tier === undefined ? [] : [`tier = $${values.push(tier)}::text`]),
    ...(kind === undefined ? [] : [`kind = $${values.push(kind)}::text`]),
  ]
  return params.length > 0 ? `where ${params.join(' and ')}` : ''
}

/** The deepest tokens of each filter; an old list is returned at once while it is refreshed. */
function keepDeepest({ db, clock, logger }: Parameters<typeof createTokenSearch>[0]) {
  const lists = createCache<string, DeepToken[]>({ max: MAX_FILTERS, ttlMs: DEEPEST_FOR_MS, clock })

  return async (filter: Filter): Promise<DeepToken[]> => {
    const name = `${filter.tier ?? ''} ${filter.kind ?? ''}`
    const values: unknown[] = []
    const text = `select address, symbol_key, name_key from tokens ${conditions(filter, values)}
      order by rank_usd desc, address limit ${DEEPEST}`
    const cached = lists.latest(name)
    const rows = lists.load(name, () => db.query<DeepToken>(text, values))
    if (cached === undefined || !(rows instanceof Promise)) return rows
    rows.catch((error) => logger.warn({ err: error }, 'failed to refresh the deepest tokens'))
    return cached.value
  }
}

/** How many tokens other than `except` have a symbol, in any case; counted up to MAX_SHARED. */
export async function countSharing(
  sql: Sql,
  symbol: string,
  except = '',
): Promise<{ count: number; atLeast: boolean }> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int4 as count from (
       select 1 from tokens where symbol_key = $1 and address <> $2
       order by symbol_key limit ${MAX_SHARED + 1}
     ) sharing`,
    [searchKey(symbol), except],
  )
  const count = row?.count ?? 0
  return { count: Math.min(count, MAX_SHARED), atLeast: count > MAX_SHARED }
}
