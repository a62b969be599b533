import { type ChainProfile, canonicalJson, type Json } from '@pit/protocol'
import { useQuery } from '@tanstack/react-query'

/**
 * The pins come with the page, from the server that serves it. So they are remembered: the first visit is believed,
 * and a later one that brings others is told before anything is signed.
 */
export interface KeptPins {
  profile: ChainProfile
  /** Other pins than this browser saw before. */
  changed: boolean
}

const PLACE = 'pit.pins'

const textOf = ({ rpc_urls: _, ...pinned }: ChainProfile): string => canonicalJson(pinned as unknown as Json)

async function readPins(): Promise<KeptPins> {
  const answer = await fetch('/pins.json')
  if (!answer.ok) throw new Error(`The pins were answered with status ${answer.status}.`)
  const profile = (await answer.json()) as ChainProfile
  const before = window.localStorage.getItem(PLACE)
  // A devnet is made anew as often as its owner likes.
  const changed = before !== null && before !== textOf(profile) && profile.kind !== 'devnet'
  if (!changed) acceptPins(profile)
  return { profile, changed }
}

export const acceptPins = (profile: ChainProfile): void => window.localStorage.setItem(PLACE, textOf(profile))

export const pinsQuery = { queryKey: ['pins'], queryFn: readPins, staleTime: Number.POSITIVE_INFINITY }
export const usePins = () => useQuery(pinsQuery)
