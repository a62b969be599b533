import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { TRADE } from '@pit/protocol'
import type { TradeParams } from '../types.ts'
import type { ApprovalTerms } from './approvals.ts'

/** Amounts of a permit that waits for its signature. */
interface PendingPermit {
  amountIn: bigint
  /** The permit's amount; with a longer scope more than this trade. */
  granted: bigint
}

/** Everything in a request that determines its permit's amounts, as sent. */
export interface PermitRequest {
  wallet: Address
  tokenIn: string
  tokenOut: string
  anchorS: number
  /** As requested: dollars or atoms. */
  size: string
  approval: ApprovalTerms
}

/** Requests that differ in any of these have separate permits, even in the same second. */
function permitKeyOf({ wallet, tokenIn, tokenOut, anchorS, size, approval }: PermitRequest): string {
  const { permitScope, permitMode, mode, budgetUsd } = approval
  const tokens = `${tokenIn} ${tokenOut}`.toLowerCase()
  return `${wallet} ${tokens} ${anchorS} ${size} ${permitScope} ${permitMode} ${mode} ${budgetUsd}`
}

const permitExpiryS = ({ anchorS }: Pick<PermitRequest, 'anchorS'>): number =>
  anchorS + TRADE.permitTradeExpiryS

interface PermitMemory {
  remember(request: PermitRequest, permit: PendingPermit): void
  recall(request: PermitRequest): PendingPermit | undefined
}

const MAX_KEPT = 10_000

/** The newest pending permits of this process, which save the second call a store read. */
export function createPermitMemory(): PermitMemory {
  const cache = createCache<string, PendingPermit>({ max: MAX_KEPT })
  let newestS = 0

  return {
    remember(request, permit) {
      newestS = Math.max(newestS, request.anchorS)
      // Repeated within one second: the caller saw the newer response last.
      cache.set(permitKeyOf(request), permit)
    },
    recall: (request) => (permitExpiryS(request) < newestS ? undefined : cache.get(permitKeyOf(request))),
  }
}

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
