import { type ChainProfile, canonicalJson, type Json } from '@pit/protocol'
import { useQuery } from '@tanstack/react-query'

/**
 * The pins come from the server that serves the page. They are trusted on first use and stored; if they change
 * later, the user is warned before anything is signed.
 */
export interface KeptPins {
  profile: ChainProfile
  /** True if the pins differ from the stored ones. */
  changed: boolean
}

const PLACE = 'pit.pins'
/** Stored separately: older visits stored no node. */
const NODE_PLACE = 'pit.pins.node'

const textOf = ({ rpc_urls: _, ...pinned }: ChainProfile): string => canonicalJson(pinned as unknown as Json)
/** Used for verification, so a change by the server must not go unnoticed. */
const nodeOf = ({ rpc_urls: [url] }: ChainProfile): string => url ?? ''

async function readPins(): Promise<KeptPins> {
  const answer = await fetch('/pins.json').catch(() => {
    throw new Error('The pins could not be loaded: the server could not be reached.')
  })
  if (!answer.ok) throw new Error(`The pins could not be loaded (HTTP status ${answer.status}).`)
  const profile = (await answer.json()) as ChainProfile
  // A devnet may be recreated at any time.
  const changed = profile.kind !== 'devnet' && hasChanged(window.localStorage, profile)
  if (!changed) acceptPins(profile)
  return { profile, changed }
}

/** Whether the pins or their node differ from those this browser accepted. */
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
