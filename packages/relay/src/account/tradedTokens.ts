import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { ACCOUNT } from '@pit/protocol'
import type { AccountDeps } from './deps.ts'
import { tradedSince } from './store.ts'

interface Traded {
  /** Token → its last swap; no more than are shown. */
  lastIds: Map<Address, number>
  /** Swaps up to this one change no more and need not be looked at again. */
  fromId: number
  wholeAtMs: number
}

const MAX_WALLETS = 2_000
/** Whatever else was overlooked is found by looking at everything again. */
const WHOLE_EVERY_MS = 600_000

/**
 * The tokens by address a wallet traded, most recent first, without the standing ones. Remembers what it saw,
 * so that a wallet of a hundred thousand trades is walked through once and then only read on.
 */
export function createTradedTokens({
  db,
  clock,
  standing,
}: Pick<AccountDeps, 'db' | 'clock'> & { standing: readonly Address[] }): (
  wallet: Address,
) => Promise<Address[]> {
  const known = createCache<Address, Traded>({ max: MAX_WALLETS })

  return async (wallet) => {
    const nowMs = clock.nowMs()
    const seen = known.get(wallet)
    const isFresh = seen !== undefined && Math.abs(nowMs - seen.wholeAtMs) < WHOLE_EVERY_MS
    const before = isFresh ? seen : { lastIds: new Map<Address, number>(), fromId: 0, wholeAtMs: nowMs }
    const { tokens, finalId } = await tradedSince(db, {
      wallet,
      afterId: before.fromId,
      except: standing,
      max: ACCOUNT.portfolioMaxTradedTokens,
    })
    const lastIds = new Map(before.lastIds)
    for (const { token, lastId } of tokens) lastIds.set(token, Math.max(lastId, lastIds.get(token) ?? 0))
    const newest = [...lastIds].sort(([, a], [, b]) => b - a).slice(0, ACCOUNT.portfolioMaxTradedTokens)
    known.set(wallet, { ...before, lastIds: new Map(newest), fromId: finalId ?? before.fromId })
    return newest.map(([token]) => token)
  }
}
