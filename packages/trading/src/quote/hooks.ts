import { type Hop, NATIVE } from '@pit/chain'
import { type ChainProfile, lower, RISKS } from '@pit/protocol'
import type { Risk } from '../types.ts'

export interface Hooks {
  isKnown(hop: Hop): boolean
  /** UNKNOWN_HOOK if any pool on the path runs an unreviewed hook. */
  risksOf(hops: readonly Hop[]): Risk[]
}

export function createHooks({ known_hooks }: Pick<ChainProfile, 'known_hooks'>): Hooks {
  const reviewed = new Set([NATIVE, ...known_hooks.map(({ address }) => lower(address))])
  const isKnown = ({ pool }: Hop) => pool.version !== 'v4' || reviewed.has(pool.key.hooks)
  return {
    isKnown,
    risksOf(hops) {
      const unknown = hops.find((hop) => !isKnown(hop))
      if (unknown?.pool.version !== 'v4') return []
      const { severity } = RISKS.UNKNOWN_HOOK
      const message = `This route runs through the unreviewed hook ${unknown.pool.key.hooks}.`
      return [{ code: 'UNKNOWN_HOOK', severity, message }]
    },
  }
}
