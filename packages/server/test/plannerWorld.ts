import { type Address, createCrypto, type Hex } from '@pit/chain'
import { type Body, isPitError, type PitError } from '@pit/protocol'
import type {
  PlanAnswer,
  PlanSimulation,
  StorePlanRequest,
  Trade,
  TradeParams,
  TradeQuote,
  WalletState,
} from '@pit/trading'
import { createPlanner } from '@pit/trading/internal/plan/createPlanner'
import type { PlannerDeps } from '@pit/trading/internal/plan/deps'
import type { SimulateParams } from '@pit/trading/internal/simulate/deps'
import {
  DELEGATOR,
  MEME,
  NOW_S,
  PERMIT2,
  quoteOf,
  ROUTER,
  WETH,
  walletState,
} from '@pit/trading/test/tradeFixtures'
import { expect } from 'vitest'
import { tradingRoutes } from '../src/routes/trading.ts'

export type TradeBody = Extract<Body<'live.prepare'>, { token_in: string }>

export const KEY: Hex = `0x${'42'.repeat(32)}`
export const crypto = await createCrypto()
export const wallet = crypto.addressOf(KEY)

/** Scripted answers of market, node and store, and their requests. */
export interface PlannerWorld {
  quoteFor: (input: TradeParams) => TradeQuote
  state: Partial<WalletState>
  simulation: Partial<PlanSimulation>
  /** Result of a simulation on an earlier block. */
  onBlock: Record<number, Partial<PlanSimulation>>
  simulated: SimulateParams[]
  /** A relayed, pending transaction of the wallet. */
  waiting: { nonce: number; tx_hash: Hex; created_at_ms: number } | null
  answerCall: (call: { to: Address; data: Hex }) => unknown
  stored: StorePlanRequest[]
  refused: { code: string; amountIn: bigint | null }[]
  asked: TradeParams[]
  /** The store all processes share. */
  askedPermits: Map<unknown, { amount_in: string; granted: string }>
}

const fresh = (): PlannerWorld => ({
  quoteFor: () => quoteOf().quote,
  state: {},
  simulation: {},
  onBlock: {},
  simulated: [],
  waiting: null,
  answerCall: () => '0x',
  stored: [],
  refused: [],
  asked: [],
  askedPermits: new Map(),
})

/** Dependencies of planning, made new before each test. */
export const w = fresh()
export const renew = (): void => void Object.assign(w, fresh())

export function planRoutes({ devFields = false } = {}) {
  const deps = {
    crypto,
    db: {
      query: async (sql: string, [key, amountIn, granted]: unknown[]) => {
        if (sql.includes('from trades')) return w.waiting ? [{ ...w.waiting, signer: wallet }] : []
        if (sql.startsWith('insert'))
          w.askedPermits.set(key, { amount_in: `${amountIn}`, granted: `${granted}` })
        const row = sql.startsWith('select') ? w.askedPermits.get(key) : undefined
        return row ? [row] : []
      },
    },
    clock: { nowMs: () => NOW_S * 1000 },
    profile: {
      chain_id: 4663,
      contracts: { universal_router: ROUTER, universal_router_layout: '2.1.0', permit2: PERMIT2, weth: WETH },
      delegation: { stateless_delegator: DELEGATOR },
      core_tokens: [],
      fee_recipient: null,
    },
    quoter: {
      quoteTrade: async (input: TradeParams) => {
        w.asked.push(input)
        return { ...w.quoteFor(input), request: input }
      },
    },
    simulator: {
      readWallet: async () => walletState({ wallet, ...w.state }),
      gasCeiling: 6_000_000,
      simulatePlan: async (input: SimulateParams) => ({
        ok: true,
        block: 101,
        amountOut: 2n ** 120n,
        feeTransfer: 1n,
        gasTotal: 100_000,
        fundedByOverrides: false,
        transactions: input.transactions.map(({ kind }) => ({
          kind,
          ok: true,
          gasUsed: 100_000,
          error: null,
          logs: [],
        })),
        error: null,
        ...w.simulation,
        ...(w.simulated.push(input) && input.block !== undefined && w.onBlock[input.block]),
      }),
      synthetic: { wallet: `0x${'5'.repeat(40)}`, signPermit: () => `0x${'11'.repeat(64)}1b` },
    },
    market: { curveOf: () => undefined, head: () => null, mark: () => undefined },
    tokens: { find: async () => undefined, coreBySymbol: () => undefined },
    rpc: { request: async (_: string, [call]: [{ to: Address; data: Hex }]) => w.answerCall(call) },
    storePlan: async (input: StorePlanRequest) => void w.stored.push(input),
    storeRevocation: async () => {},
    recordRefusal: (row: PlannerWorld['refused'][number]) => void w.refused.push(row),
    devFields,
  }
  const { profile } = deps as unknown as PlannerDeps
  const trade = createPlanner(deps as unknown as PlannerDeps) as unknown as Trade
  return tradingRoutes({ trade, crypto, profile, charge: async () => {} })
}

export const body = (over: Partial<TradeBody> = {}): TradeBody =>
  ({
    wallet,
    token_in: 'USDG',
    token_out: MEME.address,
    accept_risks: [],
    shield: false,
    owner_attests_non_us: false,
    fund: 'auto',
    approval_mode: 'budget',
    approval_budget_usd: 25,
    allow_unlimited_approval: false,
    permit_mode: 'signature',
    permit_scope: 'trade',
    venues: ['venue_pool', 'venue_curve'],
    curve_fee_mode: 'auto',
    action: 'trade',
    ...(over.amount_in === undefined && { notional_usd: 100 }),
    ...over,
  }) as TradeBody

export const caller = () => ({
  requestId: 'r',
  address: '127.0.0.1',
  key: { keyId: 9, accountId: 1, wallet, expiresAtS: NOW_S + 1 },
})

export type Prepared = PlanAnswer & { simulation: { ok: boolean } | null }
export const call = async (
  route: 'live.prepare' | 'live.build',
  over: Partial<TradeBody> = {},
  routes = planRoutes(),
) => {
  const handler = routes[route]
  return (await handler({ body: body(over), caller: caller(), params: {}, query: {} })) as Prepared
}

export const refusalOf = (work: Promise<unknown>): Promise<PitError> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error) => (isPitError(error) ? error : expect.unreachable(String(error))),
  )

export const approved = () => ({
  allowance: 10n ** 12n,
  permit: { amount: 10n ** 12n, expirationS: NOW_S + 120, nonce: 3 },
})
