import {
  type Crypto,
  type DelegationAddresses,
  type Hex,
  type Order,
  type OrderList,
  orderFault,
  orderSigner,
} from '@pit/chain'
import {
  boundControls,
  CONTROLS,
  MICRO_USD_PER_USD,
  markPrice,
  type SessionBinding,
  worthDown,
} from '@pit/protocol'
import type { Failure, Rules } from '../checks.ts'
import type { Priced } from '../prices/priceOf.ts'
import type { Session } from '../roots/readRoots.ts'
import type { TriggerReader } from './readTrigger.ts'

/** Facts that a list is judged by before it is registered; the ledger judges the rest. */
export interface ListFacts {
  crypto: Crypto
  addresses: DelegationAddresses
  nowS: number
  headS: number
  session: Session
  list: OrderList
  signature: Hex
  walletNonce: bigint | null
  isSanctioned(address: string): boolean
  /** Whether only the owner's mark prices a token. */
  isFeedless(token: Hex): boolean
  priceOf(token: Hex): Priced
  triggerKind: TriggerReader['kindOf']
}

type OrderFacts = ListFacts & { binding: SessionBinding; order: Order }

/** The first failure among the orders of a list, with its place from 1. */
const eachOrder =
  (check: (facts: OrderFacts) => Failure | null) =>
  (facts: ListFacts): Failure | null => {
    const { binding } = facts.session
    for (const [i, order] of facts.list.orders.entries()) {
      const failure = check({ ...facts, binding, order })
      if (failure) return { ...failure, message: `Order ${i + 1}: ${failure.message}` }
    }
    return null
  }

/** Curve tokens have no independent price either. */
const isUnmarked = ({ session, isFeedless }: OrderFacts, token: Hex): boolean =>
  isFeedless(token) || [...(session.curve?.tokens.values() ?? [])].includes(token)

const MIN_PART_MICRO_USD = BigInt(CONTROLS.minPartUsd) * MICRO_USD_PER_USD

/** In order; every rule that can run runs. */
export const listRules: Rules<ListFacts> = [
  {
    code: 'SANCTIONED',
    check: ({ session: { binding }, isSanctioned }) =>
      isSanctioned(binding.wallet)
        ? { message: 'The session’s wallet is sanctioned.', value: 'session_wallet' }
        : null,
  },
  {
    code: 'SESSION_EXPIRED',
    check: ({ session: { binding }, nowS }) =>
      nowS < binding.expires_at
        ? null
        : { message: 'The session has expired.', value: nowS, limit: binding.expires_at },
  },
  {
    code: 'CHAIN_UNAVAILABLE',
    check: ({ walletNonce }) =>
      walletNonce === null ? { message: 'The co-signer could not read the chain.' } : null,
  },
  {
    code: 'SESSION_NONCE',
    check: ({ session: { root }, walletNonce }) =>
      root.nonce === null || walletNonce === null || root.nonce === walletNonce
        ? null
        : { message: 'The wallet has ended its sessions: grant again.' },
  },
  {
    code: 'ORDER_SESSION',
    check({ session: { binding, rootHash }, list }) {
      if (!boundControls(binding)) return { message: 'The session has no controls.' }
      return list.session === rootHash
        ? null
        : { message: 'The list is for another session.', value: list.session, limit: rootHash }
    },
  },
  {
    code: 'ORDER_LIST',
    check({ list }) {
      const fault = orderFault(list)
      if (!fault) return null
      const where = fault.index === null ? '' : `Order ${fault.index + 1}: `
      return { message: `${where}${fault.field} ${fault.message}.`, value: fault.field }
    },
  },
  {
    code: 'ORDER_SIGNATURE',
    check({ crypto, addresses, list, signature, session: { binding } }) {
      const signer = orderSigner(crypto, addresses, list, signature)
      if (signer === binding.wallet) return null
      const message = 'The session’s wallet did not sign this list.'
      return { message, ...(signer && { value: signer }), limit: binding.wallet }
    },
  },
  {
    code: 'ORDER_TOKENS',
    check: eachOrder((facts) => {
      const { order, binding } = facts
      const tokens = [order.tokenIn, order.tokenOut]
      const value = tokens.find((token) => !binding.tokens.includes(token))
      if (value !== undefined) return { message: 'A token is not in the session.', value }
      const unmarked = tokens.find((token) => isUnmarked(facts, token))
      if (unmarked === undefined) return null
      if (order.minAmountOut === 0n)
        return { message: 'A token without a feed needs a minimum output.', value: unmarked }
      return order.trigger.kind === 'none'
        ? null
        : { message: 'A token without a feed has no triggers.', value: unmarked }
    }),
  },
  {
    code: 'ORDER_TIME',
    check: eachOrder(({ order: { startsAt, expiresAt }, binding, nowS, headS }) => {
      const now = Math.max(nowS, headS)
      if (expiresAt <= now) return { message: 'It has expired.', value: expiresAt, limit: now }
      if (expiresAt > binding.expires_at)
        return { message: 'It ends after the session.', value: expiresAt, limit: binding.expires_at }
      return startsAt < expiresAt
        ? null
        : { message: 'It starts after it expires.', value: startsAt, limit: expiresAt }
    }),
  },
  {
    code: 'ORDER_TRIGGER',
    check: eachOrder(({ order: { trigger }, triggerKind }) => {
      if (trigger.kind === 'none') return null
      const kind = triggerKind(trigger.token)
      if (kind === null)
        return { message: 'The trigger’s token has no price that can trigger.', value: trigger.token }
      return trigger.kind === 'trailing' && kind !== 'rounds'
        ? { message: 'A trailing trigger needs a feed with rounds.', value: trigger.token }
        : null
    }),
  },
  {
    code: 'ORDER_AMOUNT',
    check: eachOrder(({ order: { tokenIn, amountIn, slices }, priceOf }) => {
      const price = priceOf(tokenIn)
      if ('why' in price || slices < 1) return null
      const value = worthDown(amountIn / BigInt(slices), markPrice(price.priceE18, price.decimals))
      const limit = slices === 1 ? 1n : MIN_PART_MICRO_USD
      if (value >= limit) return null
      const message = 'A part is worth too little, in micro-dollars.'
      return { message, value: value.toString(), limit: limit.toString() }
    }),
  },
]
