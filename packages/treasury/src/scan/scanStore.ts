import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { BlockRange, Incoming, LoggedIncoming } from '../types.ts'
import type { EtherState } from './readEther.ts'

export interface Scan {
  block: number
  blockHash: Hex
  firstBlock: number
  firstS: number
  ether: EtherState | null
}

interface ScanRow {
  block: number
  block_hash: Hex
  first_block: number
  first_s: number
  ether_block: number | null
  ether_wei: string | null
  ether_nonce: number | null
}

export async function readScan(sql: Sql, wallet: Address): Promise<Scan | null> {
  const [row] = await sql.query<ScanRow>('select * from treasury_scan where wallet = $1', [wallet])
  return row ? scanOf(row) : null
}

function scanOf(row: ScanRow): Scan {
  const { ether_block, ether_wei, ether_nonce } = row
  return {
    block: row.block,
    blockHash: row.block_hash,
    firstBlock: row.first_block,
    firstS: row.first_s,
    ether:
      ether_block === null || ether_wei === null || ether_nonce === null
        ? null
        : { block: ether_block, wei: BigInt(ether_wei), nonce: ether_nonce },
  }
}

/** Of two concurrent first scans one is stored. */
export async function insertScan(
  sql: Sql,
  wallet: Address,
  scan: Scan,
  unread: BlockRange | null,
): Promise<void> {
  const inserted = await sql.query(
    `insert into treasury_scan (wallet, block, block_hash, first_block, first_s, ether_block, ether_wei,
     ether_nonce)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning wallet`,
    [
      wallet,
      scan.block,
      scan.blockHash,
      scan.firstBlock,
      scan.firstS,
      scan.ether?.block ?? null,
      scan.ether?.wei.toString() ?? null,
      scan.ether?.nonce ?? null,
    ],
  )
  if (inserted.length > 0 && unread) await insertUnread(sql, wallet, unread)
}

async function insertUnread(sql: Sql, wallet: Address, { fromBlock, toBlock }: BlockRange): Promise<void> {
  await sql.query(
    'insert into treasury_unread (wallet, from_block, to_block) values ($1, $2, $3) on conflict do nothing',
    [wallet, fromBlock, toBlock],
  )
}

/** The latest stored end of an interval, recorded or not. */
export async function lastEnd(
  sql: Sql,
  wallet: Address,
): Promise<{ endS: number; lastBlock: number } | null> {
  const [row] = await sql.query<{ end_s: number; last_block: number }>(
    'select end_s, last_block from treasury_ends where wallet = $1 order by end_s desc limit 1',
    [wallet],
  )
  return row ? { endS: row.end_s, lastBlock: row.last_block } : null
}

export async function insertEnd(
  sql: Sql,
  { wallet, endS, lastBlock }: { wallet: Address; endS: number; lastBlock: number },
): Promise<void> {
  await sql.query(
    'insert into treasury_ends (wallet, end_s, last_block) values ($1, $2, $3) on conflict do nothing',
    [wallet, endS, lastBlock],
  )
}

/** The result of one scan step. */
export interface Step {
  block: number
  blockHash: Hex
  ether: EtherState | null
  incomings: readonly (Incoming | LoggedIncoming)[]
  unread: BlockRange | null
  /** Set if an interval ends with the step. */
  endS: number | null
}

/** Stores a step unless another reader advanced meanwhile; returns whether it was stored. */
export async function storeStep(sql: Sql, wallet: Address, was: Scan, step: Step): Promise<boolean> {
  if (!(await isStill(sql, wallet, was))) return false
  await insertIncomings(sql, wallet, step.incomings)
  if (step.unread) await insertUnread(sql, wallet, step.unread)
  if (step.endS !== null) await insertEnd(sql, { wallet, endS: step.endS, lastBlock: step.block })
  await sql.query(
    `update treasury_scan set block = $2, block_hash = $3, ether_block = $4, ether_wei = $5, ether_nonce = $6
     where wallet = $1`,
    [
      wallet,
      step.block,
      step.blockHash,
      step.ether?.block ?? null,
      step.ether?.wei.toString() ?? null,
      step.ether?.nonce ?? null,
    ],
  )
  return true
}

/** Locks the position: concurrent readers wait and then see it advanced. */
async function isStill(sql: Sql, wallet: Address, was: Scan): Promise<boolean> {
  const [row] = await sql.query<ScanRow>('select * from treasury_scan where wallet = $1 for update', [wallet])
  return row?.block === was.block && row.block_hash === was.blockHash
}

async function insertIncomings(
  sql: Sql,
  wallet: Address,
  incomings: readonly (Incoming | LoggedIncoming)[],
): Promise<void> {
  if (incomings.length === 0) return
  await sql.query(
    `insert into treasury_incomings (wallet, token, from_block, to_block, tx_hash, log_index, atoms, how)
     select $1, token, from_block, to_block, tx_hash, log_index, atoms::numeric, how
     from unnest($2::text[], $3::int8[], $4::int8[], $5::text[], $6::int4[], $7::text[], $8::text[])
       as given (token, from_block, to_block, tx_hash, log_index, atoms, how)
     on conflict do nothing`,
    [
      wallet,
      incomings.map(({ token }) => token),
      incomings.map(({ fromBlock }) => fromBlock),
      incomings.map(({ toBlock }) => toBlock),
      incomings.map(({ txHash }) => txHash),
      incomings.map((incoming) => ('logIndex' in incoming ? incoming.logIndex : null)),
      incomings.map(({ atoms }) => atoms.toString()),
      incomings.map(({ how }) => how),
    ],
  )
}

/** An unrecorded balance range that begins up to a block and ends after it. */
export async function rangeAcross(sql: Sql, wallet: Address, block: number): Promise<BlockRange | null> {
  const [row] = await sql.query<{ from_block: number; to_block: number }>(
    `select from_block, to_block from treasury_incomings
     where wallet = $1 and seq is null and how = 'balance' and to_block > $2 and from_block <= $2`,
    [wallet, block],
  )
  return row ? { fromBlock: row.from_block, toBlock: row.to_block } : null
}

/** After a reorganisation: deletes unrecorded readings after a block. */
export async function rewindScan(
  sql: Sql,
  wallet: Address,
  was: Scan,
  to: { block: number; hash: Hex; ether: EtherState | null },
): Promise<void> {
  if (!(await isStill(sql, wallet, was))) return
  await sql.query('delete from treasury_incomings where wallet = $1 and seq is null and to_block > $2', [
    wallet,
    to.block,
  ])
  await sql.query('delete from treasury_unread where wallet = $1 and from_block > $2', [wallet, to.block])
  await sql.query('delete from treasury_ends where wallet = $1 and last_block > $2', [wallet, to.block])
  await sql.query(
    `update treasury_scan set block = $2, block_hash = $3, ether_block = $4, ether_wei = $5, ether_nonce = $6
     where wallet = $1`,
    [
      wallet,
      to.block,
      to.hash,
      to.ether?.block ?? null,
      to.ether?.wei.toString() ?? null,
      to.ether?.nonce ?? null,
    ],
  )
}
