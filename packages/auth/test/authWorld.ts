import { createCrypto, serializeSignature } from '@pit/chain'
import { type Charge, networksOf } from '@pit/http'
import type { Db } from '@pit/platform/db'
import { isPitError } from '@pit/protocol'
import { expect } from 'vitest'
import type { ApiKey } from '../src/keys.ts'
import { type Auth, type AuthOptions, openAuth } from '../src/openAuth.ts'

const SITE = { authDomain: 'pit.example', publicUrl: 'https://pit.example' }
export const CAPS = {
  signupsPerAddressDay: 1e6,
  signupsPerHour: 1e6,
  keysPerAddressDay: 1e6,
  keysPerHour: 1e6,
}
export const CONFIG = { ...SITE, requirePartnerAgent: false, caps: CAPS }
// A full hour, so that windows end where the tests expect.
const START_S = 1_800_000_000 - (1_800_000_000 % 86_400) + 10 * 3_600

export const crypto = await createCrypto()

export interface Wallet {
  address: `0x${string}`
  sign(message: string): `0x${string}`
}
let wallets = 0
export function newWallet(): Wallet {
  const key = `0x${(++wallets).toString(16).padStart(64, '0')}` as const
  const address = crypto.addressOf(key)
  return { address, sign: (message) => serializeSignature(crypto.sign(crypto.hashMessage(message), key)) }
}

export const clock = { ms: START_S * 1000, nowMs: () => clock.ms }
export const later = (s: number) => {
  clock.ms += s * 1000
}
export interface Caller {
  requestId: string
  address: string
  key: ApiKey | null
}
export const caller = (address = '192.0.2.1'): Caller => ({ requestId: 'r', address, key: null })

export async function openTestAuth(
  db: Db,
  { charge = async () => {}, ...options }: Partial<AuthOptions> & { charge?: Charge } = {},
) {
  const usual = { db, clock, crypto, isSanctioned: () => false, config: CONFIG }
  const auth = await openAuth({ ...usual, ...options })
  return { ...auth, ...driver(auth, charge) }
}
export type TestAuth = Awaited<ReturnType<typeof openTestAuth>>

type Body = Record<string, unknown>
/** The verbs with a caller's address instead of its networks. */
function driver(auth: Auth, charge: Charge) {
  const clientOf = (by: Caller) => ({
    networks: networksOf(by.address),
    admit: () => charge(by, ['auth.overall']),
  })
  return {
    challenge: async (body: Body, by = caller()) => auth.challenge(body as never, clientOf(by)),
    verify: async (body: Body, by = caller()) => auth.verify(body as never, clientOf(by)),
    revokeAll: async (body: Body, by = caller()) => auth.revokeAll(body as never, clientOf(by)),
    async signIn(wallet: Wallet, by?: Caller) {
      const { message, nonce } = await this.challenge({ address: wallet.address })
      return this.verify({ address: wallet.address, signature: wallet.sign(message), nonce }, by)
    },
  }
}

export const refused = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('was not refused'),
    (error: unknown) => {
      if (!isPitError(error)) throw error
      return error
    },
  )
export const codeOf = async (work: Promise<unknown>) => (await refused(work)).code

/** The service under test on one store; all cases share it. */
export interface AuthCases {
  db: Db
  auth(): TestAuth
}
