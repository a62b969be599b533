import { isIPv6 } from 'node:net'
import { AUTH, type ChallengePurpose, REQUEST } from '@pit/protocol'

export type Wallet = `0x${string}`
export type Purpose = ChallengePurpose

export const PURPOSE_TTL_S: Record<Purpose, number> = {
  'sign-in': AUTH.challengeTtlS,
  'revoke-all': AUTH.revokeAllChallengeTtlS,
}

/** 32 bytes are 43 characters of base64url. Anything else is no key of ours and costs no look-up. */
const KEY_SHAPE = new RegExp(`^${REQUEST.keyPrefix}[A-Za-z0-9_-]{43}$`)
export const looksLikeKey = (text: string): boolean => KEY_SHAPE.test(text)

export const newKeyText = (random: Uint8Array): string =>
  `${REQUEST.keyPrefix}${Buffer.from(random).toString('base64url')}`

/** Accounts have no chosen name: the wallet's ends are what its owner recognises. */
export const accountName = (accountId: number, wallet: Wallet | null): string =>
  wallet === null ? `account ${accountId}` : `${wallet.slice(0, 6)}...${wallet.slice(-4)}`

export interface Caps {
  signupsPerAddressDay: number
  signupsPerHour: number
  keysPerAddressDay: number
  keysPerHour: number
}

/** One count that a sign-in adds to, and the most it may reach. */
export interface Cap {
  scope: string
  windowStartS: number
  windowEndS: number
  most: number
}

const DAY_S = 86_400
const HOUR_S = 3_600

/** Days and hours are UTC's. Addresses first, the service last: every sign-in locks them in the same order. */
export function capsOf(what: 'account' | 'key', caps: Caps, clientAddress: string, nowS: number): Cap[] {
  const [perDay, perHour] =
    what === 'account'
      ? [caps.signupsPerAddressDay, caps.signupsPerHour]
      : [caps.keysPerAddressDay, caps.keysPerHour]
  return [
    { scope: capScope(clientAddress), ...windowOf(DAY_S, nowS), most: perDay },
    { scope: 'service', ...windowOf(HOUR_S, nowS), most: perHour },
  ]
}

function windowOf(lengthS: number, nowS: number) {
  const windowStartS = nowS - (nowS % lengthS)
  return { windowStartS, windowEndS: windowStartS + lengthS }
}

/** Seconds until a capped sign-in may be tried again; undefined when no cap is passed. */
export function retryAfterS(caps: readonly Cap[], counts: ReadonlyMap<string, number>, nowS: number) {
  const passed = caps.filter(({ scope, most }) => (counts.get(scope) ?? 0) > most)
  return passed.length === 0 ? undefined : Math.max(...passed.map(({ windowEndS }) => windowEndS - nowS))
}

/** Whoever has an IPv6 address has its whole /64, so that is what is counted. */
export function capScope(clientAddress: string): string {
  const address = clientAddress.split('%')[0] ?? clientAddress
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // A dotted tail stands for two groups.
  const width = (groups: string[]) => groups.reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0)
  const zeros = tail === undefined ? 0 : 8 - width(left) - width(right)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/64`
}
