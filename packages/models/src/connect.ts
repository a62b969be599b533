import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { exchange } from '@pit/platform/http'
import { fail } from '@pit/protocol'
import type { ModelDeps } from './deps.ts'
import { forgetKey, hintOf, readKey, storeKey } from './money/keys.ts'

const CHECK_MS = 5_000
const MAX_ANSWER_BYTES = 65_536
/** Characters allowed in an HTTP header value. */
const KEY = /^[\x21-\x7e]{8,512}$/

/** Another key is another account, which decides what the owner's agents are answered. */
export interface KeyChange {
  wallet: Address
  /** Runs in the transaction that changes the key, and only if it changes. */
  onChange(sql: Sql): Promise<void>
}

export interface ConnectedKey {
  hint: string
  connectedAtS: number
}

/** Stores the owner's own gateway key. The key is never logged or shown again. */
export async function connectKey(
  { db, clock, seal, gateway }: ModelDeps,
  { wallet, key, onChange }: KeyChange & { key: string },
): Promise<ConnectedKey> {
  if (gateway === null) return fail('HOSTED_UNAVAILABLE', { message: 'This server has no AI gateway.' })
  if (seal === null)
    return fail('HOSTED_UNAVAILABLE', { message: 'This server cannot encrypt keys: SEAL_KEY is not set.' })
  if (!KEY.test(key) || key === gateway.poolKey) return refuseKey()
  if (!(await gatewayKnows(gateway.url, key))) return refuseKey()
  return db.transaction(async (sql) => {
    const stored = await readKey(sql, seal, wallet)
    if (stored.state === 'connected' && stored.key === key) return stored
    const connected = { hint: hintOf(key), connectedAtS: nowS(clock) }
    await storeKey(sql, seal, { wallet, key, ...connected })
    await onChange(sql)
    return connected
  })
}

/** Deletes the sealed bytes immediately. */
export async function disconnectKey(
  { db, clock }: Pick<ModelDeps, 'db' | 'clock'>,
  { wallet, onChange }: KeyChange,
): Promise<void> {
  await db.transaction(async (sql) => {
    if (await forgetKey(sql, wallet, nowS(clock))) await onChange(sql)
  })
}

const refuseKey = (): never =>
  fail('BAD_REQUEST', { field: 'api_key', message: 'The gateway rejected this key.' })

/** A gateway without a key route is checked by listing its models with the key. */
async function gatewayKnows(url: string, key: string): Promise<boolean> {
  for (const path of ['key', 'models']) {
    const answer = await exchange({
      method: 'GET',
      url: new URL(`${url}/${path}`),
      headers: { authorization: `Bearer ${key}` },
      timeoutMs: CHECK_MS,
      maxAnswerBytes: path === 'key' ? MAX_ANSWER_BYTES : MAX_ANSWER_BYTES * 64,
    })
    if (answer.kind === 'answer' && answer.status === 200) return true
    if (answer.kind === 'answer' && (answer.status === 401 || answer.status === 403)) return false
    if (answer.kind !== 'answer' || answer.status !== 404) break
  }
  return fail('HOSTED_UNAVAILABLE', { message: 'The AI gateway is not responding. Try again shortly.' })
}
