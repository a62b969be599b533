import { type Hex, ORDER_LIMITS, type WireOrder, type WireOrderList, type WireTrigger } from '@pit/chain'
import { CONTROLS } from '@pit/protocol'
import { MAX_LEVELS } from '@pit/signer-wire'
import type { CancelRequest } from '../orders/cancelOrders.ts'
import type { StatesRequest } from '../orders/confirmStates.ts'
import type { RegisterOrdersRequest } from '../orders/registerOrders.ts'
import type { SettleRequest } from '../orders/settleLeaf.ts'
import { addressIn, allowFields, type Body, bad, hashIn, wholeIn } from './readCalls.ts'

/** Bodies of calls about signed orders: one shape each and no other fields. */

/** Below 2^256; the list's own rules are stricter. */
const ATOMS = /^(0|[1-9][0-9]{0,76})$/
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
/** As wide as the signed field. */
const MAX_UINT8 = 2 ** 8 - 1
const MAX_UINT16 = 2 ** 16 - 1
const MAX_UINT32 = 2 ** 32 - 1
const LAST_S = 9_999_999_999

export function readRegisterOrders(body: Body): RegisterOrdersRequest {
  allowFields(body, ['root_hash', 'list', 'signature', 'challenge'])
  const { signature } = body
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) bad('signature')
  return {
    rootHash: hashIn(body),
    list: listIn(objectIn(body, 'list')),
    signature: signature.toLowerCase() as Hex,
    challenge: hashIn(body, 'challenge'),
  }
}

export function readCancelOrders(body: Body): CancelRequest {
  allowFields(body, ['root_hash', 'ids', 'all', 'challenge'])
  const { ids, all } = body
  const shared = { rootHash: hashIn(body), challenge: hashIn(body, 'challenge') }
  if (ids === undefined) return all === true ? { ...shared, which: 'all' } : bad('all')
  if (all !== undefined) bad('all')
  return { ...shared, which: hashesIn(body, 'ids', { least: 1, most: CONTROLS.maxOpenOrders }) }
}

export function readStates(body: Body): StatesRequest {
  allowFields(body, ['root_hash', 'ids', 'challenge'])
  return {
    rootHash: hashIn(body),
    ids: hashesIn(body, 'ids', { least: 1, most: CONTROLS.maxOpenOrders }),
    challenge: hashIn(body, 'challenge'),
  }
}

export function readLevels(body: Body): Hex[] {
  allowFields(body, ['root_hashes'])
  return hashesIn(body, 'root_hashes', { least: 1, most: MAX_LEVELS })
}

export function readSettle(body: Body): SettleRequest {
  allowFields(body, ['root_hash', 'sequence', 'tx_hash'])
  return {
    rootHash: hashIn(body),
    sequence: wholeIn(body, 'sequence', 2 ** 31 - 1) ?? bad('sequence'),
    txHash: hashIn(body, 'tx_hash'),
  }
}

function listIn(list: Body): WireOrderList {
  allowFields(list, ['session', 'nonce', 'replaces', 'orders'])
  return {
    session: hashIn(list, 'session'),
    nonce: hashIn(list, 'nonce'),
    replaces: objectsIn(list, 'replaces', ORDER_LIMITS.replaces).map(replacedIn),
    orders: objectsIn(list, 'orders', ORDER_LIMITS.orders).map(orderIn),
  }
}

function replacedIn(replaced: Body): WireOrderList['replaces'][number] {
  allowFields(replaced, ['id', 'spent_in'])
  return { id: hashIn(replaced, 'id'), spent_in: atomsIn(replaced, 'spent_in') }
}

function orderIn(order: Body): WireOrder {
  allowFields(order, [
    'token_in',
    'token_out',
    'amount_in',
    'min_amount_out',
    'max_slippage_bps',
    'trigger',
    'slices',
    'every_s',
    'starts_at',
    'expires_at',
    'group',
    'parent',
  ])
  const whole = (name: string, max: number): number => wholeIn(order, name, max) ?? bad(name)
  return {
    token_in: addressIn(order, 'token_in'),
    token_out: addressIn(order, 'token_out'),
    amount_in: atomsIn(order, 'amount_in'),
    min_amount_out: atomsIn(order, 'min_amount_out'),
    max_slippage_bps: whole('max_slippage_bps', MAX_UINT16),
    trigger: triggerIn(objectIn(order, 'trigger')),
    slices: whole('slices', MAX_UINT32),
    every_s: whole('every_s', MAX_UINT32),
    starts_at: whole('starts_at', LAST_S),
    expires_at: whole('expires_at', LAST_S),
    group: whole('group', MAX_UINT8),
    parent: whole('parent', MAX_UINT8),
  }
}

function triggerIn(trigger: Body): WireTrigger {
  const { kind } = trigger
  switch (kind) {
    case 'none':
      allowFields(trigger, ['kind'])
      return { kind }
    case 'trailing':
      allowFields(trigger, ['kind', 'token', 'trail_bps'])
      return {
        kind,
        token: addressIn(trigger, 'token'),
        trail_bps: wholeIn(trigger, 'trail_bps', MAX_UINT16) ?? bad('trail_bps'),
      }
    case 'at_or_below':
    case 'at_or_above':
      allowFields(trigger, ['kind', 'token', 'price_e18'])
      return { kind, token: addressIn(trigger, 'token'), price_e18: atomsIn(trigger, 'price_e18') }
    default:
      return bad('kind')
  }
}

function objectIn(body: Body, name: string): Body {
  const value = body[name]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) bad(name)
  return value as Body
}

function objectsIn(body: Body, name: string, most: number): Body[] {
  const value = body[name]
  if (!Array.isArray(value) || value.length > most) bad(name)
  return value.map((_, i) => objectIn(value as unknown as Body, String(i)))
}

function hashesIn(body: Body, name: string, { least, most }: { least: number; most: number }): Hex[] {
  const value = body[name]
  if (!Array.isArray(value) || value.length < least || value.length > most) bad(name)
  return value.map((one: unknown) => hashIn({ [name]: one }, name))
}

function atomsIn(body: Body, name: string): string {
  const value = body[name]
  return typeof value === 'string' && ATOMS.test(value) ? value : bad(name)
}
