import type { ErrorCode } from '../errors/table.ts'
import { AiConnect, AiConnection } from '../schemas/ai.ts'
import { HostedParams } from '../schemas/hosted.ts'
import { PaperBook, PaperFill } from '../schemas/leagueEntry.ts'
import { pairFields, Sized } from '../schemas/live.ts'
import {
  CancelledOrders,
  CancelledSessionOrders,
  CancelOrders,
  CancelSessionOrders,
  ConfirmedOrderStates,
  HostedOrders,
  OrderStates,
  OrdersQuery,
  PlacedOrders,
  PlaceOrders,
} from '../schemas/orders.ts'
import { ClientId } from '../schemas/scalars.ts'
import { OpenApiDocument } from '../schemas/server.ts'
import { PRACTICE_QUOTE_ERRORS } from './liveErrors.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

const { token_in, token_out, notional_usd, amount_in } = pairFields
const CONNECT = {
  area: 'hosted',
  auth: 'wallet',
  buckets: ['hosted.address', 'hosted.key'],
  strictFields: true,
  ours: true,
} as const

const ORDERS = { ...CONNECT, auth: 'owner', params: HostedParams } as const
/** Errors of any change of orders at the co-signer. */
const ORDER_ERRORS = [
  'NO_SESSION',
  'SESSION_NOT_ACTIVE',
  'REFUSED',
  'SIGNER_REQUIRED',
  'SIGNER_UNAVAILABLE',
  'SIGNER_FROZEN',
  'SESSION_REVOKED',
  'SESSION_EXPIRED',
  'BUSY',
] as const satisfies readonly ErrorCode[]

/** Routes that are not in the contract; marked as such in all documentation. */
export const OUR_ROUTES = {
  openapi: route({
    ...PLACES.openapi,
    area: 'server',
    auth: 'none',
    buckets: ['public.address', 'public.overall'],
    ours: true,
    summary: 'This API as an OpenAPI 3.1 document.',
    answer: OpenApiDocument,
  }),
  'hosted.orders.place': route({
    ...PLACES['hosted.orders.place'],
    ...ORDERS,
    status: 201,
    summary: 'Register a signed list of orders: all of them or none. Repeating it changes nothing.',
    body: PlaceOrders,
    answer: PlacedOrders,
    errors: ['NOT_ORDERS', 'ORDER_LIMIT', 'STOPPED', 'BAD_SESSION', 'BAD_SIGNATURE', ...ORDER_ERRORS],
    statusOf: { BAD_SIGNATURE: [422] },
  }),
  'hosted.orders.list': route({
    ...PLACES['hosted.orders.list'],
    ...ORDERS,
    summary: 'The agent’s signed orders and the signatures it waits for.',
    query: OrdersQuery,
    answer: HostedOrders,
  }),
  'hosted.orders.cancel': route({
    ...PLACES['hosted.orders.cancel'],
    ...ORDERS,
    summary: 'Cancel signed orders, at the co-signer first.',
    body: CancelOrders,
    answer: CancelledOrders,
    errors: ORDER_ERRORS,
  }),
  'hosted.orders.states': route({
    ...PLACES['hosted.orders.states'],
    ...ORDERS,
    summary: 'How orders stand by the co-signer’s ledger, each with a signed receipt.',
    body: OrderStates,
    answer: ConfirmedOrderStates,
    errors: ['NO_SESSION', 'SIGNER_REQUIRED', 'SIGNER_UNAVAILABLE', 'BUSY'],
  }),
  'live.session.orders.cancel': route({
    ...PLACES['live.session.orders.cancel'],
    area: 'sessions',
    auth: 'wallet',
    buckets: ['live_plan'],
    sanctionedKeyAllowed: true,
    strictFields: true,
    ours: true,
    summary: 'Cancel signed orders of a session that no hosted agent carries out, at the co-signer.',
    body: CancelSessionOrders,
    answer: CancelledSessionOrders,
    errors: ['NO_SESSION', 'WALLET_MISMATCH', 'SIGNER_REQUIRED', 'SIGNER_UNAVAILABLE', 'BUSY'],
    statusOf: { NO_SESSION: [404] },
  }),
  'hosted.ai.connect': route({
    ...PLACES['hosted.ai.connect'],
    ...CONNECT,
    summary: 'Connect the owner’s own AI-gateway key; it is stored encrypted.',
    body: AiConnect,
    answer: AiConnection,
  }),
  'hosted.ai.disconnect': route({
    ...PLACES['hosted.ai.disconnect'],
    ...CONNECT,
    summary: 'Delete the owner’s AI-gateway key.',
    answer: AiConnection,
  }),
  'paper.order': route({
    ...PLACES['paper.order'],
    area: 'league',
    auth: 'wallet',
    strictFields: true,
    ours: true,
    status: 201,
    summary: 'Trade in the wallet’s practice account at a real quote.',
    body: {
      ...Sized({ token_in, token_out, notional_usd, amount_in, client_id: ClientId }),
      additionalProperties: false,
    },
    answer: PaperFill,
    errors: [
      'NOT_ENTERED',
      'SEASON_CLOSED',
      'MIN_NOTIONAL',
      'MAX_NOTIONAL',
      'PARTICIPANT_TOKEN',
      'SIMULATION_FAILED',
      'LIVE_UNAVAILABLE',
      ...PRACTICE_QUOTE_ERRORS,
    ],
  }),
  'paper.book': route({
    ...PLACES['paper.book'],
    area: 'league',
    auth: 'wallet',
    ours: true,
    summary: 'The wallet’s practice account: balances, equity, fills.',
    answer: PaperBook,
    errors: ['NOT_ENTERED'],
  }),
}
