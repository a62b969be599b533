import { nowS } from '@pit/platform/clock'
import { askHeader, PAGED, type Receipt, readAll, readReceipts } from '@pit/platform/reads'
import { TRADE } from '@pit/protocol'
import { bookEach, unbook } from './bookOutcomes.ts'
import type { FollowDeps } from './followOpen.ts'
import { readOutcomes } from './readOutcomes.ts'
import { givenUpRows, markSettled, trimSignedRefused, unsettledRows } from './rows.ts'
import type { FollowedRow } from './types.ts'

type SettleDeps = Omit<FollowDeps, 'counted' | 'isRelaying' | 'mined'>

/** A block of this age is rechecked: by then a reorg is visible. */
const SETTLES_AFTER_S = 30
const AT_ONCE = 200
const MAX_PAGES = 20
/** The same number as for calls refused before signing. */
const KEEP_REFUSED_PER_WALLET = 500

/**
 * Rechecks mined transactions. In the same block: settled. In another: corrected, including the ledger. In none:
 * back to pending. Returns whether there is more to do.
 */
export async function settleMined(deps: SettleDeps): Promise<boolean> {
  const { db, rpc, clock, logger } = deps
  const rows = await unsettledRows(db, nowS(clock) - SETTLES_AFTER_S, AT_ONCE)
  if (rows.length === 0) return false
  const receipts = await receiptsOf(rpc, rows)
  const moved = rows.flatMap((row) => {
    const receipt = receipts.get(row.id)
    return receipt && receipt.blockHash !== row.block_hash ? [{ row, receipt }] : []
  })
  const lacking = await placeLacking(
    deps,
    rows.filter((row) => receipts.get(row.id) === null),
  )
  const same = rows.filter((row) => receipts.get(row.id)?.blockHash === row.block_hash)
  await markSettled(db, [...same, ...lacking.kept])
  const { booked: corrected } = await bookEach(deps, await readOutcomes(deps, moved))
  const undone = await unbook(db, lacking.lost)
  if (corrected.size + undone.size > 0)
    logger.warn({ corrected: corrected.size, undone: undone.size }, 'corrected rows after a reorg')
  return rows.length === AT_ONCE && same.length + lacking.kept.length > 0
}

/** Whether the block of a row without a receipt is still canonical: nodes may lose receipts. */
async function placeLacking({ rpc }: SettleDeps, rows: readonly FollowedRow[]) {
  const answers = await readAll(
    rpc,
    rows.map(({ block }) => askHeader(block ?? 0)),
    PAGED,
  )
  const stillMined: FollowedRow[] = []
  const lost: FollowedRow[] = []
  for (const [i, row] of rows.entries()) {
    const shown = answers[i]
    if (!shown) continue
    if (shown.hash === row.block_hash) stillMined.push(row)
    else lost.push(row)
  }
  return { kept: stillMined, lost }
}

/** By row id; null without a receipt, absent if the node did not respond. */
export async function receiptsOf(
  rpc: SettleDeps['rpc'],
  rows: readonly FollowedRow[],
): Promise<Map<number, Receipt | null>> {
  const read = await readReceipts(
    rpc,
    rows.map(({ tx_hash }) => tx_hash),
  )
  return new Map(
    rows.flatMap(({ id }, i) => (read[i] === undefined ? [] : [[id, read[i]] as [number, Receipt | null]])),
  )
}

/** Refused transactions have a deadline of two minutes; after this only an approval could still be mined. */
const REFUSED_WATCHED_S = 300

/**
 * Dropped and refused transactions may still be mined: dropped ones are checked for an hour, refused ones for a
 * few minutes; then they are settled. An unfinished round continues the next time.
 */
export function createGivenUpWatcher(deps: SettleDeps): () => Promise<void> {
  const { db, rpc, clock } = deps
  let after = 0
  return async () => {
    for (let page = 0; page < MAX_PAGES; page++) {
      const rows = await givenUpRows(db, after, AT_ONCE)
      const receipts = await receiptsOf(rpc, rows)
      const mined = rows.flatMap((row) => {
        const receipt = receipts.get(row.id)
        return receipt ? [{ row, receipt }] : []
      })
      await bookEach(deps, await readOutcomes(deps, mined))
      const over = rows.filter((row) => receipts.get(row.id) === null && isOver(row, clock.nowMs()))
      await markSettled(db, over)
      const refused = over.filter(({ status }) => status === 'refused').map(({ wallet }) => wallet)
      await trimSignedRefused(db, [...new Set(refused)], KEEP_REFUSED_PER_WALLET)
      after = rows.length < AT_ONCE ? 0 : rows[rows.length - 1]!.id
      if (after === 0) return
    }
  }
}

const isOver = ({ status, created_at_ms }: FollowedRow, nowMs: number): boolean =>
  nowMs - created_at_ms > (status === 'refused' ? REFUSED_WATCHED_S : TRADE.pendingDroppedAfterS) * 1000
