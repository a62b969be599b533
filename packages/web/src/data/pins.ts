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
/** Apart from the rest: browsers that visited before it counted remember none. */
const NODE_PLACE = 'pit.pins.node'

const textOf = ({ rpc_urls: _, ...pinned }: ChainProfile): string => canonicalJson(pinned as unknown as Json)
/** Answers are verified on it, so a server may not exchange it unnoticed. */
const nodeOf = ({ rpc_urls: [url] }: ChainProfile): string => url ?? ''

async function readPins(): Promise<KeptPins> {
  const answer = await fetch('/pins.json')
  if (!answer.ok) throw new Error(`The pins were answered with status ${answer.status}.`)
  const profile = (await answer.json()) as ChainProfile
  // A devnet is made anew as often as its owner likes.
  const changed = profile.kind !== 'devnet' && hasChanged(window.localStorage, profile)
  if (!changed) acceptPins(profile)
  return { profile, changed }
}

/** Whether the pins or their node are others than the ones this browser accepted. */
export function hasChanged(remembered: Pick<Storage, 'getItem'>, profile: ChainProfile): boolean {
  const [pins, node] = [remembered.getItem(PLACE), remembered.getItem(NODE_PLACE)]
  return (pins !== null && pins !== textOf(profile)) || (node !== null && node !== nodeOf(profile))
}

export function acceptPins(
  profile: ChainProfile,
  remembered: Pick<Storage, 'setItem'> = window.localStorage,
): void {
  remembered.setItem(PLACE, textOf(profile))
  remembered.setItem(NODE_PLACE, nodeOf(profile))
}

export const pinsQuery = { queryKey: ['pins'], queryFn: readPins, staleTime: Number.POSITIVE_INFINITY }
export const usePins = () => useQuery(pinsQuery)
