import { createCrypto, type Hex, hashPermit, readSwap, serializeSignature } from '@pit/chain'
import { isPitError, TRADE } from '@pit/protocol'
import { hashTypedData } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { buildParams, NOW_S, ROUTER, TRADE_ADDRESSES, USDG, walletState } from '../../test/tradeFixtures.ts'
import { buildPlan } from './buildPlan.ts'
import { createPermitMemory } from './pendingPermits.ts'
import { permitJson, permitOf } from './permits.ts'
import { type BuildRequest, spendingOf } from './spending.ts'

const KEY: Hex = `0x${'42'.repeat(32)}`
let crypto: Awaited<ReturnType<typeof createCrypto>>
beforeAll(async () => {
  crypto = await createCrypto()
})

const wallet = (over = {}) => walletState({ wallet: crypto.addressOf(KEY), ...over })
const build = (params: BuildRequest) =>
  buildPlan({ crypto, addresses: TRADE_ADDRESSES }, params, {
    ...spendingOf(TRADE_ADDRESSES, params),
    resetsFirst: false,
  })
const refusalOf = (run: () => unknown) => {
  try {
    run()
    return null
  } catch (error) {
    if (!isPitError(error)) throw error
    return { code: error.code, field: error.extras['field'] }
  }
}

/** Signs the JSON as a wallet does. */
const signJson = (json: Record<string, unknown>, v: '1b/1c' | '00/01' = '1b/1c'): Hex => {
  const digest = hashTypedData(JSON.parse(JSON.stringify(json)))
  const signature = crypto.sign(digest, KEY)
  const whole = serializeSignature(signature)
  return v === '1b/1c' ? whole : `${whole.slice(0, -2) as Hex}0${signature.yParity}`
}

it('requests the signature first, then builds the same trade with it', () => {
  const first = build(buildParams({}, { wallet: wallet() }))
  expect(first).toMatchObject({ complete: false, permitNowS: NOW_S })
  expect(first.steps.map(({ kind }) => kind)).toEqual(['approve', 'sign_permit'])
  expect(first.permit).toEqual({
    details: { token: USDG.address, amount: 100_000_000n, expiration: NOW_S + 1_800, nonce: 3 },
    spender: ROUTER,
    sigDeadline: BigInt(NOW_S + 1_800),
  })
  const signature = signJson(permitJson(TRADE_ADDRESSES, first.permit!))
  for (const laterS of [0, 1, TRADE.permitTradeExpiryS - TRADE.deadlineS]) {
    const second = build(
      buildParams(
        {},
        { wallet: wallet(), permit: { kind: 'signed', signature, nowS: NOW_S }, nowS: NOW_S + laterS },
      ),
    )
    expect(second.complete).toBe(true)
    expect(second.permit).toEqual(first.permit)
    expect(second.steps.map(({ kind }) => kind)).toEqual(['approve', 'swap'])
    expect(second.steps[1]!.tx!.data).toContain(signature.slice(2))
    expect(second.preview).toBeNull()
  }
})

it('previews the swap that waits for its permit: the same call without the permit', () => {
  const { preview } = build(buildParams({}, { wallet: wallet() }))
  const layout = { weth: TRADE_ADDRESSES.weth, layout: TRADE_ADDRESSES.layout }
  const permit = { kind: 'own key' as const, sign: () => `0x${'11'.repeat(65)}` as Hex }
  const { tx } = build(buildParams({}, { wallet: wallet(), permit })).steps.at(-1)!
  expect(preview).toMatchObject({ to: tx!.to, valueWei: tx!.valueWei })
  const read = (data: Hex) => {
    const swap = readSwap(data, layout)
    if ('fault' in swap) throw new Error(swap.fault)
    const { tokenIn, tokenOut, amountIn, amountOutMin, legs, fee, deadlineS } = swap
    return { permit: swap.permit, terms: { tokenIn, tokenOut, amountIn, amountOutMin, legs, fee, deadlineS } }
  }
  expect(read(preview!.data)).toEqual({ ...read(tx!.data), permit: null })
  expect(read(tx!.data).permit).not.toBeNull()
})

it('hashes the JSON as Permit2 does', () => {
  const grant = { amount: 10n ** 30n, expirationS: NOW_S + 1_800 }
  const permit = permitOf({ token: USDG.address, router: ROUTER, grant, nonce: 12, anchorS: NOW_S })
  const json = JSON.parse(JSON.stringify(permitJson(TRADE_ADDRESSES, permit)))
  expect(hashTypedData(json)).toBe(hashPermit(crypto, TRADE_ADDRESSES, permit))
  expect(json.message.details.amount).toBe('1000000000000000000000000000000')
})

it('accepts a signature with v of 0 or 1 and normalizes it for Permit2', () => {
  const first = build(buildParams({}, { wallet: wallet() }))
  const short = signJson(permitJson(TRADE_ADDRESSES, first.permit!), '00/01')
  const second = build(
    buildParams({}, { wallet: wallet(), permit: { kind: 'signed', signature: short, nowS: NOW_S } }),
  )
  expect(second.steps.at(-1)!.tx!.data).toContain(
    signJson(permitJson(TRADE_ADDRESSES, first.permit!)).slice(2),
  )
})

it('refuses the permit of another trade', () => {
  const first = build(buildParams({}, { wallet: wallet() }))
  const signature = signJson(permitJson(TRADE_ADDRESSES, first.permit!))
  const signed = (over: Partial<BuildRequest> = {}, wanted = {}) =>
    refusalOf(() =>
      build(
        buildParams(wanted, {
          wallet: wallet(),
          permit: { kind: 'signed', signature, nowS: NOW_S },
          ...over,
        }),
      ),
    )
  const refused = { code: 'BAD_REQUEST', field: 'permit_signature' }
  expect(signed()).toBeNull()
  expect(signed({}, { amountIn: 100_000_001n })).toEqual(refused)
  expect(signed({ permit: { kind: 'signed', signature, nowS: NOW_S - 1 } })).toEqual(refused)
  expect(signed({ wallet: walletState() })).toEqual(refused)
  expect(signed({ wallet: wallet({ permit: { amount: 0n, expirationS: 0, nonce: 4 } }) })).toEqual(refused)
  const malformed: Hex = `0x${'ff'.repeat(65)}`
  expect(signed({ permit: { kind: 'signed', signature: malformed, nowS: NOW_S } })).toEqual(refused)
})

it('refuses an anchor that is too old for the trade or in the future', () => {
  const sign = (nowS: number) => {
    const params = buildParams({}, { wallet: wallet(), nowS })
    return signJson(permitJson(TRADE_ADDRESSES, build(params).permit!))
  }
  const refused = { code: 'BAD_REQUEST', field: 'permit_now' }
  const at = (anchorS: number) =>
    refusalOf(() =>
      build(
        buildParams(
          {},
          { wallet: wallet(), permit: { kind: 'signed', signature: sign(anchorS), nowS: anchorS } },
        ),
      ),
    )
  expect(at(NOW_S - 1_680)).toBeNull()
  expect(at(NOW_S - 1_681)).toEqual(refused)
  expect(at(NOW_S + 5)).toBeNull()
  expect(at(NOW_S + 6)).toEqual(refused)
})

it('ignores a signature if none is needed', () => {
  const signature: Hex = `0x${'00'.repeat(65)}`
  const permit = { amount: 100_000_000n, expirationS: NOW_S + 120, nonce: 3 }
  const plan = build(
    buildParams(
      {},
      {
        wallet: wallet({ allowance: 100_000_000n, permit }),
        permit: { kind: 'signed', signature, nowS: 1 },
      },
    ),
  )
  expect(plan.complete).toBe(true)
  expect(plan.permit).toBeNull()
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['swap'])
})

it('remembers the atoms of a first call for its size, until the permit expires', () => {
  const permits = createPermitMemory()
  const approval = {
    mode: 'budget',
    budgetUsd: 25,
    permitMode: 'signature',
    permitScope: '30d',
  } as const
  const request = {
    wallet: wallet().wallet,
    tokenIn: '0xAB',
    tokenOut: 'USDG',
    anchorS: NOW_S,
    size: '$25',
    approval,
  }
  permits.remember(request, { amountIn: 7n, granted: 9n })
  expect(permits.recall({ ...request, tokenIn: '0xab' })).toMatchObject({ amountIn: 7n, granted: 9n })
  expect(permits.recall({ ...request, size: '$26' })).toBeUndefined()
  for (const other of [{ budgetUsd: 26 }, { mode: 'exact' as const }, { permitScope: 'trade' as const }]) {
    expect(permits.recall({ ...request, approval: { ...approval, ...other } })).toBeUndefined()
  }
  expect(permits.recall({ ...request, anchorS: NOW_S + 1 })).toBeUndefined()
  permits.remember({ ...request, anchorS: NOW_S + 1_801 }, { amountIn: 1n, granted: 1n })
  expect(permits.recall(request)).toBeUndefined()
})

it('keeps a bounded number of them', () => {
  const permits = createPermitMemory()
  const request = (i: number) => ({
    wallet: wallet().wallet,
    tokenIn: 'cbBTC',
    tokenOut: 'USDG',
    anchorS: NOW_S,
    size: String(i),
    approval: { mode: 'exact', budgetUsd: 25, permitMode: 'signature', permitScope: 'trade' } as const,
  })
  for (let i = 0; i < 10_050; i++) permits.remember(request(i), { amountIn: BigInt(i), granted: 1n })
  expect(permits.recall(request(49))).toBeUndefined()
  expect(permits.recall(request(50))?.amountIn).toBe(50n)
})
