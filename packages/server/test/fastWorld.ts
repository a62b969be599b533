import {
  type Address,
  changeLiquidity,
  createCrypto,
  erc20Abi,
  type Hex,
  multicall3Abi,
  newV3Pool,
  newV4Pool,
  permit2Abi,
  quoteExactIn,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
  type V3Pool,
  type V4Pool,
} from '@pit/chain'
import { type Charge, createMemoryLimiter, ratesOf } from '@pit/http'
import { GOOD_KEY } from '@pit/http/test/edgeClient'
import type { Mark } from '@pit/market'
import { type Answer, feeOf } from '@pit/protocol'
import { findRelayed, type RelayOutcome, type RelayRequest } from '@pit/relay'
import { openFast, openTable } from '@pit/trading'
import type { PlanSimulation } from '@pit/trading/internal/types'
import { buildFromTerms, signPermit, signTransaction } from '@pit/trading/test/fastClient'
import { fastProfile } from '@pit/trading/test/fastProfile'
import { decodeFunctionData, encodeFunctionResult, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { fastRoutes } from '../src/routes/fast.ts'
import { openTestApp } from './testApp.ts'

const crypto = await createCrypto()
const NOW_MS = Date.UTC(2026, 10, 18, 15, 0, 0)
const PRICES: Record<string, number> = { ETH: 2_500, WETH: 2_500, USDG: 1, NVDA: 180, SPY: 600 }
const stockAbi = parseAbi([
  'function paused() view returns (bool)',
  'function isBlocked(address account) view returns (bool)',
])

export type FastError = {
  code: string
  message: string
  failures: { code: string; message: string; value?: unknown; limit?: unknown }[]
  [extra: string]: unknown
}

/** A valid trade; a test spoils one part of it. */
export interface Spoiled {
  pair?: string
  usd?: number
  feeBps?: number
  minOut?: bigint
  deadline?: number
  permit?: 'none' | 'given'
  privateKey?: Hex
  tx?: Partial<{
    chainId: number
    to: string
    value: bigint
    gas: bigint
    maxFeePerGas: bigint
    maxPriorityFeePerGas: bigint
    nonce: number
    data: (data: Hex) => Hex
  }>
  permitWith?: Partial<{ amount: bigint; expiration: number; nonce: number; sig_deadline: number; key: Hex }>
  /** Fields of the body, as sent. */
  body?: Record<string, unknown>
}

/** Fast mode behind the real edge, on a scripted chain. */
export async function openFastWorld({ enabled = true } = {}) {
  const profile = fastProfile()
  profile.stocks.beacon = `0x${'99'.repeat(20)}`
  profile.pins.reference_pools = { NVDA: [profile.pins.fast_pools['NVDA/USDG']!], ETH: [], SPY: [] }
  profile.pins.reference_pools['ETH'] = [profile.pins.fast_pools['ETH/USDG']!]
  const pinned = openTable(profile, crypto)
  const privateKey = generatePrivateKey()
  const wallet = privateKeyToAddress(privateKey).toLowerCase() as Address
  const addressOf = (symbol: string) =>
    profile.core_tokens.find((token) => token.symbol === symbol)!.address.toLowerCase() as Address

  const symbolOf = (address: string) =>
    profile.core_tokens.find((token) => token.address.toLowerCase() === address)!

  const state = {
    nowMs: NOW_MS,
    baseFeeWei: 10_000_000n,
    tierBps: 25,
    ethWei: 10n ** 19n,
    tokenAtoms: 10n ** 24n,
    allowance: 10n ** 30n,
    permitted: { amount: 10n ** 30n, expiration: 2 ** 40, nonce: 0 },
    paused: false,
    blocked: null as 'wallet' | 'router' | null,
    prices: { ...PRICES },
    /** Age of the read. */
    markAgeS: 5,
    roundAgeS: 5,
    /** The store's record of the bytes. */
    rows: [] as Record<string, unknown>[],
    markStale: false,
    unmarked: new Set<string>(),
    /** Extra results of simulations beside the pool's output. */
    simulation: {} as Partial<PlanSimulation>,
    outcome: { kind: 'sent' } as RelayOutcome extends infer O
      ? O extends unknown
        ? Omit<O, 'hash' | 'ms'>
        : never
      : never,
    chainNonce: 0,
    rpcDown: false,
  }
  const seen = {
    relayed: [] as RelayRequest[],
    simulated: 0,
    fundsRead: 0,
    refusals: [] as string[],
    charged: [] as string[],
  }
  const pools = new Map<string, V3Pool | V4Pool>()
  for (const route of pinned.routes.values()) pools.set(route.poolId, poolOf(route))

  function poolOf({ hop, poolId }: typeof pinned.routes extends ReadonlyMap<string, infer R> ? R : never) {
    const [token0, token1] =
      hop.tokenIn < hop.tokenOut ? [hop.tokenIn, hop.tokenOut] : [hop.tokenOut, hop.tokenIn]
    const pool =
      hop.version === 'v4'
        ? newV4Pool(poolId, hop.key)
        : newV3Pool({
            id: poolId,
            token0,
            token1,
            feePips: hop.version === 'v3' ? hop.feePips : 0,
            tickSpacing: 10,
          })
    setPrice(pool)
    return pool
  }
  /** Deep liquidity at the price of the marks, moved by this many bps of token1 per token0. */
  function setPrice(pool: V3Pool | V4Pool, movedBps = 0): void {
    const [a, b] = [symbolOf(pool.token0), symbolOf(pool.token1)]
    const perAtom =
      (PRICES[a.symbol]! / PRICES[b.symbol]!) * 10 ** (b.decimals - a.decimals) * (1 + movedBps / 10_000)
    const tick = Math.round(Math.log(perAtom) / Math.log(1.0001))
    Object.assign(pool, { ticks: new Map(), bitmap: new Map(), liquidity: 0n })
    pool.sqrtPriceX96 = sqrtPriceAtTick(tick)
    pool.tick = tickAtSqrtPrice(pool.sqrtPriceX96)
    changeLiquidity(
      pool,
      Math.floor((tick - 20_000) / 60) * 60,
      Math.ceil((tick + 20_000) / 60) * 60,
      10n ** 21n,
    )
  }

  const mark = (token: Address): Mark | undefined => {
    const { symbol } = symbolOf(token)
    if (state.unmarked.has(symbol)) return undefined
    return {
      token,
      symbol,
      priceE18: BigInt(Math.round(state.prices[symbol]! * 1e6)) * 10n ** 12n,
      source: 'oracle_feed',
      block: 1,
      readAtS: Math.floor(state.nowMs / 1000) - (symbol === 'USDG' ? 0 : state.markAgeS),
      updatedAtS: Math.floor(state.nowMs / 1000) - state.roundAgeS,
      stale: symbol !== 'USDG' && state.markStale,
    }
  }
  const market = {
    head: () => ({
      number: 1,
      hash: '0x' as Hex,
      parentHash: '0x' as Hex,
      timestampS: Math.floor(state.nowMs / 1000),
      baseFeeWei: state.baseFeeWei,
    }),
    mark,
    pool: (id: string) => pools.get(id),
    index: {
      get: (id: string) => pools.get(id),
      between: (a: string, b: string) =>
        [...pools.values()].filter(
          ({ token0, token1 }) => [token0, token1].sort().join() === [a, b].sort().join(),
        ),
    },
    onBlock: (listener: () => void) => {
      blocks.add(listener)
      return () => void blocks.delete(listener)
    },
  }
  const blocks = new Set<() => void>()

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (state.rpcDown) throw new Error('down')
    if (method === 'eth_getTransactionCount') return `0x${state.chainNonce.toString(16)}`
    if (method !== 'eth_call') throw new Error(`unexpected ${method}`)
    seen.fundsRead += 1
    const [{ data }] = params as [{ data: Hex }]
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    const result = (args![0] as unknown as { callData: Hex }[]).map(({ callData }) => ({
      success: true,
      returnData: answerOf(callData),
    }))
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
  }
  function answerOf(data: Hex): Hex {
    const { functionName, args } = decodeFunctionData({
      abi: [...multicall3Abi, ...erc20Abi, ...permit2Abi, ...stockAbi],
      data,
    })
    const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')
    if (functionName === 'getEthBalance') return `0x${word(state.ethWei)}`
    if (functionName === 'balanceOf') return `0x${word(state.tokenAtoms)}`
    if (functionName === 'paused') return `0x${word(state.paused ? 1 : 0)}`
    if (functionName === 'isBlocked') {
      const who = { wallet, router: pinned.addresses!.router, nobody: null }[state.blocked ?? 'nobody']
      return `0x${word(String(args![0]).toLowerCase() === who ? 1 : 0)}`
    }
    const { amount, expiration, nonce } = state.permitted
    return args!.length === 2
      ? `0x${word(state.allowance)}`
      : `0x${word(amount)}${word(expiration)}${word(nonce)}`
  }

  const fast = openFast({
    profile,
    crypto,
    enabled,
    market: market as never,
    clock: { nowMs: () => state.nowMs },
    logger: { debug: () => {} } as never,
    findRelayed: (hash) => findRelayed({ query: async () => state.rows } as never, hash),
    rpc: { request } as never,
    account: {
      tierBps: async () => state.tierBps,
      recordRefusal: ({ code }) => void seen.refusals.push(code),
    },
    simulator: {
      async simulatePlan(input) {
        seen.simulated += 1
        const route = [...pinned.routes.values()].find(
          ({ tokenIn, tokenOut }) => tokenIn.address === input.tokenIn && tokenOut.address === input.tokenOut,
        )!
        const bps = state.tierBps
        const isInput = route.row.fee.side === 'input'
        const paid = isInput ? feeOf(input.amountIn, bps) : 0n
        const pool = pools.get(route.poolId)!
        const gross = quoteExactIn(pool, route.zeroForOne, input.amountIn - paid)!.amountOut
        const portion = isInput ? 0n : feeOf(gross, bps)
        const amountOut = gross - portion
        const ok = amountOut >= input.amountOutMin
        const error = ok ? null : 'swap: it delivers less than the minimum'
        return {
          ok,
          block: 1,
          amountOut: ok ? amountOut : null,
          feeTransfer: isInput ? paid : portion,
          gasTotal: 150_000,
          fundedByOverrides: input.fund === true,
          transactions: [{ kind: 'swap', ok, gasUsed: 150_000, error, logs: [] }],
          error,
          ...state.simulation,
        }
      },
    },
    relayOnce: async (input) => {
      seen.relayed.push(input)
      return { ...state.outcome, hash: input.signed.hash, ms: { write: 0, send: 0 } } as RelayOutcome
    },
  })
  const limiter = createMemoryLimiter({ rates: ratesOf({ scale: 1e6, overallFactor: 50 }) })
  const charge: Charge = async (_, buckets) => void seen.charged.push(...buckets)
  const app = await openTestApp({ handlers: fastRoutes({ fast, charge }), key: { wallet }, limiter })

  /** A valid trade, except for what is spoiled. */
  async function build(spoiled: Spoiled = {}) {
    const { pair = 'ETH/USDG', usd = 100, feeBps = state.tierBps } = spoiled
    const route = pinned.routes.get(pair)!
    const amountIn =
      BigInt(Math.round((usd / PRICES[route.tokenIn.symbol]!) * 1e6)) *
      10n ** BigInt(route.tokenIn.decimals - 6)
    const swapIn = route.row.fee.side === 'input' ? amountIn - feeOf(amountIn, feeBps) : amountIn
    const gross = quoteExactIn(pools.get(route.poolId)!, route.zeroForOne, swapIn)?.amountOut ?? 0n
    const net = route.row.fee.side === 'output' ? gross - feeOf(gross, feeBps) : gross
    const minOut = spoiled.minOut ?? (net * 9_950n) / 10_000n
    const deadline = spoiled.deadline ?? Math.floor(state.nowMs / 1000) + 45
    const withPermit = spoiled.permit === 'given'
    const permitFields = {
      amount: amountIn,
      expiration: deadline + 600,
      nonce: state.permitted.nonce,
      sig_deadline: deadline + 600,
      ...spoiled.permitWith,
    }
    const {
      key: permitKey = privateKey,
      amount,
      ...times
    } = permitFields as typeof permitFields & { key?: Hex }
    const permit = withPermit && {
      ...times,
      signature: await signPermit(
        permitKey,
        { permit2: pinned.table.permit2, router: pinned.table.router!, token: route.tokenIn.address },
        { amount, ...times },
      ),
    }
    // A valid client permits exactly what it trades; a spoiled amount goes into the body alone.
    const built = buildFromTerms(pinned.table, {
      pair,
      amountIn,
      minOut,
      deadline,
      feeBps,
      ...(permit && route.row.permit && { permit }),
    })
    const { data: spoil = (data: Hex) => data, ...tx } = spoiled.tx ?? {}
    const gas = BigInt(route.row.gas_floor + (withPermit ? (route.row.permit?.gas_add ?? 0) : 0))
    const { raw, hash } = await signTransaction(spoiled.privateKey ?? privateKey, {
      nonce: 0,
      to: pinned.table.router!,
      value: built.value,
      gas,
      maxFeePerGas: state.baseFeeWei * 2n,
      ...tx,
      data: spoil(built.data),
    })
    const body = {
      raw_tx: raw,
      token_in: route.tokenIn.symbol,
      token_out: route.tokenOut.symbol,
      amount_in: String(amountIn),
      min_out: String(minOut),
      deadline,
      fee_bps: feeBps,
      ...(permit && { permit: { ...permit, amount: String(amount) } }),
      ...(route.tokenIn.stock || route.tokenOut.stock ? { owner_attests_non_us: true } : {}),
      ...spoiled.body,
    }
    return { body, hash, amountIn, minOut, net }
  }

  async function send(body: unknown) {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/live/fast',
      headers: { authorization: `Bearer ${GOOD_KEY}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const { error, ...rest } = answer.json<Answer<'live.fast'> & { error: FastError }>()
    return { status: answer.status, error, answer: rest as Answer<'live.fast'>, headers: answer.headers }
  }

  return {
    state,
    seen,
    pinned,
    pools,
    setPrice,
    wallet,
    privateKey,
    addressOf,
    build,
    send,
    trade: async (spoiled: Spoiled = {}) => send((await build(spoiled)).body),
    terms: async (query = '') => {
      const headers = { authorization: `Bearer ${GOOD_KEY}` }
      const answer = await app.inject({ url: `/api/v1/live/fast/terms${query}`, headers })
      return answer.json<Answer<'live.fast.terms'>>()
    },
    /** A new block: the warm cache is refreshed. */
    async block() {
      for (const listener of blocks) listener()
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
    close: async () => {
      fast.close()
      await app.close()
    },
  }
}
export type FastWorld = Awaited<ReturnType<typeof openFastWorld>>
