import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { askHeader, needAll } from '@pit/platform/reads'
import { lower, TREASURY_BUCKETS, type TreasuryBucket } from '@pit/protocol'
import { platformWalletOf, readTokensOf, type TreasuryDeps } from './deps.ts'
import { readSent } from './readSent.ts'
import { booksOf } from './rules/books.ts'
import type { Sent } from './rules/composeTransfer.ts'
import { readHead, readRows, recordedFor } from './store.ts'

/** A transfer that cannot be recorded; the message gives the reason. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused'
}

export interface TransferRequest {
  bucket: TreasuryBucket
  txHash: Hex
}

/** Reads a transfer to a bucket from the chain: it must be mined, successful and old enough to stay. */
export async function readTransfer(deps: TreasuryDeps, named: TransferRequest): Promise<Sent> {
  const { db, rpc, profile } = deps
  const { bucket } = named
  const platform = platformWalletOf(profile)
  const wallet = profile.treasury_buckets[bucket]
  if (platform === null) throw new TransferRefused('this chain’s profile names no platform wallet')
  if (wallet === null)
    throw new TransferRefused(`the profile names no wallet for ${bucket}: its share is held`)
  if (lower(wallet) === platform)
    throw new TransferRefused(`${bucket} stays in the platform wallet itself: no transfer is needed`)
  const bookable = new Set([...readTokensOf(profile).keys(), ...(await bookedTokens(db))])
  const sent = await readSent(rpc, {
    txHash: named.txHash.toLowerCase() as Hex,
    platform,
    bucket,
    to: lower(wallet),
    isListed: (token) => bookable.has(token),
  })
  if ('why' in sent) throw new TransferRefused(sent.why)
  await refuseYoung(deps, sent.block)
  return sent
}

/** The transfers of one closing. A transaction counts once for a wallet. */
export async function readTransfers(deps: TreasuryDeps, named: readonly TransferRequest[]): Promise<Sent[]> {
  const all: Sent[] = []
  for (const one of named) {
    const sent = await readTransfer(deps, one)
    const twin = all.find(({ txHash, to }) => txHash === sent.txHash && to === sent.to)
    if (twin) throw new TransferRefused(`${sent.txHash} is named for ${twin.bucket} already`)
    all.push(sent)
  }
  return all
}

/** Refuses a transaction that a row has recorded, in the transaction that would record it again. */
export async function refuseRecorded(
  sql: Sql,
  { profile }: Pick<TreasuryDeps, 'profile'>,
  { txHash, to }: Sent,
): Promise<void> {
  const before = await recordedFor(sql, txHash, bucketsOf(profile, to))
  if (before) throw new TransferRefused(`${txHash} is recorded for ${before} already`)
}

/** A transfer to a wallet of several buckets counts for one of them. */
const bucketsOf = ({ treasury_buckets }: TreasuryDeps['profile'], wallet: string): TreasuryBucket[] =>
  TREASURY_BUCKETS.filter((bucket) => {
    const own = treasury_buckets[bucket]
    return own !== null && lower(own) === wallet
  })

/** Tokens in the recorded rows. */
async function bookedTokens(sql: Sql): Promise<Iterable<Address>> {
  const { rows } = await readRows(sql, await readHead(sql))
  return booksOf(rows.map(({ body }) => body)).keys()
}

/** A recent block may be reorganised, except on a devnet. */
async function refuseYoung({ rpc, profile }: TreasuryDeps, block: number): Promise<void> {
  if (profile.kind === 'devnet') return
  const [mined, head] = await needAll(rpc, [askHeader(block), askHeader('latest')])
  const { settled_s } = profile.chain
  if (!mined || !head || head.timestampS - mined.timestampS < settled_s) {
    throw new TransferRefused(`that transaction is not ${settled_s} seconds old yet: record it then`)
  }
}
