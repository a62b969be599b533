import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { askBlockNumber, readOne } from '@pit/platform/reads'
import { type ChainProfile, lower, NATIVE_TOKEN } from '@pit/protocol'
import type { LeagueDeps } from '../deps.ts'
import { STILL_JUDGED } from '../season/store.ts'
import { findFunders } from './findFunders.ts'
import { findTokenFunders } from './findTokenFunders.ts'

const MAX_PER_RUN = 20
const MAX_RANGES_PER_RUN = 20
/** An address that could not be read is retried, in case the node was only behind. */
const RETRY_AFTER_S = 3_600

type FunderDeps = Pick<LeagueDeps, 'db' | 'rpc' | 'clock' | 'profile'>

/** The stored funder of an address. A row without a block is looked at again. */
interface FunderRow {
  address: Address
  status: 'pending' | 'read' | 'unreadable'
  funder: Address | null
  block: number | null
  token: Address | null
  nextBlock: number | null
}

/**
 * Looks up unknown first funders of entrants' addresses, some at a time: the first sender of ETH, or without
 * ETH the first sender of a core token.
 */
export async function readFunders(deps: FunderDeps): Promise<number> {
  const { db, rpc, clock } = deps
  const now = nowS(clock)
  const due = await db.query<{ address: Address; next_block: number | null }>(
    `select address, next_block from league_funders
     where (status <> 'read' or block is null) and looked_at_s < $1
       and address in (
         select unnest(array[e.wallet, e.owner, e.agent_wallet]) from league_entries e
         where e.board = 'prize' and ${STILL_JUDGED})
     order by looked_at_s, address limit $2`,
    [now - RETRY_AFTER_S, MAX_PER_RUN],
  )
  if (due.length === 0) return 0
  // While the node cannot be reached this throws, nothing is written, and the next run starts again.
  const ether = await findFunders(
    rpc,
    due.map(({ address }) => address),
  )
  const without = due.filter(({ address }) => ether.get(address) === null)
  const byToken = await readTokenFunders(deps, without)
  const rows = due.map(({ address, next_block }): FunderRow => {
    const tokenRow = byToken.get(address)
    if (tokenRow) return tokenRow
    const funding = ether.get(address)
    return {
      address,
      status: funding ? 'read' : 'unreadable',
      funder: funding?.funder ?? null,
      block: funding?.block ?? null,
      token: null,
      nextBlock: next_block,
    }
  })
  await storeRows(db, rows, now)
  return rows.length
}

async function readTokenFunders(
  { rpc, profile }: FunderDeps,
  due: readonly { address: Address; next_block: number | null }[],
): Promise<Map<Address, FunderRow>> {
  if (due.length === 0) return new Map()
  const head = (await readOne(rpc, askBlockNumber())) - profile.chain.settled_blocks
  const { fundings: found, next } = await findTokenFunders(rpc, {
    tokens: coreTokensOf(profile),
    from: new Map(due.map(({ address, next_block }) => [address, next_block ?? profile.first_block])),
    head,
    maxRanges: MAX_RANGES_PER_RUN,
  })
  return new Map(
    due.map(({ address }): [Address, FunderRow] => {
      const funding = found.get(address)
      const row = { address, funder: null, block: null, token: null }
      if (!funding) {
        const nextBlock = next.get(address)!
        return [address, { ...row, status: nextBlock > head ? 'read' : 'pending', nextBlock }]
      }
      const { funder, token, block } = funding
      // Tokens from a contract or a mint say nothing about an owner: left for manual review.
      if (funder === null) return [address, { ...row, status: 'unreadable', nextBlock: block }]
      return [address, { address, status: 'read', funder, block, token, nextBlock: block }]
    }),
  )
}

const coreTokensOf = ({ core_tokens }: Pick<ChainProfile, 'core_tokens'>): Address[] =>
  core_tokens.map(({ address }) => lower(address)).filter((address) => address !== NATIVE_TOKEN)

/** A row whose search goes on is due again at once. */
async function storeRows(sql: Sql, rows: readonly FunderRow[], nowS: number): Promise<void> {
  await sql.query(
    `update league_funders f set status = given.status, funder = given.funder, block = given.block,
       token = given.token, next_block = given.next_block, looked_at_s = given.looked_at_s
     from unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::int8[], $7::int8[])
       as given (address, status, funder, block, token, next_block, looked_at_s)
     where f.address = given.address`,
    [
      rows.map(({ address }) => address),
      rows.map(({ status }) => status),
      rows.map(({ funder }) => funder),
      rows.map(({ block }) => block),
      rows.map(({ token }) => token),
      rows.map(({ nextBlock }) => nextBlock),
      rows.map(({ status }) => (status === 'pending' ? 0 : nowS)),
    ],
  )
}
