import {
  type OwnHoldings,
  type Pins,
  pinnedFacts,
  pinsOf,
  type TokenFacts,
  type TransactionReading,
  tokenNamed,
} from '@pit/client'
import { usePins } from '@pit/ui'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useAccount } from './account.ts'
import { amountOf, type Facts, labelOf } from './tokens.ts'

/** Readings of this browser: its pins, its own node and its records. */

/** Loaded once something is read: public pages need no client. */
const openClient = async () => (await import('../wallet/connect.ts')).openClient()

export function usePinned(): Pins | null {
  const { data } = usePins()
  return useMemo(() => (data ? pinsOf(data.profile) : null), [data])
}

const NO_FACTS: Facts = new Map()

/** Facts about tokens by the pins, and once signed in by the verifying node. Empty until the pins are loaded. */
export function useTokenFacts(tokens: readonly string[]): Facts {
  const signedIn = useAccount()
  const pins = usePinned()
  const pinned = useMemo(() => (pins ? pinnedFacts(pins) : NO_FACTS), [pins])
  const others = [...new Set(tokens.map((token) => token.toLowerCase()))]
    .filter((token) => /^0x[0-9a-f]{40}$/.test(token) && !pinned.has(token as `0x${string}`))
    .sort()
  const { data } = useQuery({
    queryKey: ['token facts', signedIn?.keyId, ...others],
    queryFn: async () => (await openClient()).client.tokens(others),
    enabled: signedIn !== null && pins !== null && others.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  })
  return useMemo(() => new Map([...pinned, ...(data ?? [])]), [pinned, data])
}

/** The token that a core symbol or an address names. */
export function useNamedToken(named: string): TokenFacts | null {
  const pins = usePinned()
  const address = pins && tokenNamed(pins, named)
  return useTokenFacts(address ? [address] : []).get(address ?? '0x') ?? null
}

/** Texts about tokens that are named by core symbol or address, as agents’ logs name them. */
export function useNamedTokens(names: readonly string[]) {
  const pins = usePinned()
  const addressOf = (name: string) => pins && tokenNamed(pins, name)
  const facts = useTokenFacts(names.flatMap((name) => addressOf(name) ?? []))
  return {
    label(name: string): string {
      const address = addressOf(name)
      return address ? labelOf(facts, address) : name.slice(0, 16)
    },
    amount(atoms: string | null, name: string): string {
      const address = addressOf(name)
      if (atoms === null) return '–'
      return address ? amountOf(facts, atoms, address) : `${atoms} atoms of ${name.slice(0, 16)}`
    },
  }
}
export type NamedTokens = ReturnType<typeof useNamedTokens>

/** Balances and own values: ETH, the pinned tokens and those named. */
export function useHoldings(tokens: readonly string[], { enabled = true } = {}) {
  const signedIn = useAccount()
  const named = [...new Set(tokens)].sort()
  return useQuery({
    queryKey: ['holdings', signedIn?.keyId, ...named],
    queryFn: async (): Promise<OwnHoldings> => (await openClient()).client.holdings(named),
    enabled: enabled && signedIn !== null,
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  })
}

/** The value of what has an own price. */
export const totalMicroUsd = ({ holdings }: OwnHoldings): bigint =>
  holdings.reduce((sum, { microUsd }) => sum + (microUsd ?? 0n), 0n)

/** Sessions that were signed in this browser, by id, with their state on chain. */
export function useRecordedSessions(updatedAt = 0) {
  const signedIn = useAccount()
  return useQuery({
    queryKey: ['recorded sessions', signedIn?.keyId, updatedAt],
    queryFn: async () => (await openClient()).client.recordedSessions(),
    enabled: signedIn !== null,
    placeholderData: (before) => before,
  })
}

/** The owner's record of an agent that was created live in this browser. */
export function useAgentRecord(id: string) {
  const signedIn = useAccount()
  const { data } = useQuery({
    queryKey: ['own agent', signedIn?.keyId, id],
    queryFn: async () => (await openClient()).client.hosted.record(id),
    enabled: signedIn !== null,
  })
  return data ?? null
}

/** Transactions by the verifying node, by hash; null if it does not know one, absent until it is read. */
export function useOwnTransactions(
  hashes: readonly string[],
): ReadonlyMap<string, TransactionReading | null> {
  const signedIn = useAccount()
  const read = useQueries({
    queries: hashes.map((hash) => ({
      queryKey: ['own tx', signedIn?.keyId, hash],
      queryFn: async () => (await openClient()).client.transaction(hash as `0x${string}`),
      enabled: signedIn !== null && /^0x[0-9a-f]{64}$/.test(hash),
      staleTime: 60_000,
    })),
  })
  return new Map(hashes.flatMap((hash, i) => (read[i]?.data === undefined ? [] : [[hash, read[i].data]])))
}
