import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { exchange } from '@pit/platform/http'
import { fail } from '@pit/protocol'
import type { ModelDeps } from './deps.ts'
import { hintOf, storeKey } from './money/keys.ts'

const CHECK_MS = 5_000
const MAX_ANSWER_BYTES = 65_536
/** Characters allowed in an HTTP header value. */
const KEY = /^[\x21-\x7e]{8,512}$/

/** Stores the owner's own gateway key. The key is never logged or shown again. */
export async function connectKey(
  { db, clock, seal, gateway }: ModelDeps,
  { wallet, key }: { wallet: Address; key: string },
): Promise<{ hint: string; connectedAtS: number }> {
  if (gateway === null) return fail('HOSTED_UNAVAILABLE', { message: 'This server has no AI gateway.' })
  if (seal === null)
    return fail('HOSTED_UNAVAILABLE', { message: 'This server cannot encrypt keys: SEAL_KEY is not set.' })
  if (!KEY.test(key) || key === gateway.poolKey) return refuseKey()
  if (!(await gatewayKnows(gateway.url, key))) return refuseKey()
  const atS = nowS(clock)
  await storeKey(db, seal, wallet, key, atS)
  return { hint: hintOf(key), connectedAtS: atS }
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
