import { BlockList, isIP } from 'node:net'

/** Non-public ranges of IANA's special-purpose registries. */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
/**
 * Exceptions inside 2000::/3, the only allocated part: ranges that embed an IPv4 address or are not routed.
 */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const

const notPublic = new BlockList()
for (const [network, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(network, bits, 'ipv6')
const givenOut = new BlockList()
givenOut.addSubnet('2000::', 3, 'ipv6')

/**
 * Whether a webhook may reach an address. Addresses with a zone (`%eth0`) and IPv4-mapped IPv6 addresses are
 * rejected.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !notPublic.check(address, 'ipv4')
  if (version !== 6 || address.includes('%')) return false
  return givenOut.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

export const isLoopback = (address: string): boolean =>
  isIP(address) === 4 ? address.startsWith('127.') : address === '::1'
