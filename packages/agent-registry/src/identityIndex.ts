import { type Address, NATIVE } from '@pit/chain'

/** Addresses are in lower case; the wallet is all zero where the agent has none. */
export interface Identity {
  id: bigint
  owner: Address
  wallet: Address
}

const PAGE = 200
/** Agents beyond this number are found by id only. */
const MAX_AGENTS = 100_000
/** A transfer or a changed wallet is noticed within this time; a new agent at once. */
const RENEW_AFTER_MS = 60_000
/** A wallet may own many agents: this many are read again before one is chosen. */
const MAX_CANDIDATES = 20

interface Pass {
  byAddress: Map<Address, Set<bigint>>
  /** The first id without an owner. */
  nextId: bigint
  readAtMs: number
}

/**
 * Finds the agent a wallet acts for, in a registry with lookups by id only: reads ids page by page up to the
 * first page without an owner. A result is read again, so that a former owner is never returned.
 */
export function createIdentityIndex({
  identities,
  monotonicMs = () => performance.now(),
}: {
  identities(ids: readonly bigint[]): Promise<(Identity | null)[]>
  monotonicMs?: () => number
}): { of(wallet: Address): Promise<Identity | null> } {
  let newest: Pass | undefined
  let underWay: Promise<Pass> | undefined

  async function readOn(pass: Pass): Promise<void> {
    while (pass.nextId < MAX_AGENTS) {
      const ids = Array.from({ length: PAGE }, (_, i) => pass.nextId + BigInt(i))
      const owned = (await identities(ids)).filter((one) => one !== null)
      if (owned.length === 0) return
      for (const { id, owner, wallet } of owned) {
        for (const address of new Set([owner, wallet])) {
          if (address === NATIVE) continue
          const existing = pass.byAddress.get(address)
          if (existing) existing.add(id)
          else pass.byAddress.set(address, new Set([id]))
        }
      }
      pass.nextId = owned[owned.length - 1]!.id + 1n
    }
  }

  function renew(): Promise<Pass> {
    underWay ??= (async () => {
      const pass: Pass = { byAddress: new Map(), nextId: 0n, readAtMs: monotonicMs() }
      await readOn(pass)
      newest = pass
      return pass
    })().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function current(): Promise<Pass> {
    if (newest === undefined) return renew()
    // The old list is used while a new one is read.
    if (monotonicMs() - newest.readAtMs > RENEW_AFTER_MS) renew().catch(() => {})
    return newest
  }

  return {
    async of(wallet) {
      const pass = await current()
      if (!pass.byAddress.has(wallet)) await readOn(pass)
      const ids = [...(pass.byAddress.get(wallet) ?? [])].slice(0, MAX_CANDIDATES)
      if (ids.length === 0) return null
      const now = (await identities(ids)).filter((one) => one !== null)
      return now.find((one) => one.wallet === wallet) ?? now.find((one) => one.owner === wallet) ?? null
    },
  }
}
