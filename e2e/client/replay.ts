import type { Hex } from '@pit/chain'
import {
  type Account,
  createClient,
  fromViem,
  type PitClient,
  type RecordStore,
  type Rpc,
  rpcAt,
} from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createRandom, type Random } from '../fuzz/random.ts'
import type { Json } from './lies.ts'

/** A signature request to the account. */
export type Signed =
  | { kind: 'transaction'; value: Parameters<Account['signTransaction']>[0] }
  | { kind: 'typed data'; value: Parameters<Account['signTypedData']>[0] }
  | { kind: 'message'; value: string }
  | { kind: 'authorization'; value: { chainId: number; address: Hex; nonce: number } }

/** A client method with lying answers. */
export interface Scenario {
  name: string
  account: PrivateKeyAccount | ReturnType<typeof import('viem/accounts').mnemonicToAccount>
  apiKey: string
  run(client: PitClient): Promise<unknown>
  /** False if an honest server requests no signature either. */
  signs?: false
  /** Special lies, built from an honest answer. */
  lie?(answer: Json, random: Random): Json
  /** Whether it is recorded again before a plan's deadline passes. */
  ages: boolean
  /** The owner's records; a replay changes only a copy of them. */
  records?: RecordStore & { copy(): RecordStore }
  /** Whether the client chooses the same nonces and challenges in every replay. */
  fixedRandom?: boolean
  /** The parts of a result that must be the same as with an honest server, however the server lies. */
  accepted?(result: unknown): string
}

/** Answers of an honest server and node, and the signatures they led to. */
export interface Recording {
  answers: { path: string; status: number; body: Json }[]
  node: Map<string, unknown>
  signed: Signed[]
  result: unknown
  nowMs: number
}

export interface Stage {
  serverUrl: string
  nodeUrl: string
  domain: string
  profile: ChainProfile
}

/**
 * An account that records its signature requests. Replays reuse earlier signatures: only the request counts.
 */
function recordingAccount(real: Account, signed: Signed[], signatures: Map<string, Hex>): Account {
  const once = async (one: Signed, sign: () => Promise<Hex>): Promise<Hex> => {
    signed.push(one)
    const key = keyOf(one)
    const before = signatures.get(key)
    if (before) return before
    const made = await sign()
    signatures.set(key, made)
    return made
  }
  return {
    address: real.address,
    signMessage: (value) => once({ kind: 'message', value }, () => real.signMessage(value)),
    signTypedData: (value) => once({ kind: 'typed data', value }, () => real.signTypedData(value)),
    signTransaction: (value) => once({ kind: 'transaction', value }, () => real.signTransaction(value)),
    signAuthorization: (value) =>
      once({ kind: 'authorization', value }, () => real.signAuthorization!(value)),
  }
}

export const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))

const relayed = new Set(['/api/v1/live/submit', '/api/v1/live/fast'])

/** Nothing is sent: the relay answers the hashes, the chain a receipt without transfers. */
function hashesOf(init: RequestInit | undefined): Json {
  const body = JSON.parse(String(init?.body)) as { raw_tx?: Hex; raw_txs?: Hex[] }
  const hashes = (body.raw_txs ?? [body.raw_tx!]).map((raw) => keccak256(raw))
  return { tx_hash: hashes.at(-1)!, tx_hashes: hashes }
}
const SENDING = new Set(['eth_getTransactionReceipt', 'eth_sendRawTransaction'])
const RECEIPT = { status: '0x1', blockNumber: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1', logs: [] }

function clientOf(
  stage: Stage,
  scenario: Scenario,
  { maxTries, ...on }: { account: Account; rpc: Rpc; send: typeof fetch; nowMs: number; maxTries: number },
): PitClient {
  return createClient({
    url: stage.serverUrl,
    domain: stage.domain,
    profile: stage.profile,
    account: on.account,
    apiKey: scenario.apiKey,
    rpc: on.rpc,
    fetch: on.send,
    maxTries,
    nowMs: () => on.nowMs,
    ...(scenario.records && { records: maxTries === 1 ? scenario.records.copy() : scenario.records }),
    ...(maxTries === 1 && { sleep: impatient() }),
  })
}

/** Time stands still in a replay, so endless waits are stopped. */
function impatient(): () => Promise<void> {
  let left = 100
  return async () => {
    if (--left < 0) throw new Error('endless wait')
  }
}

/** The result, or the error it ended with. */
async function run(scenario: Scenario, client: PitClient): Promise<unknown> {
  if (!scenario.fixedRandom) return scenario.run(client).catch((error: unknown) => error)
  const random = createRandom(Number.parseInt(keccak256(stringToHex(scenario.name)).slice(2, 10), 16))
  const { getRandomValues } = crypto
  crypto.getRandomValues = (array) => {
    const bytes = new Uint8Array(array!.buffer, array!.byteOffset, array!.byteLength)
    bytes.set(random.bytes(bytes.length))
    return array
  }
  return scenario
    .run(client)
    .catch((error: unknown) => error)
    .finally(() => {
      crypto.getRandomValues = getRandomValues
    })
}

/** Runs a scenario on the honest server and the real node. */
export async function record(
  stage: Stage,
  scenario: Scenario,
  signatures: Map<string, Hex>,
): Promise<Recording> {
  const recording: Recording = {
    answers: [],
    node: new Map(),
    signed: [],
    result: undefined,
    nowMs: Date.now(),
  }
  const node = rpcAt(stage.nodeUrl)
  const rpc: Rpc = { all: (calls) => readOnce(node, calls, recording.node) }
  const send: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname
    const response = relayed.has(path) ? Response.json(hashesOf(init)) : await fetch(url, init)
    const body = (await response.clone().json()) as Json
    recording.answers.push({ path, status: response.status, body })
    return response
  }
  const account = recordingAccount(fromViem(scenario.account), recording.signed, signatures)
  const client = clientOf(stage, scenario, { account, rpc, send, nowMs: recording.nowMs, maxTries: 4 })
  recording.result = await run(scenario, client)
  return recording
}

/** The same with one changed answer; only reads that the node has not answered before leave the process. */
export async function replay(
  stage: Stage,
  scenario: Scenario,
  recording: Recording,
  lie: { at: number; answer: Json },
  signatures: Map<string, Hex>,
): Promise<{ result: unknown; signed: Signed[] }> {
  const signed: Signed[] = []
  const seen = new Map<string, number>()
  const send: typeof fetch = async (url, init) => {
    const path = new URL(String(url)).pathname
    const nth = seen.get(path) ?? 0
    seen.set(path, nth + 1)
    const of = recording.answers.flatMap((one, at) => (one.path === path ? [at] : []))
    // A lying server repeats the lie when a fresh plan is requested after a refusal.
    const at = of[Math.min(nth, of.length - 1)]
    if (at === undefined)
      return Response.json({ error: { code: 'NOT_FOUND', message: '', retry: 'no' } }, { status: 404 })
    if (relayed.has(path) && at !== lie.at) return Response.json(hashesOf(init))
    const { status, body } = recording.answers[at]!
    return Response.json(at === lie.at ? lie.answer : body, { status })
  }
  const node = rpcAt(stage.nodeUrl)
  const rpc: Rpc = { all: (calls) => readOnce(node, calls, recording.node) }
  const account = recordingAccount(fromViem(scenario.account), signed, signatures)
  const client = clientOf(stage, scenario, { account, rpc, send, nowMs: recording.nowMs, maxTries: 1 })
  const result = await run(scenario, client)
  return { result, signed }
}

/** Reads each call from the node once per recording, because thousands of replays repeat it. */
async function readOnce(node: Rpc, calls: Parameters<Rpc['all']>[0], cache: Map<string, unknown>) {
  const keys = calls.map(keyOf)
  const isMissing = (call: (typeof calls)[number], i: number) =>
    !SENDING.has(call.method) && !cache.has(keys[i]!)
  const missing = calls.filter(isMissing)
  const fresh = missing.length > 0 ? await node.all(missing) : []
  for (const [i, call] of missing.entries()) cache.set(keyOf(call), fresh[i])
  return calls.map((call, i) => {
    if (call.method === 'eth_getTransactionReceipt') return RECEIPT
    if (call.method === 'eth_sendRawTransaction') return keccak256(call.params[0] as Hex)
    return cache.get(keys[i]!)
  })
}
