import { setImmediate } from 'node:timers/promises'
import { createCrypto } from '@pit/chain'
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
import type { SimulateParams } from '../simulate/index.ts'
import type { PlanSimulation, TradeToken, WalletState } from '../types.ts'
import { createPlanner } from './createPlanner.ts'
import type { PlannerDeps } from './deps.ts'
import { describePlan } from './describePlan.ts'
import type { PlanRequest } from './planRequest.ts'

const crypto = await createCrypto()
const RICH = walletState({ wallet: WALLET, balanceWei: 10n ** 20n, balanceIn: 10n ** 20n })
const ran = (request: SimulateParams): PlanSimulation => ({
  ok: true,
  block: 101,
  amountOut: 50n * 10n ** 18n,
  feeTransfer: 1n,
  gasTotal: 100_000,
  fundedByOverrides: !request.holdsInput,
  transactions: request.transactions.map(({ kind }) => ({
    kind,
    ok: true,
    gasUsed: 100_000,
    error: null,
    logs: [],
  })),
  error: null,
})

/** A planner whose wallet read a test releases; records every simulation and when it started. */
function open(ends: { tokenIn: TradeToken; tokenOut: TradeToken }, simulate = ran) {
  const began: { request: SimulateParams; ahead: boolean }[] = []
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
      gasCeiling: 6_000_000,
      simulatePlan: async (request: SimulateParams) => {
        began.push({ request, ahead: !isRead })
        return simulate(request)
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
    storePlan: async () => {},
    storeRevocation: async () => {},
    recordRefusal: () => {},
    devFields: false,
  }
  const { prepareTrade } = createPlanner(deps as unknown as PlannerDeps)
  const request: PlanRequest = {
    by: { keyId: 9, wallet: WALLET },
    trade: {
      wallet: WALLET,
      tokenIn: ends.tokenIn.symbol,
      tokenOut: ends.tokenOut.symbol,
      notionalUsd: 100,
      venues: ['venue_pool'],
      shield: false,
      policies: null,
      fast: false,
      admit: async () => {},
    },
    terms: {
      acceptRisks: [],
      attestsNonUs: false,
      approval: {
        mode: 'budget',
        budgetUsd: 25,
        allowUnlimited: false,
        permitMode: 'signature',
        permitScope: 'trade',
      },
      curveFeeMode: 'auto',
    },
  }
  return {
    began,
    /** Prepares, and releases the wallet read once everything else has settled. */
    async prepare(state: WalletState) {
      isRead = false
      const preparing = prepareTrade({ ...request, fund: 'auto' })
      for (let turn = 0; turn < 5; turn++) await setImmediate()
      read(state)
      const { planned, steps, simulation } = await preparing
      return { ...describePlan({ chainId: 4663, permit2: PERMIT2 }, planned, steps), simulation }
    },
  }
}

const buy = { tokenIn: ETH, tokenOut: USDG }
const sale = { tokenIn: USDG, tokenOut: ETH }
const approved = { allowance: 10n ** 12n, permit: { amount: 10n ** 12n, expirationS: NOW_S + 500, nonce: 3 } }

it('simulates a plan from ETH once, while its wallet is read', async () => {
  const one = open(buy)
  const plan = await one.prepare({ ...RICH, nonce: 31 })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([true])
  expect(plan.tx).toMatchObject({ nonce: 31, gas: '250000' })
  expect(plan.ready).toBe(true)
})

it('simulates again if the wallet is not as expected', async () => {
  const one = open(buy)
  const plan = await one.prepare({ ...RICH, balanceWei: 5n, balanceIn: 5n })
  expect(one.began.map(({ ahead, request }) => [ahead, request.holdsInput])).toEqual([
    [true, true],
    [false, false],
  ])
  expect(plan.ready).toBe(false)
  expect(plan.simulation?.fundedByOverrides).toBe(true)
})

it('expects a token’s allowances to be unchanged', async () => {
  const one = open(sale)
  await one.prepare({ ...RICH, ...approved })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([false])
  await one.prepare({ ...RICH, ...approved, nonce: 99 })
  expect(one.began.map(({ ahead }) => ahead)).toEqual([false, true])
  // Revoked meanwhile: the simulation ahead is not used.
  const plan = await one.prepare(RICH)
  expect(plan.simulation).toBeNull()
  expect(plan.tx).toBeNull()
})

it('uses a failed simulation ahead only for an identical plan', async () => {
  let runs = 0
  const failsOnce = (request: SimulateParams) => {
    runs += 1
    return runs === 1 ? fail('RPC_UNAVAILABLE') : ran(request)
  }
  const same = open(buy, failsOnce)
  await expect(same.prepare(RICH)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
  runs = 0
  const other = open(buy, failsOnce)
  expect(await other.prepare({ ...RICH, balanceWei: 5n })).toMatchObject({ ready: false })
})
