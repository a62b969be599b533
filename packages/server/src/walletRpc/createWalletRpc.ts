import type { Hex } from '@pit/chain'
import type { Charge } from '@pit/http'
import type { PassThrough } from '@pit/platform/rpc'
import { type BucketId, fail } from '@pit/protocol'
import type { Relay } from '@pit/relay'
import type { Caller } from '../http/types.ts'
import { type Answer, answerOf, CODES, failureFrom, failureOf, type Message, messageOf } from './message.ts'
import { isRead, paramsOf } from './reads.ts'

export interface WalletRpcDeps {
  node: Pick<PassThrough, 'request'>
  relay: Pick<Relay, 'submitByWallet'>
  /** The wallet's live keys, newest first. */
  liveKeysOf(wallet: Hex): Promise<readonly number[]>
  charge: Charge
}

/** Serves one JSON-RPC request or a batch. */
export type WalletRpc = (body: unknown, caller: Caller) => Promise<Answer | Answer[]>

const BUCKETS: readonly BucketId[] = ['wallet_rpc.address', 'wallet_rpc.overall']
const MAX_BATCH = 20
/** Total response size of one request, a batch included. */
const MAX_ANSWER_BYTES = 128 * 1024
const CALL_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000
const RAW = /^0x(?:[0-9a-fA-F]{2})+$/

/** Time and bytes left for one request. */
interface Budget {
  untilMs: number
  bytes: number
}

/**
 * A node interface for browser wallets, which sign a transaction only if they send it themselves: reads go to
 * the node, and a signed transaction is relayed if it was built here for its signer.
 */
export function createWalletRpc(deps: WalletRpcDeps): WalletRpc {
  async function run({ id, method, params }: Message, caller: Caller, budget: Budget): Promise<Answer> {
    await deps.charge(caller, BUCKETS)
    if (method === 'eth_sendRawTransaction') return answerOf(id, await send(deps, params))
    if (!isRead(method)) {
      const message = `${method.slice(0, 64)} is not supported: this endpoint is for wallets only.`
      return failureOf(id, { code: CODES.method, message })
    }
    const passed = paramsOf(method, params)
    if (passed === null) {
      const message = 'State overrides and full blocks are not supported: use a node.'
      return failureOf(id, { code: CODES.params, message })
    }
    const timeoutMs = Math.min(CALL_TIMEOUT_MS, budget.untilMs - performance.now())
    if (timeoutMs <= 0) return failureOf(id, { code: CODES.limit, message: 'The batch took too long.' })
    const bound = { timeoutMs, maxAnswerBytes: budget.bytes }
    return answerOf(id, await deps.node.request(method, passed, bound))
  }

  async function answer(value: unknown, caller: Caller, budget: Budget): Promise<Answer> {
    const message = messageOf(value)
    if (message === null) return failureOf(null, { code: CODES.request, message: 'Not a JSON-RPC request.' })
    try {
      return await run(message, caller, budget)
    } catch (error) {
      const failure = failureFrom(error)
      if (failure === null) throw error
      return failureOf(message.id, failure)
    }
  }

  return async (body, caller) => {
    const budget = { untilMs: performance.now() + REQUEST_TIMEOUT_MS, bytes: MAX_ANSWER_BYTES }
    if (!Array.isArray(body)) return answer(body, caller, budget)
    if (body.length === 0 || body.length > MAX_BATCH)
      return failureOf(null, { code: CODES.request, message: `A batch has 1 to ${MAX_BATCH} requests.` })
    const answers: Answer[] = []
    // One after another: a batch uses no more of the node than a single request.
    for (const one of body) {
      const answered = await answer(one, caller, budget)
      budget.bytes -= JSON.stringify(answered).length
      answers.push(answered)
    }
    return answers
  }
}

/**
 * Under live/submit's rules, without drawing from the key's bucket: a signed transaction is public, and
 * anyone who sends it here again would use up its owner's requests.
 */
function send({ relay, liveKeysOf }: WalletRpcDeps, [raw]: readonly unknown[]): Promise<Hex> {
  if (typeof raw !== 'string' || !RAW.test(raw))
    return fail('SUBMIT_REJECTED', { message: 'The transaction is not a hex string.', why: 'NOT_HEX' })
  return relay.submitByWallet({ raw: raw as Hex, liveKeysOf })
}
