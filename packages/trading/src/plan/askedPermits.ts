import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { TradeParams } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'
import {
  type AskedPermit,
  createPermitMemory,
  type PermitRequest,
  permitExpiryS,
  permitKeyOf,
} from './permitMemory.ts'

/**
 * A trade or a budget in dollars is another number of atoms a second later, and then its permit another one.
 * So the atoms of the first call are kept for the second: in memory, and in the store for every other
 * process.
 */
export interface AskedPermits {
  remember(request: PermitRequest, asked: AskedPermit): Promise<void>
  recall(request: PermitRequest): Promise<AskedPermit | undefined>
  /** Deletes what has expired; answers how many. The rest waits for the next call. */
  sweep(): Promise<number>
}

/** Small steps, so that nobody is kept waiting. */
const AT_ONCE = 500
const MAX_STEPS = 40

export function createAskedPermits({ db, clock }: { db: Pick<Db, 'query'>; clock: Clock }): AskedPermits {
  const memory = createPermitMemory()
  return {
    async remember(request, asked) {
      memory.remember(request, asked)
      await db.query(
        `insert into asked_permits (key, amount_in, granted, expires_at_s) values ($1, $2, $3, $4)
         on conflict (key) do update set amount_in = excluded.amount_in, granted = excluded.granted`,
        [permitKeyOf(request), asked.amountIn, asked.granted, permitExpiryS(request)],
      )
    },
    async recall(request) {
      const known = memory.recall(request)
      if (known) return known
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
             select key from asked_permits where expires_at_s < $1 order by expires_at_s limit ${AT_ONCE}))
           returning 1`,
          [nowS(clock)],
        )
        swept += rows.length
        if (rows.length < AT_ONCE) break
      }
      return swept
    },
  }
}

/** The key of a permit's amounts; null where the request gives them in atoms. */
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
