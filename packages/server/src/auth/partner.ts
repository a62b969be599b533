import type { PartnerFinding, PartnerRegistry } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import { withinMs } from '@pit/platform/withinMs'
import type { Wallet } from './rules.ts'

/** While no registry is connected: sign-in works, and says why no agent is named. */
export const noRegistry: PartnerRegistry = {
  find: async () => ({ status: 'unreadable', why: 'no agent registry is connected' }),
}

const FRESH_MS = { ok: 30_000, unreadable: 2_000 } as const
const TIMEOUT_MS = 3_000
const MOST_WALLETS = 20_000

/** Remembers findings for a while, asks once for many, and never waits for long. */
export function createPartnerLookup({ registry, clock }: { registry: PartnerRegistry; clock: Clock }) {
  const found = new Map<Wallet, { finding: PartnerFinding; untilMs: number }>()
  const underWay = new Map<Wallet, Promise<PartnerFinding>>()

  async function ask(wallet: Wallet): Promise<PartnerFinding> {
    // What went wrong stays inside: an error's text may name the chain's RPC and its key.
    const unreadable: PartnerFinding = { status: 'unreadable', why: 'the agent registry could not be read' }
    const finding = await withinMs(TIMEOUT_MS, registry.find(wallet), () => new Error('too late')).catch(
      () => unreadable,
    )
    if (found.size >= MOST_WALLETS) found.clear()
    found.set(wallet, { finding, untilMs: clock.nowMs() + FRESH_MS[finding.status] })
    return finding
  }

  /** Without a promise where one is known, for the routes that answer thousands a second. */
  return (wallet: Wallet): PartnerFinding | Promise<PartnerFinding> => {
    const known = found.get(wallet)
    if (known && clock.nowMs() < known.untilMs) return known.finding
    const asked = underWay.get(wallet)
    if (asked) return asked
    const asking = ask(wallet).finally(() => underWay.delete(wallet))
    underWay.set(wallet, asking)
    return asking
  }
}
export type PartnerLookup = ReturnType<typeof createPartnerLookup>
