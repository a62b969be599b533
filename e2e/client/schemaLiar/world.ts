import { readFileSync } from 'node:fs'
import { type Account, createClient, fromViem, type PitClient, type Rpc } from '@pit/client'
import { API_PREFIX, type ChainProfile, PLACES, type RouteId } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { RpcFailure } from '../../../packages/client/src/own/rpc.ts'
import { createRandom, type Random } from '../../fuzz/random.ts'
import { answerOf, changed, type Fixed } from './answers.ts'

/** A server that answers by schema and changes one answer of each run, a node that is down, and an account that counts. */

const key = privateKeyToAccount(keccak256(stringToHex('schema liar')))
export const WALLET = key.address.toLowerCase() as `0x${string}`
export const AGENT = 'agt_1'
export const SESSION = 'ses_1'
export const HASH = `0x${'cd'.repeat(32)}` as const
const FIXED: Fixed = {
  wallet: WALLET,
  owner: WALLET,
  id: AGENT,
  agent_id: AGENT,
  session_id: SESSION,
  from: WALLET,
}
export const profile = JSON.parse(readFileSync('fixtures/pins.json', 'utf8')) as ChainProfile

/** Routes without parameters first, so that tokens/stats is not read as a token. */
const PATHS = (Object.entries(PLACES) as [RouteId, (typeof PLACES)[RouteId]][])
  .map(([id, { method, path }]) => ({
    id,
    method,
    path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
    params: path.includes(':'),
  }))
  .sort((a, b) => Number(a.params) - Number(b.params))

export interface Run {
  fetch: typeof fetch
  client: PitClient
  rpc: Rpc
  random: Random
  /** Signature requests so far, sign-in aside. */
  signed: string[]
  /** The change, once an answer was changed. */
  lie(): string
}

/** The `lieAt`-th answer is changed. */
export function openRun(seed: number, { lieAt = 1 }: { lieAt?: number } = {}): Run {
  const random = createRandom(seed)
  const signed: string[] = []
  let [calls, lie] = [0, 'none']
  const answer: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname.replace(API_PREFIX, '')
    const route = PATHS.find((one) => one.method === (init?.method ?? 'GET') && one.path.test(path))
    if (!route)
      return Response.json({ error: { code: -32000, message: 'backend not available' } }, { status: 503 })
    const honest = answerOf(route.id, random, FIXED)
    if (++calls !== lieAt) return Response.json(honest)
    const { says, text } = changed(honest, random)
    lie = `${route.id} ${says}`
    if (random.chance(0.85)) return new Response(text)
    lie += ', as an error'
    return new Response(`{"error":${text}}`, { status: random.pick([400, 403, 409, 422]) })
  }
  const count = (kind: string) => () => {
    signed.push(kind)
    return Promise.reject(new Error(`a ${kind} was requested`))
  }
  const account: Account = {
    ...fromViem(key),
    signMessage: (text) =>
      /sign in with/.test(text) ? key.signMessage({ message: text }) : count('message')(),
    signTypedData: count('typed data'),
    signTransaction: count('transaction'),
    signAuthorization: count('authorization'),
  }
  const rpc: Rpc = {
    all: async (requests) => requests.map(() => new RpcFailure('backend not available')),
  }
  const client = createClient({
    url: 'http://pit.test',
    domain: 'pit.test',
    profile,
    account,
    rpc,
    apiKey: 'pit_w_key',
    fetch: answer,
    maxTries: 1,
    nowMs: () => 1_800_000_000_000,
    sleep: impatient(),
  })
  return { fetch: answer, client, rpc, random, signed, lie: () => lie }
}

/** A wait that never ends is a fault. */
function impatient(): () => Promise<void> {
  let left = 200
  return async () => {
    if (--left < 0) throw new Error('endless wait')
  }
}

/** Nothing is sent in a run, so no text may say what became of a trade. */
export const claimsOutcome = (text: string): boolean => /nothing was traded|was mined in block/i.test(text)
