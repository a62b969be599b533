import { type Address, NATIVE } from '@pit/chain'

/** Addresses are in lower case; the wallet is all zero where the agent has none. */
export interface Identity {
  id: bigint
  owner: Address
  wallet: Address
}

const PAGE = 200
/** More agents than this are not looked through; they are still found by their id. */
const MAX_AGENTS = 100_000
/** A transfer or another wallet is seen within this time; a new agent at once. */
const RENEW_AFTER_MS = 60_000
/** A wallet may own many: so many are looked at again before one is named. */
const MAX_CANDIDATES = 20

interface Pass {
  byAddress: Map<Address, Set<bigint>>
  /** The first id that nobody owned yet. */
  nextId: bigint
  readAtMs: number
}

/**
 * Which agent a wallet acts for, in a registry that only answers by id: ids are read through page by page, up
 * to the first page without an owner. What it names is read again at that moment, so nobody is taken for the
 * owner of an agent that was given away.
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
      const found = (await identities(ids)).filter((one) => one !== null)
      if (found.length === 0) return
      for (const { id, owner, wallet } of found) {
        for (const address of new Set([owner, wallet])) {
          if (address === NATIVE) continue
          const known = pass.byAddress.get(address)
          if (known) known.add(id)
          else pass.byAddress.set(address, new Set([id]))
        }
      }
      pass.nextId = found[found.length - 1]!.id + 1n
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
    // The old list serves on while a new one is read.
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
