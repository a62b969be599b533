import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4 } from 'node:net'
import { isLoopback, isPublicAddress } from './addresses.ts'

/** Whether loopback may be reached: only on a devnet. */
export type Reach = 'public' | 'public and loopback'

export type Resolve = (hostname: string) => Promise<readonly string[]>

const mayReach = (address: string, reach: Reach): boolean =>
  isPublicAddress(address) || (reach === 'public and loopback' && isLoopback(address))

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** Reason why a URL is rejected before it is resolved; undefined if valid. */
export function urlProblem(text: string, reach: Reach): string | undefined {
  if (!URL.canParse(text)) return 'is not a valid URL'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be http or https'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  const host = bare(url.hostname)
  if (isIP(host) !== 0 && !mayReach(host, reach)) return 'must be at a public address'
  const isLocal =
    host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLoopback(host))
  if (isLocal && reach === 'public') return 'must be at a public address'
  // A man in the middle could answer in the owner's name.
  if (url.protocol === 'http:' && !isLocal) return 'must be https'
  return undefined
}

export type Target = { ok: true; url: URL; address: string } | { ok: false; why: string; gone: boolean }

/**
 * Resolves the host once, checks every address, and connects to a checked address. Later DNS changes have no
 * effect.
 */
export async function findTarget(text: string, reach: Reach, resolve: Resolve): Promise<Target> {
  const problem = urlProblem(text, reach)
  if (problem !== undefined) return { ok: false, why: `the URL ${problem}`, gone: false }
  const url = new URL(text)
  const host = bare(url.hostname)
  if (isIP(host) !== 0) return { ok: true, url, address: host }
  let addresses: readonly string[]
  try {
    addresses = await resolve(host)
  } catch {
    return { ok: false, why: 'its host name does not resolve', gone: true }
  }
  const address = preferred(addresses)
  if (address === undefined) return { ok: false, why: 'its host name does not resolve', gone: true }
  // One private address among public ones is enough to refuse: the next connection might use it.
  if (!addresses.every((each) => mayReach(each, reach))) {
    return { ok: false, why: 'its host name resolves to an address that is not public', gone: false }
  }
  if (url.protocol === 'http:' && !addresses.every(isLoopback)) {
    return { ok: false, why: 'the URL must be https', gone: false }
  }
  return { ok: true, url, address }
}

const RESOLVE_MS = 2_000

/**
 * Queries the name servers directly. The system's lookup runs on a few threads shared by the whole process; a
 * handful of unanswered names would block them all.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 })
  return async (hostname) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1']
    const lookups = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = lookups.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new Error(`${hostname} does not resolve`)
    return addresses
  }
}

/** IPv4 if available: many hosts have no IPv6 route. */
export const preferred = (addresses: readonly string[]): string | undefined =>
  addresses.find((address) => isIPv4(address)) ?? addresses[0]
