import type { Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { type BucketId, fail } from '@pit/protocol'
import type { Relay } from '@pit/relay'
import type { Caller, Charge } from '../http/types.ts'
import { type Answer, answerOf, CODES, failureFrom, failureOf, type Message, messageOf } from './message.ts'
import { isRead, paramsOf } from './reads.ts'

export interface WalletRpcDeps {
  rpc: Rpc
  relay: Pick<Relay, 'submitByWallet'>
  /** The wallet's keys that work now, newest first. */
  liveKeysOf(wallet: Hex): Promise<readonly number[]>
  charge: Charge
}

/** Answers one JSON-RPC request, or a batch of them. */
export type WalletRpc = (body: unknown, caller: Caller) => Promise<Answer | Answer[]>

const BUCKETS: readonly BucketId[] = ['wallet_rpc.address', 'wallet_rpc.overall']
const MAX_BATCH = 20
const RAW = /^0x(?:[0-9a-fA-F]{2})+$/

/**
 * A node's face for browser wallets, which sign a transaction only to send it themselves: reads go to the
 * node, and a signed transaction is relayed if it is one that was built here for its signer.
 */
export function createWalletRpc(deps: WalletRpcDeps): WalletRpc {
  async function run({ id, method, params }: Message, caller: Caller): Promise<Answer> {
    await deps.charge(caller, BUCKETS)
    if (method === 'eth_sendRawTransaction') return answerOf(id, await send(deps, params))
    if (!isRead(method)) {
      const message = `${method.slice(0, 64)} is not served here: this address is for wallets alone.`
      return failureOf(id, { code: CODES.method, message })
    }
    const passed = paramsOf(method, params)
    if (passed === null) {
      const message = 'State overrides and whole blocks are not served here: ask a node.'
      return failureOf(id, { code: CODES.params, message })
    }
    return answerOf(id, await deps.rpc.request(method, passed))
  }

  async function answer(value: unknown, caller: Caller): Promise<Answer> {
    const message = messageOf(value)
    if (message === null) return failureOf(null, { code: CODES.request, message: 'Not a JSON-RPC request.' })
    try {
      return await run(message, caller)
    } catch (error) {
      const failure = failureFrom(error)
      if (failure === null) throw error
      return failureOf(message.id, failure)
    }
  }

  return async (body, caller) => {
    if (!Array.isArray(body)) return answer(body, caller)
    if (body.length === 0 || body.length > MAX_BATCH)
      return failureOf(null, { code: CODES.request, message: `A batch has 1 to ${MAX_BATCH} requests.` })
    return Promise.all(body.map((one) => answer(one, caller)))
  }
}

/**
 * Under live/submit's rules. The key's own bucket is not drawn from: what a wallet once signed is public, and
 * whoever sends it here again would use up its owner's requests.
 */
function send({ relay, liveKeysOf }: WalletRpcDeps, [raw]: readonly unknown[]): Promise<Hex> {
  if (typeof raw !== 'string' || !RAW.test(raw))
    return fail('SUBMIT_REJECTED', { message: 'The transaction is no hex string.', why: 'NOT_HEX' })
  return relay.submitByWallet({ raw: raw as Hex, liveKeysOf })
}
