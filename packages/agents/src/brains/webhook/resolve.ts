import { Resolver } from 'node:dns/promises'
import { isIPv4 } from 'node:net'
import type { Resolve } from './target.ts'

const TIMEOUT_MS = 2_000

/**
 * Names to addresses by asking the name servers ourselves. Not by the system's lookup: that waits on a few threads the
 * whole process shares, and a handful of names that never answer would hold them all.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
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
