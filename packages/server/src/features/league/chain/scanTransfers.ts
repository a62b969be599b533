import { nowS } from '@pit/platform/clock'
import type { Rpc } from '@pit/platform/rpc'
import { numberToHex } from 'viem'
import type { LeagueDeps } from '../deps.ts'
import { blockTimeS } from './blockAt.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const GROUP = 100
const LEAST_RANGE = 500
const MOST_RANGE = 200_000
/** Newer blocks may still change, and those of a minute are not worth a look. */
const BEHIND_HEAD = 20
const WORTH_A_LOOK_S = 60
/** An address that sent its token to more than this many is flagged instead. */
const MOST_PARTNERS = 2_000

interface Scan {
  token: string
  address: string
  next_block: number
  scanned_to_s: number
}
interface Log {
  address: string
  topics: string[]
  transactionHash: string
  blockNumber: string
}

/**
 * Looks for transfers of entrants' agent tokens, to or from entrants' addresses, one range of blocks after the other. Many
 * that are at the same block share a look. The range shrinks when the node refuses it and grows again.
 */
export function createTransferScanner(
  deps: Pick<LeagueDeps, 'db' | 'clock' | 'logger'> & { rpc: Pick<Rpc, 'request'> },
): () => Promise<'more' | 'done'> {
  const { db, rpc, clock, logger } = deps
  let range = 20_000
  return async () => {
    const first = await db.query<Scan>(
      `select token, address, next_block, scanned_to_s from league_transfer_scans order by unreadable, next_block limit ${GROUP}`,
    )
    const oldest = first[0]
    if (!oldest || oldest.scanned_to_s > nowS(clock) - WORTH_A_LOOK_S) return 'done'
    const from = oldest.next_block
    const head = Number(await rpc.request<string>('eth_blockNumber')) - BEHIND_HEAD
    if (head < from) return 'done'
    const to = Math.min(from + range - 1, head)
    const group = first.filter(({ next_block }) => next_block === from)
    try {
      const transfers = await readTransfers(rpc, group, from, to)
      await keep(deps, group, transfers, { next: to + 1, scannedToS: await blockTimeS(rpc, to) })
      range = Math.min(range * 2, MOST_RANGE)
      return 'more'
    } catch (error) {
      if (range <= LEAST_RANGE) {
        logger.warn({ err: error, from, to }, 'transfers of agents’ tokens cannot be read')
        await markUnreadable(deps, group)
        return 'done'
      }
      range = Math.max(Math.floor(range / 4), LEAST_RANGE)
      return 'more'
    }
  }
}

interface Transfer extends Pick<Scan, 'token' | 'address'> {
  other: string
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
    [TRANSFER, words],
    [TRANSFER, null, words],
  ]) {
    const logs = await rpc.request<Log[]>('eth_getLogs', [{ ...filter, topics }])
    for (const log of logs) {
      const token = log.address.toLowerCase()
      const [sender, receiver] = [addressIn(log.topics[1]), addressIn(log.topics[2])]
      if (!sender || !receiver || sender === receiver) continue
      const [tx, block] = [log.transactionHash.toLowerCase(), Number(log.blockNumber)]
      if (asked.has(`${token} ${sender}`)) found.push({ token, address: sender, other: receiver, tx, block })
      if (asked.has(`${token} ${receiver}`))
        found.push({ token, address: receiver, other: sender, tx, block })
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
      `insert into league_transfers (token, address, other, tx_hash, block)
       select distinct on (token, address, other) token, address, other, tx_hash, block
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[])
         as given (token, address, other, tx_hash, block)
       where (select count(*) from league_transfers t where t.token = given.token and t.address = given.address)
         < ${MOST_PARTNERS}
       order by token, address, other, block on conflict do nothing`,
      [
        transfers.map(({ token }) => token),
        transfers.map(({ address }) => address),
        transfers.map(({ other }) => other),
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

async function markUnreadable({ db }: Pick<LeagueDeps, 'db'>, group: readonly Scan[]): Promise<void> {
  await db.query(
    `update league_transfer_scans s set unreadable = true from unnest($1::text[], $2::text[]) as given (token, address)
     where s.token = given.token and s.address = given.address`,
    [group.map(({ token }) => token), group.map(({ address }) => address)],
  )
}
