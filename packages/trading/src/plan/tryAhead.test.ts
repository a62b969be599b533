import { type Address, createCrypto } from '@pit/chain'
import { fail } from '@pit/protocol'
import { expect, it } from 'vitest'
import {
  DELEGATOR,
  ETH,
  NOW_S,
  PERMIT2,
  quoteOf,
  ROUTER,
  USDG,
  WALLET,
  WETH,
  walletState,
} from '../../test/tradeFixtures.ts'
import type { SimulateAsk } from '../simulate/index.ts'
import type { PlanSimulation, TradeToken, WalletState } from '../types.ts'
import { createPlanner } from './createPlanner.ts'
import type { PlannerDeps } from './deps.ts'
import type { PlanAnswer } from './describePlan.ts'

const crypto = await createCrypto()
const RICH = walletState({ wallet: WALLET, balanceWei: 10n ** 20n, balanceIn: 10n ** 20n })
const ran = (ask: SimulateAsk): PlanSimulation => ({
  ok: true,
  block: 101,
  amountOut: ask.amountOutMin,
  feeTransfer: 1n,
  gasTotal: 100_000,
  fundedByOverrides: !ask.holdsInput,
  transactions: ask.transactions.map(({ kind }) => ({
    kind,
    ok: true,
    gasUsed: 100_000,
    error: null,
    logs: [],
  })),
  error: null,
})

/** A planner whose wallet is read when a test lets it; every simulation and the moment it began is noted. */
function open(ends: { tokenIn: TradeToken; tokenOut: TradeToken }, simulate = ran) {
  const began: { ask: SimulateAsk; ahead: boolean }[] = []
  let isRead = false
  let read: (state: WalletState) => void = () => undefined
  const record = (token: TradeToken) => ({ ...token.record, address: token.address })
  const deps = {
    crypto,
    db: { query: async () => [] },
    clock: { nowMs: () => NOW_S * 1000 },
    profile: {
      chain_id: 4663,
      contracts: { universal_router: ROUTER, universal_router_layout: '2.1.0', permit2: PERMIT2, weth: WETH },
      delegation: { stateless_delegator: DELEGATOR },
      core_tokens: [ETH, USDG].map(({ address, symbol, decimals }) => ({
        address,
        symbol,
        decimals,
        kind: 'core',
      })),
      fee_recipient: null,
    },
    quoter: { quoteTrade: async () => quoteOf(ends).quote },
    simulator: {
      readWallet: () =>
        new Promise<WalletState>((resolve) => {
          read = (state) => {
            isRead = true
            resolve(state)
          }
        }),
      simulatePlan: async (ask: SimulateAsk) => {
        began.push({ ask, ahead: !isRead })
        return simulate(ask)
      },
      synthetic: {},
    },
    market: { curveOf: () => undefined, head: () => null, mark: () => undefined },
    tokens: {
      find: async () => undefined,
      coreBySymbol: (symbol: string) =>
        record([ends.tokenIn, ends.tokenOut].find((one) => one.symbol === symbol)!),
    },
    rpc: {},
    charge: async () => {},
    storePlan: async () => {},
    storeRevocation: async () => {},
    recordRefusal: () => {},
    devFields: false,
  }
  const handler = createPlanner(deps as unknown as PlannerDeps).handlers['live.prepare']
  if (handler === 'not built') throw new Error('not built')
  const body = {
    wallet: WALLET,
    token_in: ends.tokenIn.symbol,
    token_out: ends.tokenOut.symbol,
    accept_risks: [],
    shield: false,
    owner_attests_non_us: false,
    fund: 'auto',
    approval_mode: 'budget',
    approval_budget_usd: 25,
    allow_unlimited_approval: false,
    permit_mode: 'signature',
    permit_scope: 'trade',
    venues: ['venue_pool'],
    curve_fee_mode: 'auto',
    action: 'trade',
    notional_usd: 100,
  }
  const key = { keyId: 9, accountId: 1, wallet: WALLET as Address, expiresAtS: NOW_S + 1 }
  const caller = { requestId: 'r', address: '127.0.0.1', key }
  return {
    began,
    /** Prepares, and lets the wallet be read once everything else has come to rest. */
    async prepare(state: WalletState) {
      isRead = false
      const answer = handler({ body: body as never, caller, params: {}, query: {} })
      await new Promise((resolve) => setTimeout(resolve, 20))
      read(state)
      return (await answer) as PlanAnswer & { simulation: { funded_by_overrides: boolean } }
    },
  }
}

const buy = { tokenIn: ETH, tokenOut: USDG }
const sale = { tokenIn: USDG, tokenOut: ETH }
const approved = { allowance: 10n ** 12n, permit: { amount: 10n ** 12n, expirationS: NOW_S + 500, nonce: 3 } }

it('a plan from ETH is tried out while its wallet is read, once', async () => {
  const one = open(buy)
  const plan = await one.prepare({ ...RICH, nonce: 31 })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([true])
  expect(plan.tx).toMatchObject({ nonce: 31, gas: '250000' })
  expect(plan.ready).toBe(true)
})

it('a wallet that is not as expected has its own plan simulated', async () => {
  const one = open(buy)
  const plan = await one.prepare({ ...RICH, balanceWei: 5n, balanceIn: 5n })
  expect(one.began.map(({ ahead, ask }) => [ahead, ask.holdsInput])).toEqual([
    [true, true],
    [false, false],
  ])
  expect(plan.ready).toBe(false)
  expect(plan.simulation.funded_by_overrides).toBe(true)
})

it('a token’s allowances are expected to be what they were', async () => {
  const one = open(sale)
  await one.prepare({ ...RICH, ...approved })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([false])
  await one.prepare({ ...RICH, ...approved, nonce: 99 })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([false, true])
  // Taken back meanwhile: what was tried is not what is answered.
  const plan = await one.prepare(RICH)
  expect(plan.simulation).toBeNull()
  expect(plan.tx).toBeNull()
})

it('what failed ahead counts where it is the plan, and nowhere else', async () => {
  let runs = 0
  const failsOnce = (ask: SimulateAsk) => {
    runs += 1
    return runs === 1 ? fail('RPC_UNAVAILABLE') : ran(ask)
  }
  const same = open(buy, failsOnce)
  await expect(same.prepare(RICH)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  runs = 0
  const other = open(buy, failsOnce)
  expect(await other.prepare({ ...RICH, balanceWei: 5n })).toMatchObject({ ready: false })
})
