import type { Market } from '@pit/market'
import type { Caller, Handlers } from '@pit/platform/call'
import type { Logger } from '@pit/platform/logger'
import { type ChainProfile, FAST_RULES, fail, type PitError, refusal } from '@pit/protocol'
import { describeTerms } from './describeTerms.ts'
import { type FastDeps, fastTrade } from './fastTrade.ts'
import { createFundsReader } from './readFunds.ts'
import { openTable } from './table.ts'
import { watchWallets } from './watchWallets.ts'

export type FastOptions = Omit<FastDeps, 'pinned' | 'watch' | 'readFunds' | 'market'> & {
  market: Pick<Market, 'head' | 'index' | 'mark' | 'pool' | 'onBlock'>
  profile: ChainProfile
  logger: Pick<Logger, 'debug'>
  /** Opt-in, and off where nothing is relayed. */
  enabled: boolean
}

export interface Fast {
  handlers: Pick<Handlers, 'live.fast' | 'live.fast.terms'>
  close(): void
}

/** One call from signed bytes to the sequencer, on routes both sides know by heart. */
export function openFast(options: FastOptions): Fast {
  const { market, clock, account, rpc, profile, logger } = options
  const pinned = openTable(profile, options.crypto)
  const { place } = pinned
  const enabled = options.enabled && place !== null && pinned.routes.size > 0
  const readFunds = createFundsReader({ rpc, profile, pinned, nowMs: clock.nowMs })
  const watch = watchWallets({ market, clock, logger, readFunds, tierBps: account.tierBps })
  const deps = place && { ...options, pinned: { ...pinned, place }, watch, readFunds }
  const walletOf = ({ key }: Caller) => key?.wallet ?? fail('WALLET_NOT_BOUND')
  return {
    handlers: {
      'live.fast': {
        admit() {
          if (!enabled) fail('FAST_DISABLED')
        },
        refused: withFailures,
        handle: (call) => (deps === null ? fail('FAST_DISABLED') : fastTrade(deps, call)),
      },
      'live.fast.terms': async ({ caller, query }) => {
        const wallet = walletOf(caller)
        // Who asks for the terms is about to trade.
        if (enabled) watch.want(wallet)
        return describeTerms({
          pinned,
          enabled,
          tierBps: await account.tierBps(wallet),
          shield: query.shield === '1',
          baseFeeWei: market.head()?.baseFeeWei ?? null,
          nowMs: clock.nowMs(),
        })
      },
    },
    close: watch.close,
  }
}

/** Every refusal by a rule of fast mode lists the failures; one that is refused outside the list is its only one. */
function withFailures(error: PitError): PitError {
  if (error.extras['failures'] !== undefined || !(FAST_RULES as readonly string[]).includes(error.code))
    return error
  const { code, message, extras, retryAfterS } = error
  return refusal(code, {
    message,
    ...extras,
    failures: [{ code, message }],
    ...(error.statusGiven ? { status: error.status } : {}),
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  })
}
