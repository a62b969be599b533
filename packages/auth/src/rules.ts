import { AUTH, type ChallengePurpose, DAY_S, REQUEST } from '@pit/protocol'
import type { SignInNetwork } from './client.ts'

export type Wallet = `0x${string}`
export type Purpose = ChallengePurpose

export const PURPOSE_TTL_S: Record<Purpose, number> = {
  'sign-in': AUTH.challengeTtlS,
  'revoke-all': AUTH.revokeAllChallengeTtlS,
}

/** 32 bytes are 43 characters of base64url. Anything else is not our key and costs no look-up. */
const KEY_SHAPE = new RegExp(`^${REQUEST.keyPrefix}[A-Za-z0-9_-]{43}$`)
export const looksLikeKey = (text: string): boolean => KEY_SHAPE.test(text)

export const newKeyText = (random: Uint8Array): string =>
  `${REQUEST.keyPrefix}${Buffer.from(random).toString('base64url')}`

/** Accounts have no chosen name: owners recognise the ends of their wallet. */
export const accountName = (accountId: number, wallet: Wallet | null): string =>
  wallet === null ? `account ${accountId}` : `${wallet.slice(0, 6)}...${wallet.slice(-4)}`

export interface Caps {
  signupsPerAddressDay: number
  signupsPerHour: number
  keysPerAddressDay: number
  keysPerHour: number
}

/** A count that a sign-in increments, and its maximum. */
export interface Cap {
  scope: string
  windowStartS: number
  windowEndS: number
  max: number
}

const HOUR_S = 3_600

/** UTC days and hours. Addresses first, the service last: every sign-in locks them in the same order. */
export function capsOf(
  what: 'account' | 'key',
  caps: Caps,
  networks: readonly SignInNetwork[],
  nowS: number,
): Cap[] {
  const [perDay, perHour] =
    what === 'account'
      ? [caps.signupsPerAddressDay, caps.signupsPerHour]
      : [caps.keysPerAddressDay, caps.keysPerHour]
  return [
    ...networks.map(({ id, cost }) => ({
      scope: id,
      ...windowOf(DAY_S, nowS),
      max: perDay / cost,
    })),
    { scope: 'service', ...windowOf(HOUR_S, nowS), max: perHour },
  ]
}

function windowOf(lengthS: number, nowS: number) {
  const windowStartS = nowS - (nowS % lengthS)
  return { windowStartS, windowEndS: windowStartS + lengthS }
}

/** Seconds until a capped sign-in may be retried; undefined if no cap is exceeded. */
export function retryAfterS(caps: readonly Cap[], counts: ReadonlyMap<string, number>, nowS: number) {
  const passed = caps.filter(({ scope, max }) => (counts.get(scope) ?? 0) > max)
  return passed.length === 0 ? undefined : Math.max(...passed.map(({ windowEndS }) => windowEndS - nowS))
}
