import type { Address, Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { askHeader, needAll } from '@pit/platform/reads'
import { TREASURY_BUCKETS, type TreasuryBucket } from '@pit/protocol'
import { RecordBroken } from './closeWeek.ts'
import { lower, platformWalletOf, readTokensOf, type TreasuryDeps } from './deps.ts'
import { readSent } from './readSent.ts'
import { booksOf } from './rules/books.ts'
import { composeTransfer } from './rules/composeTransfer.ts'
import { sealRow } from './rules/rowChain.ts'
import {
  holdHead,
  insertMoves,
  insertRow,
  onOneSnapshot,
  readHead,
  readRows,
  recordedFor,
  textsOf,
} from './store.ts'
import type { RowBody } from './types.ts'

/** What was asked cannot be recorded; the message says why. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused'
}

/**
 * Records that a bucket was sent its share. Token and amount are the chain's word, not the operator's;
 * sending more than is owed needs a reason, and leaves the bucket owing.
 */
export async function recordTransfer(
  deps: TreasuryDeps,
  ask: {
    bucket: TreasuryBucket
    txHash: Hex
    reason: string | null
    alongside?(sql: Sql, row: RowBody & { hash: string }): Promise<void>
  },
): Promise<RowBody & { hash: string }> {
  const { db, rpc, clock, profile } = deps
  const platform = platformWalletOf(profile)
  const wallet = profile.treasury_buckets[ask.bucket]
  if (platform === null) throw new TransferRefused('this chain’s profile names no platform wallet')
  if (wallet === null)
    throw new TransferRefused(`the profile names no wallet for ${ask.bucket}: its share is held`)
  if (lower(wallet) === platform)
    throw new TransferRefused(`${ask.bucket} is kept in the platform wallet itself: nothing leaves it`)
  const txHash = ask.txHash.toLowerCase() as Hex
  const listed = readTokensOf(profile)
  const known = new Set([...listed.keys(), ...(await bookedTokens(db))])
  const sent = await readSent(rpc, {
    txHash,
    platform,
    bucket: ask.bucket,
    to: lower(wallet),
    isListed: (token) => known.has(token),
  })
  if ('why' in sent) throw new TransferRefused(sent.why)
  await refuseYoung(deps, sent.block)

  return onOneSnapshot(db, async (sql) => {
    const head = await holdHead(sql)
    const { rows, integrity } = await readRows(sql, head)
    if (!integrity.ok) throw new RecordBroken(`row ${integrity.broken_at}: ${integrity.why}`)
    const before = await recordedFor(sql, txHash, bucketsOf(profile, wallet))
    if (before) throw new TransferRefused(`${txHash} is recorded for ${before} already`)
    const bodies = rows.map(({ body }) => body)
    const week = bodies.findLast(({ kind }) => kind === 'week')?.week
    if (!week) throw new TransferRefused('no week is recorded yet: nothing is owed to any bucket')
    const books = booksOf(bodies)
    const over = sent.tokens.find(({ token, atoms }) => atoms > (books.get(token)?.owed[ask.bucket] ?? 0n))
    if (over && ask.reason === null) {
      const owed = books.get(over.token)?.owed[ask.bucket] ?? 0n
      throw new TransferRefused(
        `${over.atoms} of ${over.token} were sent to ${ask.bucket}, which is owed ${owed}: ` +
          'give a reason to record it all the same',
      )
    }
    const texts = await textsOf(
      sql,
      sent.tokens.map(({ token }) => token),
    )
    const textOf = (token: Address) => listed.get(token) ?? texts.get(token)!
    const parts = composeTransfer({ sent, week, books, textOf })
    const seq = head.seq + 1
    const body: RowBody = { ...parts, seq, status: 'moved', prev_hash: head.hash, recorded_at: nowS(clock) }
    const sealed = sealRow(body)
    await insertRow(sql, sealed)
    await insertMoves(
      sql,
      sent.tokens.map(({ token, atoms }) => ({ txHash, bucket: ask.bucket, token, atoms })),
      seq,
    )
    const recorded = { ...body, hash: sealed.hash }
    await ask.alongside?.(sql, recorded)
    return recorded
  })
}

/** Buckets that share a wallet share what was sent to it: it counts for one of them. */
const bucketsOf = ({ treasury_buckets }: TreasuryDeps['profile'], wallet: string): TreasuryBucket[] =>
  TREASURY_BUCKETS.filter((bucket) => {
    const own = treasury_buckets[bucket]
    return own !== null && lower(own) === lower(wallet)
  })

/** Tokens that rows speak of. */
async function bookedTokens(sql: Sql): Promise<Iterable<Address>> {
  const { rows } = await readRows(sql, await readHead(sql))
  return booksOf(rows.map(({ body }) => body)).keys()
}

/** A chain may take a young block back; a devnet never does. */
async function refuseYoung({ rpc, profile }: TreasuryDeps, block: number): Promise<void> {
  if (profile.kind === 'devnet') return
  const [mined, head] = await needAll(rpc, [askHeader(block), askHeader('latest')])
  const { settled_s } = profile.chain
  if (!mined || !head || head.timestampS - mined.timestampS < settled_s) {
    throw new TransferRefused(`that transaction is not ${settled_s} seconds old yet: record it then`)
  }
}
