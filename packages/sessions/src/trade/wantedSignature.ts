import {
  bytesToHex,
  NATIVE,
  type Order,
  type OrderList,
  orderListHash,
  orderTypedData,
  toWireOrders,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Extras, isPitError, refusal } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import type { Planned } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'

export type WantedSignature = NonNullable<Extras['orders']>

/** How long the list to sign stays valid: the owner of a hosted agent is not waiting for it. */
const VALID_S = { session: 900, hosted: 3_600 } as const

interface WantedRequest {
  session: Session
  planned: Planned
  path: keyof typeof VALID_S
}

/** A refusal for a missing signature, with the list that the owner has to sign; any other error as it is. */
export function withWantedSignature(deps: SessionDeps, request: WantedRequest, error: unknown): unknown {
  if (!isPitError(error) || (error.code !== 'REFUSED' && error.code !== 'TRADE_REFUSED')) return error
  const checks = (error.extras['signer_checks'] ?? []) as SignerCheck[]
  const check = checks.find(({ rule }) => rule === 'SIGNATURE_REQUIRED')
  if (!check) return error
  const { code, message, status, extras } = error
  return refusal(code, { ...extras, message, status, orders: wantedSignature(deps, request, check.message) })
}

function wantedSignature(
  { addresses, crypto, randomBytes, clock, market }: SessionDeps,
  { session, planned, path }: WantedRequest,
  why: string,
): WantedSignature {
  const { plan, request } = planned
  const { quote } = request
  const now = Math.max(nowS(clock), market.head()?.timestampS ?? 0)
  const order: Order = {
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn: quote.amountIn,
    minAmountOut: plan.amountOutMin,
    maxSlippageBps: Math.max(1, quote.slippageBps),
    trigger: { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 },
    slices: 1,
    everyS: 0,
    startsAt: 0,
    expiresAt: Math.min(now + VALID_S[path], session.expiresAtS),
    group: 0,
    parent: 0,
  }
  const list: OrderList = {
    session: session.rootHash,
    nonce: bytesToHex(randomBytes(32)),
    replaces: [],
    orders: [order],
  }
  return {
    id: orderListHash(crypto, list),
    why,
    list: toWireOrders(list),
    typed_data: typedDataJson(orderTypedData(addresses().delegation, list)),
    valid_until: order.expiresAt,
  }
}

/** As eth_signTypedData_v4 takes it: integers as decimal text, the domain's type included. */
function typedDataJson(data: ReturnType<typeof orderTypedData>): WantedSignature['typed_data'] {
  const json = JSON.stringify(data, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  const read = JSON.parse(json) as WantedSignature['typed_data']
  const domain = [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ]
  return { ...read, types: { EIP712Domain: domain, ...read.types } }
}
