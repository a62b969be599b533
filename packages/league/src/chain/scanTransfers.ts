import { ERC20_TRANSFER_TOPIC } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Rpc } from '@pit/platform/rpc'
import { numberToHex } from 'viem'
import type { LeagueDeps } from '../deps.ts'
import { STILL_JUDGED } from '../season/store.ts'
import { blockTimeS } from './blockAt.ts'

const GROUP = 100
const LEAST_RANGE = 500
const MOST_RANGE = 200_000
/** Newer blocks may still change, and those of a minute are not worth a look. */
const BEHIND_HEAD = 20
const WORTH_A_LOOK_S = 60
/** One that could not be read is tried again: the node may have been mended. */
const AGAIN_S = 3_600
/** An address that sent its token to more than this many is flagged instead. */
const MOST_PARTNERS = 2_000

interface Scan {
  token: string
  address: string
  next_block: number
}
interface Log {
  address: string
  topics: string[]
  transactionHash: string
  blockNumber: string
}

/**
 * Looks for transfers of entrants' agent tokens, to or from entrants' addresses, one range of blocks after the other. Many
 * that are at the same block share a look. Range and group shrink when the node refuses them and grow again: one that
 * cannot be read at all is marked alone, while the node answers.
 */
export function createTransferScanner(
  deps: Pick<LeagueDeps, 'db' | 'clock' | 'logger'> & { rpc: Pick<Rpc, 'request'> },
): () => Promise<'more' | 'done'> {
  const { db, rpc, clock, logger } = deps
  let range = 20_000
  let most = GROUP
  return async () => {
    const now = nowS(clock)
    if ((await dueScans(db, now, { limit: 1 })).length === 0) return 'done'
    const head = await scannableHead(rpc)
    const due = await dueScans(db, now, { upTo: head, limit: most })
    const oldest = due[0]
    if (!oldest) return 'done'
    const from = oldest.next_block
    const to = Math.min(from + range - 1, head)
    const group = due.filter(({ next_block }) => next_block === from)
    try {
      const transfers = await readTransfers(rpc, group, from, to)
      await keep(deps, group, transfers, { next: to + 1, scannedToS: await blockTimeS(rpc, to) })
      range = Math.min(range * 2, MOST_RANGE)
      most = Math.min(most * 2, GROUP)
      return 'more'
    } catch (error) {
      // A node that cannot be reached says nothing about what was asked; one too slow for it answers this.
      await scannableHead(rpc)
      if (range <= LEAST_RANGE && group.length === 1) {
        logger.warn({ err: error, from, to }, 'transfers of an agent’s token cannot be read')
        await markUnreadable(deps, group, now)
        return 'done'
      }
      if (range <= LEAST_RANGE) most = Math.max(Math.floor(group.length / 4), 1)
      range = Math.max(Math.floor(range / 4), LEAST_RANGE)
      return 'more'
    }
  }
}

const scannableHead = async (rpc: Pick<Rpc, 'request'>): Promise<number> =>
  Number(await rpc.request<string>('eth_blockNumber')) - BEHIND_HEAD

/** What is worth a look: those never refused first, of those the furthest behind. */
const dueScans = (
  sql: Sql,
  now: number,
  { upTo, limit }: { upTo?: number; limit: number },
): Promise<Scan[]> =>
  sql.query<Scan>(
    `select token, address, next_block from league_transfer_scans
     where scanned_to_s <= $1 and (not unreadable or tried_at_s <= $2) and ($3::int8 is null or next_block <= $3)
       and (token, address) in (
         select e.token, unnest(array[e.wallet, e.owner, e.agent_wallet, e.beneficiary]) from league_entries e
         where e.board = 'prize' and ${STILL_JUDGED})
     order by unreadable, next_block limit $4`,
    [now - WORTH_A_LOOK_S, now - AGAIN_S, upTo ?? null, limit],
  )

interface Transfer extends Pick<Scan, 'token' | 'address'> {
  other: string
  /** Whether the address sent it, or got it. */
  sent: boolean
  tx: string
  block: number
}

async function readTransfers(
  rpc: Pick<Rpc, 'request'>,
  group: readonly Scan[],
  fromBlock: number,
  toBlock: number,
): Promise<Transfer[]> {
  const asked = new Set(group.map(({ token, address }) => `${token} ${address}`))
  const words = [...new Set(group.map(({ address }) => `0x${address.slice(2).padStart(64, '0')}`))]
  const filter = {
    address: [...new Set(group.map(({ token }) => token))],
    fromBlock: numberToHex(fromBlock),
    toBlock: numberToHex(toBlock),
  }
  const found: Transfer[] = []
  for (const topics of [
    [ERC20_TRANSFER_TOPIC, words],
    [ERC20_TRANSFER_TOPIC, null, words],
  ]) {
    const logs = await rpc.request<Log[]>('eth_getLogs', [{ ...filter, topics }])
    for (const log of logs) {
      const token = log.address.toLowerCase()
      const [sender, receiver] = [addressIn(log.topics[1]), addressIn(log.topics[2])]
      if (!sender || !receiver || sender === receiver) continue
      const [tx, block] = [log.transactionHash.toLowerCase(), Number(log.blockNumber)]
      const [isSender, isReceiver] = [sender, receiver].map((address) => asked.has(`${token} ${address}`))
      if (isSender) found.push({ token, address: sender, other: receiver, sent: true, tx, block })
      if (isReceiver) found.push({ token, address: receiver, other: sender, sent: false, tx, block })
    }
  }
  return found
}

const addressIn = (topic: string | undefined): string | null =>
  topic?.length === 66 ? `0x${topic.slice(26).toLowerCase()}` : null

/** The transfers and how far it was looked, in one transaction. */
async function keep(
  { db }: Pick<LeagueDeps, 'db'>,
  group: readonly Scan[],
  transfers: readonly Transfer[],
  { next, scannedToS }: { next: number; scannedToS: number },
): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(
      `insert into league_transfers (token, address, other, sent, tx_hash, block)
       select distinct on (token, address, other, sent) token, address, other, sent, tx_hash, block
       from unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::text[], $6::int8[])
         as given (token, address, other, sent, tx_hash, block)
       where (select count(*) from league_transfers t where t.token = given.token and t.address = given.address)
         < ${MOST_PARTNERS}
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
         unreadable = (select count(*) from league_transfers t where t.token = s.token and t.address = s.address)
           >= ${MOST_PARTNERS}
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
    `update league_transfer_scans s set unreadable = true, tried_at_s = $3 from unnest($1::text[], $2::text[]) as given (token, address)
     where s.token = given.token and s.address = given.address`,
    [group.map(({ token }) => token), group.map(({ address }) => address), now],
  )
}
