import { BlockList, isIP, isIPv4 } from 'node:net'

/** One spelling per address: IPv4 out of IPv6 (`::ffff:1.2.3.4`), no zone, lower case. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address
  const bare = address.split('%')[0]!.toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)
  if (mapped) return mapped[1]!
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(bare)
  if (!hex) return bare
  const high = Number.parseInt(hex[1]!, 16)
  const low = Number.parseInt(hex[2]!, 16)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** Network that a client is counted by. A draw from its bucket costs `cost` tokens. */
export interface Network {
  id: string
  cost: number
}

/** A site may have many hosts: it has the limit of eight /64. */
const SITE_COST = 1 / 8

/**
 * The networks a client counts in, the narrowest first: an IPv4 address; for IPv6 the /64 of one host and the
 * /48 of one customer.
 */
export function networksOf(given: string): [Network, ...Network[]] {
  const address = plainAddress(given)
  if (!address.includes(':')) return [{ id: address, cost: 1 }]
  const groups = groupsOf(address)
  return [
    { id: `${groups.slice(0, 4).join(':')}::/64`, cost: 1 },
    { id: `${groups.slice(0, 3).join(':')}::/48`, cost: SITE_COST },
  ]
}

function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    // A dotted tail is two groups.
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0)
    while (groups.length < 8 - after) groups.push('0')
    if (tail !== '') groups.push(...tail.split(':'))
  }
  return groups.map((group) => group.replace(/^0+(?=.)/, ''))
}

/** A set of networks: `10.0.0.0/8`, `::1`, `fd00::/8`. Throws on a malformed one. */
export function createNetworks(cidrs: readonly string[]): { has(address: string): boolean } {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [network = '', bits, ...rest] = cidr.split('/')
    const address = plainAddress(network)
    const family = isIP(address)
    const maxPrefix = family === 4 ? 32 : 128
    const prefix = bits === undefined ? maxPrefix : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (family === 0 || rest.length > 0 || prefix < 0 || prefix > maxPrefix) {
      throw new Error(`TRUSTED_PROXIES: "${cidr}" is not a network; write 10.0.0.0/8 or fd00::/8`)
    }
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return { has: (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') }
}

/** The right-most hop that is not a trusted proxy: hops further left are claims of the client. */
export function clientAddressOf(
  socketAddress: string,
  forwardedFor: string | undefined,
  trusted: { has(address: string): boolean },
): string {
  let client = socketAddress
  if (forwardedFor === undefined || !trusted.has(client)) return client
  const hops = forwardedFor.split(',')
  for (let i = hops.length - 1; i >= 0; i--) {
    const hop = plainAddress(withoutPort(hops[i]!.trim()))
    if (isIP(hop) === 0) return client
    client = hop
    if (!trusted.has(hop)) return client
  }
  return client
}

function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)
  if (bracketed) return bracketed[1]!
  const v4 = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop)
  return v4 ? v4[1]! : hop
}
