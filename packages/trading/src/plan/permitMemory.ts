import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { TRADE } from '@pit/protocol'
import type { ApprovalTerms } from './approvals.ts'

/** Amounts of a permit that waits for its signature. */
export interface PendingPermit {
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
export function permitKeyOf({ wallet, tokenIn, tokenOut, anchorS, size, approval }: PermitRequest): string {
  const { permitScope, permitMode, mode, budgetUsd } = approval
  const tokens = `${tokenIn} ${tokenOut}`.toLowerCase()
  return `${wallet} ${tokens} ${anchorS} ${size} ${permitScope} ${permitMode} ${mode} ${budgetUsd}`
}

export const permitExpiryS = ({ anchorS }: Pick<PermitRequest, 'anchorS'>): number =>
  anchorS + TRADE.permitTradeExpiryS

export interface PermitMemory {
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
