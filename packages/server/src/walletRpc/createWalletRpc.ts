import type { Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { type BucketId, fail, routeById } from '@pit/protocol'
import type { Relay } from '@pit/relay'
import type { ApiKey, Caller, Charge } from '../http/types.ts'
import { type Answer, answerOf, CODES, failureFrom, failureOf, type Message, messageOf } from './message.ts'
import { isRead, paramsOf } from './reads.ts'

export interface WalletRpcDeps {
  rpc: Rpc
  relay: Pick<Relay, 'signerOf' | 'submitByWallet'>
  /** The wallet's keys that work now, newest first. */
  liveKeysOf(wallet: Hex): Promise<ApiKey[]>
  charge: Charge
}

/** Answers one JSON-RPC request, or a batch of them. */
export type WalletRpc = (body: unknown, caller: Caller) => Promise<Answer | Answer[]>

const READ_BUCKETS: readonly BucketId[] = ['wallet_rpc.address', 'wallet_rpc.overall']
const MAX_BATCH = 20
const RAW = /^0x(?:[0-9a-fA-F]{2})+$/

/**
 * A node's face for browser wallets, which sign a transaction only to send it themselves: reads go to the
 * node, and a signed transaction is relayed if it is one that was built here for its signer.
 */
export function createWalletRpc(deps: WalletRpcDeps): WalletRpc {
  async function run({ id, method, params }: Message, caller: Caller): Promise<Answer> {
    await deps.charge(caller, READ_BUCKETS)
    if (method === 'eth_sendRawTransaction') return answerOf(id, await send(deps, params, caller))
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

/** Under live/submit's rules, by a key of the signer's own that is still live. */
async function send(deps: WalletRpcDeps, params: readonly unknown[], caller: Caller): Promise<Hex> {
  const [raw] = params
  if (typeof raw !== 'string' || !RAW.test(raw))
    return fail('SUBMIT_REJECTED', { message: 'The transaction is no hex string.', why: 'NOT_HEX' })
  const wallet = deps.relay.signerOf(raw as Hex)
  const keys = await deps.liveKeysOf(wallet)
  if (keys.length === 0)
    return fail('NOT_AS_BUILT', {
      message: `Nothing was built for ${wallet}: sign in and prepare a trade first.`,
    })
  await deps.charge({ ...caller, key: keys[0]! }, routeById('live.submit').buckets)
  return deps.relay.submitByWallet({ wallet, keyIds: keys.map(({ keyId }) => keyId), raw: raw as Hex })
}
