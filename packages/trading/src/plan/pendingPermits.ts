import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { TradeParams } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'
import {
  createPermitMemory,
  type PendingPermit,
  type PermitRequest,
  permitExpiryS,
  permitKeyOf,
} from './permitMemory.ts'

/**
 * Atom amounts of permits that wait for their signature. A size in dollars converts to other atoms a second
 * later, which would change the permit, so the first call's atoms are reused by the second: from memory, or
 * from the store in another process.
 */
export interface PendingPermits {
  remember(request: PermitRequest, permit: PendingPermit): Promise<void>
  recall(request: PermitRequest): Promise<PendingPermit | undefined>
  /** Deletes expired permits in steps; returns how many. Leftovers wait for the next call. */
  sweep(): Promise<number>
}

/** Rows per statement, small enough not to block other queries. */
const SWEEP_BATCH = 500
const MAX_STEPS = 40

export function createPendingPermits({ db, clock }: { db: Pick<Db, 'query'>; clock: Clock }): PendingPermits {
  const memory = createPermitMemory()
  return {
    async remember(request, permit) {
      memory.remember(request, permit)
      await db.query(
        `insert into asked_permits (key, amount_in, granted, expires_at_s) values ($1, $2, $3, $4)
         on conflict (key) do update set amount_in = excluded.amount_in, granted = excluded.granted`,
        [permitKeyOf(request), permit.amountIn, permit.granted, permitExpiryS(request)],
      )
    },
    async recall(request) {
      const cached = memory.recall(request)
      if (cached) return cached
      const [row] = await db.query<{ amount_in: string; granted: string }>(
        'select amount_in, granted from asked_permits where key = $1',
        [permitKeyOf(request)],
      )
      return row && { amountIn: BigInt(row.amount_in), granted: BigInt(row.granted) }
    },
    async sweep() {
      let swept = 0
      for (let step = 0; step < MAX_STEPS; step++) {
        const rows = await db.query(
          `delete from asked_permits where key = any (array(
             select key from asked_permits where expires_at_s < $1 order by expires_at_s limit ${SWEEP_BATCH}))
           returning 1`,
          [nowS(clock)],
        )
        swept += rows.length
        if (rows.length < SWEEP_BATCH) break
      }
      return swept
    },
  }
}

/** The key of a permit's amounts; null if the request gives them in atoms. */
export function permitRequestOf(
  wallet: PermitRequest['wallet'],
  { tokenIn, tokenOut, notionalUsd, amountIn }: TradeParams,
  approval: ApprovalTerms,
  anchorS: number,
): PermitRequest | null {
  const inDollars =
    notionalUsd !== undefined || (approval.permitScope === '30d' && approval.mode === 'budget')
  if (!inDollars) return null
  const size = notionalUsd === undefined ? `${amountIn}` : `$${notionalUsd}`
  return { wallet, tokenIn, tokenOut, anchorS, size, approval }
}
