import { readFileSync } from 'node:fs'
import {
  type Address,
  createCrypto,
  delegationHash,
  fromWireOrders,
  type Hex,
  NATIVE,
  type OrderList,
  orderListHash,
  type Receipt,
  receiptText,
  sessionRoot,
} from '@pit/chain'
import { bindingHash, CHAIN_ID, createBinding, executorAttestationText } from '@pit/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import { fromViem } from '../src/account.ts'
import type { ClientDeps } from '../src/deps.ts'
import { isRefusal, serverRefusal } from '../src/errors.ts'
import type { OrderIntent } from '../src/orders/intent.ts'
import { atFreshHead } from '../src/own/atFreshHead.ts'
import { openNode } from '../src/own/node.ts'
import { type Rpc, RpcFailure } from '../src/own/rpc.ts'
import { pinsOf } from '../src/pins.ts'
import { type AgentRecord, memoryRecords, openRecords } from '../src/records.ts'
import { hashing } from '../src/verify/grant.ts'

export const crypto = await createCrypto()
export const cosigner = privateKeyToAccount(`0x${'22'.repeat(32)}`)
export const stranger = privateKeyToAccount(`0x${'33'.repeat(32)}`)
export const account = fromViem(privateKeyToAccount(`0x${'11'.repeat(32)}`))
export const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), {
  cosigner: cosigner.address.toLowerCase() as Address,
})
export const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
export const NOW_S = 1_800_000_000
export const EXECUTOR = `0x${'2'.repeat(40)}` as Address
export const word = (digit: string) => `0x${digit.repeat(64)}` as Hex
export const wordOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

export interface Lies {
  receipt?: Partial<Receipt>
  signer?: typeof cosigner
  isMissing?: boolean
  mode?: 'paper' | 'live'
  /** Whether sent transactions take effect. */
  isIgnored?: boolean
  withControls?: boolean
  /** Seconds that the newest block is old. */
  headAgeS?: number
  /** Code that registrations are refused with, though the list is registered; null: none. */
  placeRefusal?: string
  /** Hash of a session that the server names for cancellations. */
  namedSession?: Hex
}

interface Cancelling {
  body: { ids?: Hex[]; challenge: Hex }
}
export async function open(lies: Lies = {}) {
  const { mode = 'live', withControls = true } = lies
  const state = {
    nonce: 3n,
    sent: [] as Hex[],
    placed: [] as { list: OrderList; signature?: Hex }[],
    /** Spent amounts by the co-signer's ledger. */
    spent: new Map<Hex, bigint>(),
    /** Orders that the co-signer knows to have ended, and ids it never saw. */
    ended: new Map<Hex, Receipt['after']>(),
    cancelled: [] as { session: Hex; ids: readonly Hex[] }[],
  }
  const binding = createBinding({
    wallet: account.address,
    executor: EXECUTOR,
    cosigner: pins.cosigner!,
    router: pins.router,
    feeRecipient: pins.feeRecipient,
    tokens: [NATIVE, USDG],
    limits: { max_trade_micro_usd: 10e6, max_day_micro_usd: 20e6, max_trades: 5 },
    expires_at: NOW_S + 86_400,
    nonce: word('4'),
    risk: { accept_risks: [], shield: false, policies: [] },
    ...(withControls && { controls: { signature_above_micro_usd: 0 } }),
  })
  const delegation = sessionRoot(pins.addresses, {
    binding,
    bindingHash: bindingHash(hashing.keccakText, binding),
    eth: { dayWei: 2n, tradeWei: 1n },
    nonce: withControls ? 3n : null,
    nowS: NOW_S,
  })
  const hash = delegationHash(hashing, delegation)
  const attestation = {
    signature: await cosigner.signMessage({
      message: executorAttestationText({
        ...{ executor: EXECUTOR, owner: account.address, agentId: 'agt_1', chainId: CHAIN_ID },
      }),
    }),
  }
  const sign = async (receipt: Receipt) => {
    if (lies.isMissing || mode === 'paper') return null
    const said = { ...receipt, ...lies.receipt }
    const signer = lies.signer ?? cosigner
    const signature = await signer.signMessage({ message: receiptText(said) })
    return { ...said, cosigner: signer.address, signature }
  }
  const base = { session: hash, at: NOW_S, spent: '0', outstanding: '0', until: NOW_S }
  /** As the co-signer: by id, and unknown ids under the session that the request names. */
  const cancelled = async ({ ids = [word('a')], challenge }: Cancelling['body'], session: Hex) => {
    state.cancelled.push({ session, ids })
    const signed = ids.map((id) => {
      const after = state.ended.get(id) ?? 'cancelled'
      return after === 'blocked' || after === 'not_registered'
        ? sign({ ...base, session, what: 'not_registered', before: 'not_registered', after, id, challenge })
        : sign({ ...base, what: after as Receipt['what'], before: 'open', after, id, challenge })
    })
    return (await Promise.all(signed)).filter((one) => one !== null)
  }
  const api = {
    'hosted.get': async () => ({ id: 'agt_1', mode, executor: EXECUTOR, session_id: 'ses_1' }),
    'hosted.executor': async () => ({ executor: EXECUTOR, executor_attestation: attestation }),
    'hosted.orders.place': async ({ body }: { body: { list: never; signature?: Hex; challenge: Hex } }) => {
      const list = fromWireOrders(body.list)
      state.placed.push({ list, ...(body.signature && { signature: body.signature }) })
      if (lies.placeRefusal) throw refusedWith(lies.placeRefusal)
      const changed = list.replaces.find(({ id, spentIn }) => (state.spent.get(id) ?? 0n) !== spentIn)
      if (changed) throw refusedWith('REFUSED')
      const id = orderListHash(crypto, list)
      const registered = { what: 'registered', before: 'not_registered', after: 'registered' } as const
      const receipt = await sign({ ...base, ...registered, id, challenge: body.challenge })
      return { agent_id: 'agt_1', list: id, orders: [], receipt }
    },
    'hosted.orders.states': async ({ body }: { body: { ids: Hex[]; challenge: Hex } }) => ({
      agent_id: 'agt_1',
      receipts: (
        await Promise.all(
          body.ids.map((id) => {
            const after = state.ended.get(id) ?? 'open'
            const spent = (state.spent.get(id) ?? 0n).toString()
            const { challenge } = body
            return sign({ ...base, spent, what: 'status', before: after, after, id, challenge })
          }),
        )
      ).filter((one) => one !== null),
    }),
    'hosted.orders.list': async () => ({
      agent_id: 'agt_1',
      orders: [
        { id: word('a'), state: 'armed', order: { expires_at: NOW_S + 60 } },
        { id: word('b'), state: 'filled', order: { expires_at: NOW_S + 60 } },
        { id: word('e'), state: 'waiting', order: { expires_at: NOW_S } },
      ],
      wanted: [],
    }),
    'hosted.orders.cancel': async ({ body }: Cancelling) => ({
      agent_id: 'agt_1',
      orders: [],
      receipts: await cancelled(body, lies.namedSession ?? hash),
    }),
    'live.session.orders.cancel': async ({ body }: Cancelling) => ({
      session_id: 'ses_1',
      receipts: await cancelled(body, hash),
    }),
    'live.session.revoke': async ({ body }: { body: { challenge: Hex } }) => ({
      on_chain: [],
      signer_revoked: true,
      approvals: [],
      receipt: await sign({
        ...{ ...base, what: 'revoked', before: 'active', after: 'revoked' },
        ...{ id: hash, challenge: body.challenge },
      }),
    }),
  }
  const rpc: Rpc = {
    all: async (calls) =>
      calls.map(({ method, params }) => {
        const [first] = params as [{ to: Address; data: Hex } & Hex]
        if (method === 'eth_call')
          return first.to === pins.addresses.enforcers.Nonce
            ? wordOf(state.nonce)
            : wordOf(0n).padEnd(first.to === pins.permit2 ? 194 : 66, '0')
        if (method === 'eth_sendRawTransaction') {
          state.sent.push(first)
          if (!lies.isIgnored) state.nonce++
          return word('7')
        }
        if (method === 'eth_getBlockByNumber')
          return {
            number: '0x1',
            timestamp: `0x${(NOW_S - (lies.headAgeS ?? 0)).toString(16)}`,
            baseFeePerGas: '0x7',
          }
        if (method === 'eth_getTransactionCount') return `0x${state.sent.length.toString(16)}`
        if (method === 'eth_estimateGas') return '0xea60'
        if (method === 'eth_getTransactionReceipt')
          return { status: '0x1', blockNumber: '0x1', gasUsed: '0x1', effectiveGasPrice: '0x1', logs: [] }
        return new RpcFailure(`no ${method}`)
      }),
  }
  const node = openNode(rpc, pins, () => NOW_S * 1000)
  const deps: ClientDeps = {
    api: api as never,
    account: atFreshHead(account, node),
    endingAccount: account,
    pins,
    rpc: node,
    nowMs: () => NOW_S * 1000,
    sleep: async () => {},
    records: openRecords(memoryRecords(), account.address),
    checked: async () => {},
  }
  await deps.records.putSession({
    session_id: 'ses_1',
    wallet: account.address,
    executor: EXECUTOR,
    binding,
    roots: [{ hash, delegation }],
    granted_at: NOW_S,
  })
  return { deps, state, hash }
}

export const refusedWith = (code: string, status = 422) =>
  serverRefusal(
    { ...{ status, code, message: 'No.', retry: null, retryAfterS: null, hint: null }, fields: {} },
    'no',
  )

export const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (isRefusal(error)) return error.code
  throw error ?? new Error('not refused')
}

export const LIVE_AGENT: AgentRecord = {
  id: 'agt_1',
  wallet: account.address,
  brain: 'orders',
  params: {},
  interval_s: 3_600,
  pairs: ['ETH/USDG'],
  tokens: ['ETH', 'USDG'],
  limits: { max_trade_usd: 10, max_day_usd: 20, max_position_usd: 100 },
  terms: { accept_risks: [], shield: false, policies: null },
  mode: 'live',
  executor: EXECUTOR,
}
export const SELL: OrderIntent = { sell: 'ETH', buy: 'USDG', amount: '0.5' }
export const RECEIPT_LIES: [string, Lies][] = [
  ['is missing', { isMissing: true }],
  ['is signed by another key', { signer: stranger }],
  ['answers another challenge', { receipt: { challenge: word('9') } }],
  ['is of another session', { receipt: { session: word('9') } }],
  ['is of another list or order', { receipt: { id: word('9') } }],
  ['is about something else', { receipt: { what: 'cancelled' as never } }],
  ['is from the future', { receipt: { at: NOW_S + 600 } }],
]
