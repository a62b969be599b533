import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { RecordBroken } from './closeWeek.ts'
import { readTokensOf, type TreasuryDeps } from './deps.ts'
import { readTransfer, refuseRecorded, TransferRefused, type TransferRequest } from './readTransfer.ts'
import { booksOf } from './rules/books.ts'
import { composeTransfer } from './rules/composeTransfer.ts'
import { sealRow } from './rules/rowChain.ts'
import { insertMoves, insertRow, lockHead, onOneSnapshot, readRows, textsOf } from './store.ts'
import type { RowBody } from './types.ts'

/**
 * Records a transfer of a bucket's share. Token and amount are read from the chain; sending more than is owed
 * needs a reason, and the bucket then owes the rest.
 */
export async function recordTransfer(
  deps: TreasuryDeps,
  request: TransferRequest & {
    reason: string | null
    alongside?(sql: Sql, row: RowBody & { hash: string }): Promise<void>
  },
): Promise<RowBody & { hash: string }> {
  const { db, clock, profile } = deps
  const sent = await readTransfer(deps, request)
  const listed = readTokensOf(profile)
  return onOneSnapshot(db, async (sql) => {
    const head = await lockHead(sql)
    const { rows, integrity } = await readRows(sql, head)
    if (!integrity.ok) throw new RecordBroken(`row ${integrity.broken_at}: ${integrity.why}`)
    await refuseRecorded(sql, deps, sent)
    const bodies = rows.map(({ body }) => body)
    const week = bodies.findLast(({ kind }) => kind === 'week')?.week
    if (!week) throw new TransferRefused('no week is recorded yet: nothing is owed to any bucket')
    const books = booksOf(bodies)
    const over = sent.tokens.find(
      ({ token, atoms }) => atoms > (books.get(token)?.owed[request.bucket] ?? 0n),
    )
    if (over && request.reason === null) {
      const owed = books.get(over.token)?.owed[request.bucket] ?? 0n
      throw new TransferRefused(
        `${over.atoms} of ${over.token} were sent to ${request.bucket}, which is owed ${owed}: ` +
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
    await insertMoves(sql, sent, seq)
    const recorded = { ...body, hash: sealed.hash }
    await request.alongside?.(sql, recorded)
    return recorded
  })
}
