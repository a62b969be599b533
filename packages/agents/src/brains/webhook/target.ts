import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4 } from 'node:net'
import { isLoopback, isPublicAddress } from './addresses.ts'

/** Whether loopback may be reached: on a devnet, where nothing else listens there that matters. */
export type Reach = 'public' | 'public and loopback'

export type Resolve = (hostname: string) => Promise<readonly string[]>

const mayReach = (address: string, reach: Reach): boolean =>
  isPublicAddress(address) || (reach === 'public and loopback' && isLoopback(address))

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** What is wrong with a url before anybody resolves it; undefined when nothing is. */
export function urlProblem(text: string, reach: Reach): string | undefined {
  if (!URL.canParse(text)) return 'is not a url'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be http or https'
  if (url.username !== '' || url.password !== '') return 'must not carry credentials'
  const host = bare(url.hostname)
  if (isIP(host) !== 0 && !mayReach(host, reach)) return 'must be at a public address'
  const isLocal =
    host === 'localhost' || host.endsWith('.localhost') || (isIP(host) !== 0 && isLoopback(host))
  if (isLocal && reach === 'public') return 'must be at a public address'
  // Whoever stands between could answer in the owner's name.
  if (url.protocol === 'http:' && !isLocal) return 'must be https'
  return undefined
}

export type Target = { ok: true; url: URL; address: string } | { ok: false; why: string; gone: boolean }

/**
 * Where to connect, decided once: the names are resolved here, every address is checked, and the one checked
 * is the one connected to. A name that changes its mind afterwards changes nothing.
 */
export async function findTarget(text: string, reach: Reach, resolve: Resolve): Promise<Target> {
  const problem = urlProblem(text, reach)
  if (problem !== undefined) return { ok: false, why: `the url ${problem}`, gone: false }
  const url = new URL(text)
  const host = bare(url.hostname)
  if (isIP(host) !== 0) return { ok: true, url, address: host }
  let addresses: readonly string[]
  try {
    addresses = await resolve(host)
  } catch {
    return { ok: false, why: 'its name does not resolve', gone: true }
  }
  const address = preferred(addresses)
  if (address === undefined) return { ok: false, why: 'its name does not resolve', gone: true }
  // One private address among public ones is reason enough: it would be the next connection's.
  if (!addresses.every((each) => mayReach(each, reach))) {
    return { ok: false, why: 'its name resolves to an address that is not public', gone: false }
  }
  if (url.protocol === 'http:' && !addresses.every(isLoopback)) {
    return { ok: false, why: 'the url must be https', gone: false }
  }
  return { ok: true, url, address }
}

const RESOLVE_MS = 2_000

/**
 * Names to addresses by asking the name servers ourselves. Not by the system's lookup: that waits on a few
 * threads the whole process shares, and a handful of names that never answer would hold them all.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 })
  return async (hostname) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1']
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new Error(`${hostname} does not resolve`)
    return addresses
  }
}

/** IPv4 where there is one: many hosts have no way to the other. */
export const preferred = (addresses: readonly string[]): string | undefined =>
  addresses.find((address) => isIPv4(address)) ?? addresses[0]
