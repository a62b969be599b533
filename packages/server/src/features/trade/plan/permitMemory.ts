import type { Address } from '@pit/chain'
import { TRADE } from '@pit/protocol'

/** What a permit that waits for its signature was made for. */
export interface AskedPermit {
  amountIn: bigint
  /** What the permit grants; for a longer scope more than this trade. */
  granted: bigint
}

export interface PermitMemory {
  remember(place: PermitPlace, asked: AskedPermit): void
  recall(place: PermitPlace): AskedPermit | undefined
}
export interface PermitPlace {
  wallet: Address
  /** As the request names it. */
  tokenIn: string
  tokenOut: string
  anchorS: number
  /** As asked for: dollars or atoms. */
  size: string
}

const MOST = 10_000

/**
 * A trade or a budget in dollars is another number of atoms a second later, and then its permit another one. So the
 * atoms of the first call are kept for the second. It is a convenience and nothing else: where they are forgotten (a restart,
 * another process) the signature does not fit, and the refusal says to send amount_in.
 */
export function createPermitMemory(): PermitMemory {
  const kept = new Map<string, AskedPermit & { untilS: number }>()
  const keyOf = ({ wallet, tokenIn, tokenOut, anchorS, size }: PermitPlace): string =>
    `${wallet} ${tokenIn.toLowerCase()} ${tokenOut.toLowerCase()} ${anchorS} ${size}`

  return {
    remember(place, asked) {
      const key = keyOf(place)
      // Two calls in one second: the newer one is what the caller sees last.
      kept.delete(key)
      kept.set(key, { ...asked, untilS: place.anchorS + TRADE.permitTradeExpiryS })
      for (const [old, { untilS }] of kept) {
        if (kept.size <= MOST && untilS >= place.anchorS) break
        kept.delete(old)
      }
    },
    recall: (place) => kept.get(keyOf(place)),
  }
}
