import type { PartnerFinding, PartnerRegistry } from '@pit/agent-registry'
import { createCache } from '@pit/platform/cache'
import { type Clock, withinMs } from '@pit/platform/clock'
import type { Wallet } from './rules.ts'

/** Without a registry: sign-in works, and reports why there is no agent. */
export const noRegistry: PartnerRegistry = {
  find: async () => ({ status: 'unreadable', why: 'no agent registry is connected' }),
}

const FRESH_MS = { ok: 30_000, unreadable: 2_000 } as const
const TIMEOUT_MS = 3_000
const MAX_WALLETS = 20_000
// Do not expose the error: its text may contain the RPC address and its key.
const UNREADABLE: PartnerFinding = { status: 'unreadable', why: 'the agent registry could not be read' }

/** Caches findings for a while, shares concurrent reads, and bounds the wait. */
export function createPartnerLookup({ registry, clock }: { registry: PartnerRegistry; clock: Clock }) {
  const findings = createCache<Wallet, PartnerFinding>({
    max: MAX_WALLETS,
    clock,
    ttlMs: ({ status }) => FRESH_MS[status],
  })
  const ask = (wallet: Wallet): Promise<PartnerFinding> =>
    withinMs(TIMEOUT_MS, registry.find(wallet), () => new Error('too late')).catch(() => UNREADABLE)

  /** Without a promise if cached, for routes that serve thousands of requests a second. */
  return (wallet: Wallet): PartnerFinding | Promise<PartnerFinding> => findings.load(wallet, ask)
}
export type PartnerLookup = ReturnType<typeof createPartnerLookup>
