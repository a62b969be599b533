import { type Address, type Hop, isFeeUnread, NATIVE } from '@pit/chain'
import { type ChainProfile, lower } from '@pit/protocol'
import { feePipsOf } from './impact.ts'

type Ends = { tokenIn: Address; tokenOut: Address }

export interface Labels {
  /** A core symbol; any other token by its shortened address, as its own symbol may imitate one. */
  nameOf(token: Address): string
  /** `ETH → USDG (v3 0.05%)`, pool by pool; wrapping is not shown. */
  ofPath(ends: Ends, hops: readonly Hop[]): string
  /** `56.2% ETH → USDG (v3 0.05%) + 43.7% …` */
  ofSplit(ends: Ends, legs: readonly { hops: readonly Hop[]; amountIn: bigint }[]): string
  /** `ETH → USDG (curve)` */
  ofVenue(ends: Ends, venue: string): string
}

export function createLabels({ core_tokens }: Pick<ChainProfile, 'core_tokens'>): Labels {
  const symbols = new Map(core_tokens.map(({ address, symbol }) => [lower(address), symbol]))
  const nameOf = (token: Address) => symbols.get(token) ?? `${token.slice(0, 6)}…${token.slice(-4)}`

  function ofPath({ tokenIn, tokenOut }: Ends, hops: readonly Hop[]): string {
    let label = nameOf(tokenIn)
    for (const [i, hop] of hops.entries()) {
      const { pool, zeroForOne } = hop
      const hooked = pool.version === 'v4' && pool.key.hooks !== NATIVE ? ', hook' : ''
      const to = i === hops.length - 1 ? tokenOut : hop.tokenOut
      const fee = isFeeUnread(pool) ? 'dynamic fee' : `${feePipsOf(pool, zeroForOne) / 10_000}%`
      label += ` → ${nameOf(to)} (${pool.version} ${fee}${hooked})`
    }
    return label
  }

  return {
    nameOf,
    ofPath,
    ofSplit(ends, legs) {
      const whole = legs.reduce((sum, { amountIn }) => sum + amountIn, 0n)
      const share = (amountIn: bigint) => `${Number((amountIn * 1_000n) / whole) / 10}%`
      return legs.map(({ hops, amountIn }) => `${share(amountIn)} ${ofPath(ends, hops)}`).join(' + ')
    },
    ofVenue: ({ tokenIn, tokenOut }, venue) => `${nameOf(tokenIn)} → ${nameOf(tokenOut)} (${venue})`,
  }
}
