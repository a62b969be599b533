import { type Address, createCrypto, type Hex } from '@pit/chain'
import { encodeErc20Approve, encodeLockdown } from '@pit/plans'
import { type Answer, isPitError, NATIVE_TOKEN } from '@pit/protocol'
import type { Trade } from '@pit/trading'
import type { PlanDeps } from '@pit/trading/internal/plan/deps'
import { revokeApprovals } from '@pit/trading/internal/plan/revokeApprovals'
import { address, NOW_S, PERMIT2, ROUTER, USDG, WALLET } from '@pit/trading/test/tradeFixtures'
import { beforeEach, expect, it } from 'vitest'
import type { Handler } from '../http/types.ts'
import { tradingRoutes } from './trading.ts'

const crypto = await createCrypto()
const OTHER = address('4')

interface Held {
  allowance: bigint
  permit: [amount: bigint, expirationS: number]
}
let held: Record<Address, Held>
/** After the steps; unchanged if they do nothing. */
let after: Record<Address, Held>
let balanceWei: bigint
let revertsAt: number | null
const stored: { tx: { nonce: number } }[][] = []
beforeEach(() => {
  held = {}
  after = {}
  balanceWei = 10n ** 18n
  revertsAt = null
  chainId = '0x1237'
  stored.length = 0
})

const words = (...values: (bigint | number)[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`

/** A node's answer for an allowance, the token's or Permit2's; none if it is not a token. */
function allowanceOf(of: Record<Address, Held>, { to, data }: { to: Address; data: Hex }): Hex {
  if (to !== PERMIT2) return to in of ? words(of[to]!.allowance) : '0x'
  const token = `0x${data.slice(10 + 64 + 24, 10 + 128)}` as Address
  return words(...(of[token]?.permit ?? [0n, 0]), 0)
}

let chainId: Hex = '0x1237'
const SAID: Record<string, () => Hex> = {
  eth_getTransactionCount: () => '0x5',
  eth_getBalance: () => `0x${balanceWei.toString(16)}`,
  eth_chainId: () => chainId,
}
const rpc = {
  batch: async (calls: [string, [{ to: Address; data: Hex }]][]) =>
    calls.map(([method, [call]]) => ({
      ok: true,
      result: SAID[method]?.() ?? allowanceOf(held, call),
    })),
  request: async (
    _: string,
    [{ blockStateCalls }]: [{ blockStateCalls: { calls: { to: Address; input: Hex }[] }[] }],
  ) => {
    const [sent, read] = blockStateCalls
    const block = { number: '0x65', baseFeePerGas: '0x1' }
    return [
      {
        ...block,
        calls: sent!.calls.map((_, i) => ({
          status: i === revertsAt ? '0x0' : '0x1',
          gasUsed: '0xc350',
          returnData: '0x',
          logs: [],
        })),
      },
      {
        ...block,
        calls: read!.calls.map(({ to, input }) => ({
          status: '0x1',
          gasUsed: '0x1',
          returnData: allowanceOf({ ...held, ...after }, { to, data: input }),
          logs: [],
        })),
      },
    ]
  },
}
const deps = {
  crypto,
  rpc,
  clock: { nowMs: () => NOW_S * 1000 },
  market: { head: () => ({ timestampS: NOW_S, baseFeeWei: 1_000n, number: 1 }) },
  profile: {
    chain_id: 4663,
    contracts: { permit2: PERMIT2, universal_router: ROUTER },
    core_tokens: [
      { symbol: 'ETH', address: address('0') },
      { symbol: 'USDG', address: USDG.address },
    ],
  },
  storeRevocation: async ({ txs }: { txs: { tx: { nonce: number } }[] }) => void stored.push(txs),
} as unknown as PlanDeps
const caller = { requestId: 'r', address: '', key: { keyId: 9, accountId: 1, wallet: WALLET, expiresAtS: 0 } }
const trade = { revokeApprovals: (input) => revokeApprovals(deps, input) } as Trade
const handler = tradingRoutes({ ...deps, trade, charge: async () => {} })[
  'live.revoke'
] as Handler<'live.revoke'>
const revoke = (over: { tokens?: string[]; spender?: string; wallet?: string } = {}) =>
  handler({
    body: { wallet: WALLET, tokens: ['USDG'], ...over },
    caller,
    params: {},
    query: {},
  }) as Promise<Answer<'live.revoke'>>
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => (isPitError(error) ? [error.code, error.extras['field']] : expect.unreachable(String(error))),
  )
const gone: Held = { allowance: 0n, permit: [0n, NOW_S + 60] }

it.each([
  ['nothing', { allowance: 0n, permit: [0n, 0] }, []],
  ['an allowance', { allowance: 1n, permit: [0n, 0] }, ['approve']],
  ['a live permit', { allowance: 0n, permit: [1n, NOW_S] }, ['lockdown']],
  ['an expired permit', { allowance: 0n, permit: [1n, NOW_S - 1] }, []],
  ['both', { allowance: 1n, permit: [1n, NOW_S + 60] }, ['approve', 'lockdown']],
] as const)('revokes %s', async (_, state, kinds) => {
  held = { [USDG.address]: state as unknown as Held }
  after = { [USDG.address]: gone }
  const answer = await revoke()
  expect(answer.steps.map(({ kind }) => kind)).toEqual(kinds)
  expect(answer).toMatchObject({
    nothing_to_revoke: kinds.length === 0,
    ready: kinds.length > 0,
    simulation: { ok: true },
  })
  expect(stored.flat().map(({ tx }) => tx.nonce)).toEqual(kinds.map((_, i) => 5 + i))
  expect(answer.before[USDG.address]).toMatchObject({ allowance: String(state.allowance) })
})

it('revokes several tokens, each once, in one lockdown', async () => {
  const both: Held = { allowance: 7n, permit: [7n, NOW_S + 60] }
  held = { [USDG.address]: both, [OTHER]: both }
  after = { [USDG.address]: gone, [OTHER]: gone }
  const { steps } = await revoke({ tokens: ['USDG', OTHER, USDG.address.toUpperCase().replace('0X', '0x')] })
  expect(steps.map(({ tx }) => [tx!.to, tx!.data, tx!.gas])).toEqual([
    [USDG.address, encodeErc20Approve(PERMIT2, 0n), '65000'],
    [OTHER, encodeErc20Approve(PERMIT2, 0n), '65000'],
    [PERMIT2, encodeLockdown([USDG.address, OTHER].map((token) => ({ token, spender: ROUTER }))), '65000'],
  ])
})

it('skips Permit2 if another spender is named', async () => {
  held = { [USDG.address]: { allowance: 7n, permit: [7n, NOW_S + 60] } }
  after = { [USDG.address]: gone }
  const { steps, before } = await revoke({ spender: OTHER })
  expect(steps.map(({ kind, tx }) => [kind, tx!.data])).toEqual([['approve', encodeErc20Approve(OTHER, 0n)]])
  expect(before[USDG.address]).toMatchObject({ permit: null })
})

it('is not ready if a step reverts, does nothing, or cannot be paid', async () => {
  held = { [USDG.address]: { allowance: 7n, permit: [0n, 0] } }
  expect(await revoke()).toMatchObject({
    ready: false,
    simulation: { ok: false, after: { [USDG.address]: { allowance: '7' } } },
  })
  after = { [USDG.address]: gone }
  expect((await revoke()).ready).toBe(true)
  revertsAt = 0
  expect(await revoke()).toMatchObject({ ready: false, simulation: { ok: false } })
  revertsAt = null
  balanceWei = 0n
  expect(await revoke()).toMatchObject({
    ready: false,
    missing: [{ what: 'eth', token: NATIVE_TOKEN, have: '0', need: expect.stringMatching(/^[1-9]\d+$/) }],
    simulation: { ok: true },
  })
})

it('rejects tokens that cannot have approvals', async () => {
  held = { [USDG.address]: gone }
  expect(await refusalOf(revoke({ tokens: ['USDG', 'ETH'] }))).toEqual(['TOKEN_NOT_ALLOWED', 'tokens.1'])
  expect(await refusalOf(revoke({ tokens: ['FOO'] }))).toEqual(['TOKEN_NOT_ALLOWED', 'tokens.0'])
  expect(await refusalOf(revoke({ tokens: [OTHER] }))).toEqual(['TOKEN_UNKNOWN', 'tokens.0'])
  const wrong = '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  expect(await refusalOf(revoke({ tokens: [wrong] }))).toEqual(['BAD_REQUEST', 'tokens.0'])
  expect(await refusalOf(revoke({ spender: wrong }))).toEqual(['BAD_REQUEST', 'spender'])
  expect(await refusalOf(revoke({ wallet: OTHER }))).toEqual(['WALLET_MISMATCH', 'wallet'])
})

it('does not cover another chain’s approvals', async () => {
  held = { [USDG.address]: gone }
  chainId = '0x1'
  expect(await refusalOf(revoke())).toEqual(['RPC_UNAVAILABLE', undefined])
})
