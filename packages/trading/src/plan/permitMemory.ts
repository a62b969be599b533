import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { TRADE } from '@pit/protocol'
import type { ApprovalTerms } from './approvals.ts'

/** What a permit that waits for its signature was made for. */
export interface AskedPermit {
  amountIn: bigint
  /** What the permit grants; for a longer scope more than this trade. */
  granted: bigint
}

/** Everything of a request that its permit's amounts depend on, as it was sent. */
export interface PermitRequest {
  wallet: Address
  /** As the request names it. */
  tokenIn: string
  tokenOut: string
  anchorS: number
  /** As asked for: dollars or atoms. */
  size: string
  approval: ApprovalTerms
}

/** Two requests that differ in any of it, in the same second, have permits of their own. */
export function permitKeyOf({ wallet, tokenIn, tokenOut, anchorS, size, approval }: PermitRequest): string {
  const { permitScope, permitMode, mode, budgetUsd } = approval
  const tokens = `${tokenIn} ${tokenOut}`.toLowerCase()
  return `${wallet} ${tokens} ${anchorS} ${size} ${permitScope} ${permitMode} ${mode} ${budgetUsd}`
}

export const permitExpiryS = ({ anchorS }: Pick<PermitRequest, 'anchorS'>): number =>
  anchorS + TRADE.permitTradeExpiryS

export interface PermitMemory {
  remember(request: PermitRequest, asked: AskedPermit): void
  recall(request: PermitRequest): AskedPermit | undefined
}

const MAX_KEPT = 10_000

/** The newest asked permits of this process, which save the second call a read of the store. */
export function createPermitMemory(): PermitMemory {
  const kept = createCache<string, AskedPermit>({ max: MAX_KEPT })
  let newestS = 0

  return {
    remember(request, asked) {
      newestS = Math.max(newestS, request.anchorS)
      // The same request twice in one second: the newer answer is what the caller sees last.
      kept.set(permitKeyOf(request), asked)
    },
    recall: (request) => (permitExpiryS(request) < newestS ? undefined : kept.get(permitKeyOf(request))),
  }
}
