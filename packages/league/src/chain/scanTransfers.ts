import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import {
  askBlockNumber,
  createLogSpan,
  readBlockTime,
  readOne,
  refusalOf,
  scanTransfers,
  type Transfer,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'
import { STILL_JUDGED } from '../season/store.ts'

const MAX_GROUP = 100
/** Newer scans are not repeated within a minute. */
const WORTH_A_LOOK_S = 60
/** A failed scan is retried after this time, in case the node was repaired. */
const RETRY_AFTER_S = 3_600
/** An address with more transfer partners than this is flagged instead. */
const MAX_PARTNERS = 2_000

interface Scan {
  token: Address
  address: Address
  next_block: number
}

/**
 * Scans for transfers of entrants' agent tokens, to or from entrants' addresses, one range of blocks after
 * the other. Scans at the same block share a query. Range and group shrink when the node refuses them and
 * grow again; a single scan that still fails while the node answers is marked unreadable.
 */
export function createTransferScanner(
  deps: Pick<LeagueDeps, 'db' | 'clock' | 'logger' | 'profile'> & { rpc: Pick<Rpc, 'request'> },
): () => Promise<'more' | 'done'> {
  const { db, rpc, clock, logger } = deps
  const span = createLogSpan({ start: 20_000, min: 500, max: 200_000 })
  let maxGroup = MAX_GROUP
  return async () => {
    const now = nowS(clock)
    if ((await dueScans(db, now, { limit: 1 })).length === 0) return 'done'
    const head = await scannableHead(deps)
    const due = await dueScans(db, now, { upTo: head, limit: maxGroup })
    const oldest = due[0]
    if (!oldest) return 'done'
    const range = { from: oldest.next_block, to: head }
    const group = due.filter(({ next_block }) => next_block === range.from)
    const addresses = group.map(({ address }) => address)
    const tokens = [...new Set(group.map(({ token }) => token))]
    try {
      const filter = { tokens, senders: addresses, receivers: addresses }
      const { to, transfers } = await scanTransfers(rpc, span, filter, range)
      const scanned = { next: to + 1, scannedToS: await readBlockTime(rpc, to) }
      await storeScan(deps, group, sidesOf(group, transfers), scanned)
      maxGroup = Math.min(maxGroup * 2, MAX_GROUP)
      return 'more'
    } catch (error) {
      // If the node is unreachable or busy, this throws: the failure says nothing about the query.
      await scannableHead(deps)
      if (refusalOf(error) === 'rate') throw error
      if (span.shrink({ from: range.from, to: span.endOf(range) })) return 'more'
      if (group.length > 1) {
        maxGroup = Math.max(Math.floor(group.length / 4), 1)
        return 'more'
      }
      logger.warn({ err: error, ...range }, 'transfers of an agent’s token cannot be read')
      await markUnreadable(deps, group, now)
      return 'done'
    }
  }
}

/** Newer blocks may still change. */
const scannableHead = async ({
  rpc,
  profile,
}: Pick<LeagueDeps, 'profile'> & { rpc: Pick<Rpc, 'request'> }): Promise<number> =>
  (await readOne(rpc, askBlockNumber())) - profile.chain.settled_blocks

/** Due scans: those never refused first, of those the furthest behind. */
const dueScans = (
  sql: Sql,
  now: number,
  { upTo, limit }: { upTo?: number; limit: number },
): Promise<Scan[]> =>
  sql.query<Scan>(
    `select token, address, next_block from league_transfer_scans
     where scanned_to_s <= $1 and (not unreadable or tried_at_s <= $2)
     and ($3::int8 is null or next_block <= $3)
       and (token, address) in (
         select e.token, unnest(array[e.wallet, e.owner, e.agent_wallet, e.beneficiary]) from league_entries e
         where e.board = 'prize' and ${STILL_JUDGED})
     order by unreadable, next_block limit $4`,
    [now - WORTH_A_LOOK_S, now - RETRY_AFTER_S, upTo ?? null, limit],
  )

interface TransferSide extends Pick<Scan, 'token' | 'address'> {
  other: Address
  /** True if the address is the sender, false if the receiver. */
  sent: boolean
  tx: string
  block: number
}

/** Transfers from the view of each scan in the group; one between two of them counts for both. */
function sidesOf(group: readonly Scan[], transfers: readonly Transfer[]): TransferSide[] {
  const scanKeys = new Set(group.map(({ token, address }) => `${token} ${address}`))
  return (
    transfers
      // Anyone can log a zero transfer from any address.
      .filter(({ from, to, atoms }) => from !== to && atoms !== 0n)
      .flatMap(({ token, from, to, txHash: tx, block }) => [
        { token, address: from, other: to, sent: true, tx, block },
        { token, address: to, other: from, sent: false, tx, block },
      ])
      .filter(({ token, address }) => scanKeys.has(`${token} ${address}`))
  )
}

/** Stores the transfers and the scan's position in one transaction. */
async function storeScan(
  { db }: Pick<LeagueDeps, 'db'>,
  group: readonly Scan[],
  transfers: readonly TransferSide[],
  { next, scannedToS }: { next: number; scannedToS: number },
): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(
      `insert into league_transfers (token, address, other, sent, tx_hash, block)
       select distinct on (token, address, other, sent) token, address, other, sent, tx_hash, block
       from unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::text[], $6::int8[])
         as given (token, address, other, sent, tx_hash, block)
       where (select count(*) from league_transfers t where t.token = given.token
       and t.address = given.address)
         < ${MAX_PARTNERS}
       order by token, address, other, sent, block on conflict do nothing`,
      [
        transfers.map(({ token }) => token),
        transfers.map(({ address }) => address),
        transfers.map(({ other }) => other),
        transfers.map(({ sent }) => sent),
        transfers.map(({ tx }) => tx),
        transfers.map(({ block }) => block),
      ],
    )
    await sql.query(
      `update league_transfer_scans s set next_block = $3, scanned_to_s = $4,
         unreadable = (select count(*) from league_transfers t where t.token = s.token
         and t.address = s.address)
           >= ${MAX_PARTNERS}
       from unnest($1::text[], $2::text[]) as given (token, address)
       where s.token = given.token and s.address = given.address and s.next_block < $3`,
      [group.map(({ token }) => token), group.map(({ address }) => address), next, scannedToS],
    )
  })
}

async function markUnreadable(
  { db }: Pick<LeagueDeps, 'db'>,
  group: readonly Scan[],
  now: number,
): Promise<void> {
  await db.query(
    `update league_transfer_scans s set unreadable = true, tried_at_s = $3 from unnest($1::text[], $2::text[])
     as given (token, address)
     where s.token = given.token and s.address = given.address`,
    [group.map(({ token }) => token), group.map(({ address }) => address), now],
  )
}
