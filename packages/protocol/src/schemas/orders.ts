import { Type } from '@sinclair/typebox'
import { CONTROLS } from '../numbers.ts'
import { LEDGER_STATES, ORDER_STATES, RECEIPT_KINDS } from '../values.ts'
import {
  Answer,
  Atoms,
  Count,
  Exact,
  Hex,
  Id,
  Limit,
  Nullable,
  OneOf,
  QueryFlag,
  Text,
  TxHash,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { OrdersTypedData } from './typedData.ts'

const price = Type.String({
  pattern: '^[1-9][0-9]{0,35}$',
  description: 'dollars per whole token times 10^18',
})
const TriggerIn = Type.Union(
  [
    Exact({ kind: Type.Literal('none') }),
    Exact({
      kind: OneOf(['at_or_below', 'at_or_above']),
      token: Wallet('whose price counts; ETH is the zero address'),
      price_e18: price,
    }),
    Exact({
      kind: Type.Literal('trailing'),
      token: Wallet('whose price counts; ETH is the zero address'),
      trail_bps: Count('how far below an earlier price'),
    }),
  ],
  { title: 'OrderTrigger' },
)
export const SignedOrder = Exact(
  {
    token_in: Wallet('sold; ETH is the zero address'),
    token_out: Wallet('bought'),
    amount_in: Atoms('the most that it may ever spend, fees included'),
    min_amount_out: Atoms('least for all of amount_in after fees, in proportion for a part; 0: market'),
    max_slippage_bps: Count('also against the co-signer’s own price'),
    trigger: TriggerIn,
    slices: Count('equal parts; 1 for a single trade'),
    every_s: Count('least time between two parts; 0 for a single trade'),
    starts_at: Count('unix seconds; 0 for at once'),
    expires_at: UnixS('end'),
    group: Count('orders of the list with the same group share one budget; 0 for none'),
    parent: Count('position (from 1) of the entry whose fills arm it; 0 for none'),
  },
  { title: 'SignedOrder' },
)
/** Orders under one signature; `orderTypedData` is the EIP-712 form. */
export const OrderListIn = Exact(
  {
    session: TxHash('the session’s delegation_hash; zero for a paper agent'),
    nonce: TxHash('random'),
    replaces: Type.Array(
      Exact({
        id: TxHash('order id'),
        spent_in: Atoms(
          'of its budget, sent or not known to be unused; with another figure nothing is registered',
        ),
      }),
      { description: 'end when this list is registered' },
    ),
    orders: Type.Array(SignedOrder, { minItems: 1, maxItems: 16 }),
  },
  { title: 'OrderList' },
)

export const ReceiptOut = Answer(
  {
    what: OneOf(RECEIPT_KINDS, 'what the co-signer did, or what became of the order'),
    session: TxHash('under which it is registered, or the one that the request named'),
    id: TxHash('the list, the order or the session'),
    before: OneOf(LEDGER_STATES, 'state before the request'),
    after: OneOf(LEDGER_STATES, 'state after it'),
    at: UnixS('when'),
    spent: Atoms('input of the order’s budget that was sent or may still be'),
    outstanding: Atoms(
      'of that, what was co-signed and may still be sent; of a list, by the orders it replaced',
    ),
    until: UnixS('when the last of it expires'),
    challenge: TxHash('as requested'),
    cosigner: Wallet('the co-signer'),
    signature: Hex('EIP-191, by the co-signer, of the receipt’s text'),
  },
  { title: 'Receipt' },
)

/** A list that the owner is asked to sign. */
export const WantedSignature = Answer(
  {
    id: TxHash('hash of the list'),
    why: Text('what it is for'),
    list: OrderListIn,
    typed_data: OrdersTypedData,
    valid_until: UnixS('when its order expires'),
  },
  { title: 'WantedSignature' },
)

export const OrderRow = Answer(
  {
    id: TxHash('the order'),
    list: TxHash('its list'),
    order: SignedOrder,
    state: OneOf(ORDER_STATES),
    why: Nullable(Text('what it waits for, or why it ended')),
    since: UnixS('of the state'),
    placed: UnixS('registered'),
    filled_in: Atoms('spent'),
    filled_out: Atoms('received'),
    average_price_usd: Nullable(Usd('per whole token that is not the money'), 'null until a part is filled'),
    transactions: Type.Array(TxHash('in order')),
  },
  { title: 'OrderRow' },
)
export const OrdersQuery = Exact({
  open: QueryFlag('only orders that have not ended'),
  limit: Limit(200, 50),
})
export const PlaceOrders = Exact({
  list: OrderListIn,
  signature: Type.Optional(Hex('of the list, by the session’s wallet; a paper agent needs none')),
  challenge: Type.Optional(TxHash('32 random bytes that the receipt repeats')),
})
export const PlacedOrders = Answer(
  {
    agent_id: Id('the agent'),
    list: TxHash('hash of the list'),
    orders: Type.Array(OrderRow),
    receipt: Nullable(ReceiptOut, 'by the co-signer; null on paper'),
  },
  { title: 'PlacedOrders' },
)
const Challenge = TxHash('32 random bytes that the receipts repeat')
const challenge = Type.Optional(Challenge)
const OrderIds = Type.Array(TxHash('order id'), { minItems: 1, maxItems: CONTROLS.maxOpenOrders })
export const CancelOrders = Type.Union([
  Exact({ ids: OrderIds, challenge }),
  Exact({ all: Type.Literal(true), challenge }),
])
export const OrderStates = Exact({ ids: OrderIds, challenge: Challenge })
export const ConfirmedOrderStates = Answer(
  {
    agent_id: Id('the agent'),
    receipts: Type.Array(ReceiptOut, { description: 'by the co-signer; none on paper' }),
  },
  { title: 'ConfirmedOrderStates' },
)
const session_id = Id('the session')
export const CancelSessionOrders = Type.Union([
  Exact({ session_id, ids: OrderIds, challenge: Challenge }),
  Exact({ session_id, all: Type.Literal(true), challenge: Challenge }),
])
export const CancelledSessionOrders = Answer(
  { session_id, receipts: Type.Array(ReceiptOut, { description: 'by the co-signer' }) },
  { title: 'CancelledSessionOrders' },
)
export const CancelledOrders = Answer(
  {
    agent_id: Id('the agent'),
    orders: Type.Array(OrderRow),
    receipts: Type.Array(ReceiptOut, { description: 'by the co-signer; none on paper' }),
  },
  { title: 'CancelledOrders' },
)
export const HostedOrders = Answer(
  {
    agent_id: Id('the agent'),
    orders: Type.Array(OrderRow, { description: 'newest first' }),
    wanted: Type.Array(WantedSignature, { description: 'signatures that the agent waits for' }),
  },
  { title: 'HostedOrders' },
)
