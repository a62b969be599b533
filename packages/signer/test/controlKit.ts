import {
  type Address,
  type Delegation,
  delegationHash,
  type Hex,
  leafId,
  NATIVE,
  type Order,
  type OrderList,
  orderDigest,
  orderId,
  orderListHash,
  receiptText,
  serializeSignature,
  signDelegation,
  toWireOrders,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { type BindingControls, isPitError } from '@pit/protocol'
import type { SignedReceipt, SignerCheck } from '@pit/signer-wire'
import { numberToHex } from 'viem'
import { type CosignDeps, cosignTrade } from '../src/leaves/cosignTrade.ts'
import type { CosignRequest } from '../src/leaves/types.ts'
import { openLedger } from '../src/ledger/openLedger.ts'
import { cancelOrders } from '../src/orders/cancelOrders.ts'
import { confirmStates } from '../src/orders/confirmStates.ts'
import type { OrderDeps } from '../src/orders/deps.ts'
import { createTriggerReader } from '../src/orders/readTrigger.ts'
import { registerOrders } from '../src/orders/registerOrders.ts'
import type { SettleDeps } from '../src/orders/settleLeaf.ts'
import type { OwnPrice } from '../src/prices/followPrices.ts'
import { openSessions } from '../src/roots/openSessions.ts'
import { createNonceReader } from '../src/roots/readNonce.ts'
import {
  crypto,
  E18,
  freshNonce,
  grant,
  KEYS,
  LIMITS,
  makeBinding,
  NOW_S,
  ownPrice,
  PINS,
  PROFILE,
  STOCK,
  storedOf,
  swapCall,
  USDG,
  WHO,
} from './kit.ts'
import { nonce } from './ledgerKit.ts'

/** A store with controlled sessions; the chain is a few tables that a test changes. */

export const CHALLENGE: Hex = `0x${'c4'.repeat(32)}`
export const DAY_MICRO_USD = 1_000_000_000
const NO_TRIGGER = { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 } as const

/** Sells ETH for USDG. */
export const makeOrder = (change: Partial<Order> = {}): Order => ({
  tokenIn: NATIVE,
  tokenOut: USDG,
  amountIn: E18 / 100n,
  minAmountOut: 0n,
  maxSlippageBps: 300,
  trigger: NO_TRIGGER,
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: NOW_S + 3_000,
  group: 0,
  parent: 0,
  ...change,
})
export const makeList = (session: Hex, orders: Order[], change: Partial<OrderList> = {}): OrderList => ({
  session,
  nonce: freshNonce(),
  replaces: [],
  orders,
  ...change,
})
/** Of each the same is spent. */
export const replacing = (ids: readonly Hex[], spentIn = 0n): Pick<OrderList, 'replaces'> => ({
  replaces: ids.map((id) => ({ id, spentIn })),
})
export const signList = (list: OrderList, key = KEYS.wallet): Hex =>
  serializeSignature(crypto.sign(orderDigest(crypto, PINS.addresses, list), key))
export const idsOf = (list: OrderList): Hex[] => {
  const hash = orderListHash(crypto, list)
  return list.orders.map((_, i) => orderId(crypto, hash, i))
}

export const word = (value: bigint | number): Hex => numberToHex(BigInt(value), { size: 32 })
export const words = (...values: (bigint | number)[]): Hex =>
  `0x${values.map((value) => word(value).slice(2)).join('')}`

/** The failed rules of a call, or its answer. */
export async function outcome<T>(call: Promise<T>): Promise<T | string> {
  try {
    return await call
  } catch (error) {
    if (!isPitError(error)) throw error
    const checks = (error.extras['signer_checks'] as SignerCheck[] | undefined) ?? []
    return checks.length > 0 ? checks.map(({ rule }) => rule).join(' ') : error.code
  }
}

export function openControlWorld(db: Db) {
  const time = { nowMs: NOW_S * 1000 }
  const clock = { nowMs: () => time.nowMs }
  const chain = {
    isDown: false,
    nonce: 7n,
    /** Ids of leaves that ran. */
    used: new Set<bigint>(),
    receipts: new Map<Hex, object>(),
    /** By feed, then by round. */
    rounds: new Map<Address, { answer: bigint; updatedAt: number }[]>(),
    oraclePaused: false,
    multiplier: [E18, 0n, 0n] as bigint[],
    ether: new Map<number, bigint>(),
    /** Of the manager. */
    logs: [] as object[],
    headS: null as number | null,
  }
  const headS = () => chain.headS ?? Math.floor(time.nowMs / 1000)
  const market = {
    own: ownPrice as (token: Address) => OwnPrice,
    last: new Map<Address, { priceE18: bigint; atMs: number; isClosed: boolean }>(),
  }
  const feeds = new Set<string>(
    [...PROFILE.core_tokens, ...PROFILE.listed_stocks].flatMap(({ feed }) => feed?.address ?? []),
  )
  const { enforcers } = PINS.addresses

  const rpc = rpcOf(async (method, params) => {
    if (chain.isDown) throw new Error('no answer')
    if (method === 'eth_blockNumber') return '0x64'
    if (method === 'eth_getLogs') return chain.logs
    if (method === 'eth_getTransactionReceipt') return chain.receipts.get(params[0] as Hex) ?? null
    if (method === 'eth_getBalance') return numberToHex(chain.ether.get(Number(params[1])) ?? 0n)
    if (method === 'eth_getBlockByNumber')
      return {
        number: params[0] === 'latest' ? '0x64' : params[0],
        hash: word(1),
        parentHash: word(2),
        timestamp: numberToHex(headS() - (params[0] === 'latest' ? 0 : 10 * (100 - Number(params[0])))),
        baseFeePerGas: '0x1',
      }
    if (method !== 'eth_call') throw new Error(`unexpected ${method}`)
    const { to, data } = params[0] as { to: Address; data: Hex }
    if (to === enforcers.Nonce) return word(chain.nonce)
    if (to === enforcers.Id) return word(chain.used.has(BigInt(`0x${data.slice(-64)}`)) ? 1 : 0)
    if (feeds.has(to)) return roundData(to, data)
    if (to === STOCK) return stockAnswer(data)
    throw new Error(`unexpected call of ${to}`)
  })
  function roundData(feed: Address, data: Hex): Hex {
    const rounds = chain.rounds.get(feed) ?? []
    const id = data.length > 10 ? Number(BigInt(`0x${data.slice(10)}`)) : rounds.length
    const round = rounds[id - 1]
    if (!round) throw new RpcError('eth_call', 3, 'execution reverted', undefined)
    return words(id, round.answer, round.updatedAt, round.updatedAt, id)
  }
  function stockAnswer(data: Hex): Hex {
    const index = MULTIPLIER_SELECTORS.indexOf(data.slice(0, 10))
    return index < 0 ? word(chain.oraclePaused ? 1 : 0) : word(chain.multiplier[index]!)
  }

  const sign = (text: string): Hex => serializeSignature(crypto.sign(crypto.hashMessage(text), KEYS.cosigner))
  const cosigner = {
    address: WHO.cosigner,
    sign: async (on: typeof PINS.addresses, delegation: Delegation) => ({
      signed: signDelegation(crypto, on, delegation, KEYS.cosigner),
      hash: delegationHash(crypto, delegation),
    }),
    attest: () => Promise.reject(new Error('no executors here')),
    confirm: async (receipt: Parameters<typeof receiptText>[0]) => sign(receiptText(receipt)),
    trouble: () => null,
    close: () => {},
  }
  const prices = {
    own: (token: Address) => market.own(token),
    last: (token: Address) => market.last.get(token) ?? null,
    headS,
    isChainRead: () => true,
    baseFeeWei: () => 1n,
    unpriced: () => 0,
  }
  const ledger = openLedger({ db, clock })
  const sessions = openSessions({ crypto, pins: PINS, ledger })
  const triggers = createTriggerReader({ rpc, profile: PROFILE, prices })
  const deps: CosignDeps & OrderDeps & SettleDeps = {
    db,
    crypto,
    clock,
    rpc,
    pins: PINS,
    prices,
    ledger,
    cosigner,
    sessions,
    triggers,
    feeClasses: { read: () => ({ feeClass: 'major', hasStock: false }) } as never,
    // Not cached: a test moves the nonce.
    walletNonce: (wallet) => createNonceReader({ rpc, pins: PINS })(wallet),
    controls: { db, clock, pins: PINS, prices, triggers },
    isSanctioned: () => false,
  }

  /** A registered session; with `controls` unless they are null. */
  async function open(
    controls: BindingControls | null = {},
    change: Parameters<typeof makeBinding>[0] = {},
  ): Promise<Hex> {
    const limits = { ...LIMITS, max_trade_micro_usd: 100_000_000, max_day_micro_usd: DAY_MICRO_USD }
    const caps = { tradeWei: E18 / 25n, dayWei: (2n * E18) / 5n }
    const binding = makeBinding({ limits, ...change, ...(controls && { controls }) })
    const stored = storedOf(grant(binding, { caps }))
    const registered = await ledger.register(stored)
    if (registered !== 'registered') throw new Error(registered)
    return stored.hash
  }

  const place = (session: Hex, list: OrderList, key?: Hex) =>
    registerOrders(deps, {
      rootHash: session,
      list: toWireOrders(list),
      signature: signList(list, key),
      challenge: CHALLENGE,
    })

  const request = (
    session: Hex,
    {
      order,
      clientId,
      sequence,
      slippageBps,
      ...path
    }: Parameters<typeof swapCall>[0] &
      Partial<Pick<CosignRequest, 'order' | 'clientId' | 'sequence' | 'slippageBps'>> = {},
  ): CosignRequest => ({
    rootHash: session,
    execution: swapCall({ deadlineS: BigInt(Math.floor(time.nowMs / 1000) + 120), ...path }),
    curveFeeWei: null,
    feeBps: undefined,
    slippageBps,
    sequence,
    callNonce: nonce(),
    clientId,
    order,
  })
  const trade = (session: Hex, path: Parameters<typeof request>[1] = {}) =>
    cosignTrade(deps, request(session, path))

  return {
    deps,
    time,
    chain,
    market,
    ledger,
    open,
    place,
    request,
    trade,
    cancel: (session: Hex, which: 'all' | Hex[]) =>
      cancelOrders(deps, { rootHash: session, which, challenge: CHALLENGE }),
    states: (session: Hex, ids: Hex[]) =>
      confirmStates(deps, { rootHash: session, ids, challenge: CHALLENGE }),
    useLeaf: (session: Hex, sequence: number) => chain.used.add(leafId(session, sequence)),
  }
}
export type ControlWorld = ReturnType<typeof openControlWorld>

const MULTIPLIER_SELECTORS = ['0xa60bf13d', '0xdc767007', '0x97a4064f']

/** ETH for dollars at the kit's price, with a minimum that all rules allow. */
export const sale = (usd: number) => ({
  tokenIn: NATIVE,
  tokenOut: USDG,
  amountIn: (BigInt(Math.round(usd * 100)) * E18) / 250_000n,
  amountOutMin: BigInt(Math.round(usd * 1e6 * 0.985)),
})
export const purchase = (usd: number) => ({
  tokenIn: USDG,
  tokenOut: NATIVE,
  amountIn: BigInt(Math.round(usd * 1e6)),
  amountOutMin: (BigInt(Math.round(usd * 100)) * E18 * 985n) / 250_000_000n,
  side: 'output' as const,
  direct: false,
})
export const use = (id: Hex, part = 1, rounds: readonly bigint[] = []) => ({ order: { id, part, rounds } })

export function isFrom({ cosigner, signature, ...receipt }: SignedReceipt): boolean {
  return cosigner === WHO.cosigner && crypto.recoverMessage(receiptText(receipt), signature) === WHO.cosigner
}
