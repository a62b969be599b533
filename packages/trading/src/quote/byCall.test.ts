import { findRoutes, GAS, type Hex, v4QuoterAbi } from '@pit/chain'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { decodeFunctionData, encodeAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { createCallQuoter } from './byCall.ts'
import type { QuoterDeps } from './deps.ts'
import { createHooks } from './hooks.ts'
import { createLabels } from './labels.ts'
import {
  at,
  crypto,
  ETHER,
  JUNK,
  KNOWN_SKIMMER,
  openWorld,
  profile,
  UNKNOWN_SKIMMER,
  USDG,
  v3,
  v4,
  WETH,
} from './test/fakeWorld.ts'

type Batch = QuoterDeps['rpc']['batch']
const pair = { tokenIn: JUNK, tokenOut: USDG }
const request = { ...pair, swapIn: 1_000_000n, block: 26, knownOnly: false, isNamed: false }
const word = (amountOut: bigint, gas = 90_000n): Hex =>
  encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [amountOut, gas])
const answer = (result: unknown) => ({ ok: true as const, result })

function open(pools: Parameters<typeof openWorld>[0], batch?: Batch) {
  const world = openWorld({ ...pools, ...(batch && { batch }) })
  const parts = { ...world.deps, hooks: createHooks(profile), labels: createLabels(profile) }
  const { byCall } = findRoutes({ index: world.index, crypto }, { ...pair, amountIn: 1n })
  return { world, quoter: createCallQuoter(parts), byCall }
}
const quoted = async (batch: Batch, pools = [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)]) => {
  const { quoter, byCall } = open({ pools }, batch)
  return quoter.quote(quoter.choose(byCall, request), request)
}

describe('pools with hooks', () => {
  it('are quoted by the on-chain quoter, at the block of the other routes', async () => {
    const calls: unknown[] = []
    const pool = v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)
    const outcome = await quoted(
      async (batch, options) => {
        calls.push(...batch, options)
        return [answer(word(950_000n))]
      },
      [pool],
    )
    expect(outcome).toEqual({
      routes: [
        expect.objectContaining({
          venue: 'venue_pool',
          quotedBy: 'call',
          amountOut: 950_000n,
          gas: GAS.base + 90_000,
          label: '0x0000…00f0 → USDG (v4 0.3%, hook)',
          risks: [expect.objectContaining({ code: 'UNKNOWN_HOOK', severity: 'severe' })],
          way: {
            kind: 'pools',
            legs: [{ hops: [expect.objectContaining({ key: pool.key })], amountIn: 1_000_000n }],
          },
        }),
      ],
      failed: [],
    })
    // The hook's cut counts as impact: it cannot be seen separately.
    expect(outcome.routes[0]!.impactBps).toBeCloseTo((1 - 0.95 / 0.997) * 10_000, 0)
    const [method, [call, tag]] = calls[0] as [string, [{ to: Hex; data: Hex; gas: Hex }, Hex]]
    expect([method, call.to, tag, calls[1]]).toEqual(['eth_call', at(0x9999), '0x1a', { timeoutMs: 1_500 }])
    expect(Number(call.gas)).toBeLessThanOrEqual(3_000_000)
    const { args } = decodeFunctionData({ abi: v4QuoterAbi, data: call.data })
    expect(args?.[0]).toMatchObject({ zeroForOne: pool.token0 === JUNK, exactAmount: 1_000_000n })
  })

  it('with a reviewed hook carry no risk', async () => {
    const pools = [v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)]
    expect((await quoted(async () => [answer(word(950_000n))], pools)).routes[0]!.risks).toEqual([])
  })

  it.each<[string, Awaited<ReturnType<Batch>>[number], string | undefined]>([
    ['a revert', { ok: false, error: new RpcError('eth_call', 3, 'reverted', '0x') }, undefined],
    [
      'a lost block',
      { ok: false, error: new RpcError('eth_call', -32_000, 'no such block', null) },
      'VENUE_FAILED',
    ],
    ['nothing', answer(word(0n)), undefined],
    ['more than there can be', answer(word(1n << 128n)), undefined],
    ['no words', answer('0x'), undefined],
    ['no text', answer(7), undefined],
  ])('are listed as failed if the answer is %s', async (_, response, code) => {
    const { routes, failed } = await quoted(async () => [response])
    expect(routes).toEqual([])
    expect(failed).toEqual([expect.objectContaining({ why: expect.any(String) })])
    expect(failed[0]!.code).toBe(code)
  })

  it('fail together if the chain does not respond', async () => {
    const { routes, failed } = await quoted(async () => {
      throw new RpcUnreachable('no answer in 1500 ms')
    })
    expect([routes, failed.map(({ code }) => code)]).toEqual([[], ['VENUE_FAILED']])
  })

  it('report no more gas than their limit', async () => {
    const { routes } = await quoted(async () => [answer(word(950_000n, 1n << 200n))])
    expect(routes[0]!.gas).toBe(GAS.base + 3_000_000)
  })

  it('are quoted at most eight at once: reviewed hooks first, then the deepest', () => {
    const strangers = Array.from({ length: 12 }, (_, i) =>
      v4(JUNK, USDG, BigInt(i + 1) * ETHER, UNKNOWN_SKIMMER),
    )
    const reviewed = v4(JUNK, USDG, 5n, KNOWN_SKIMMER)
    const { quoter, byCall } = open({ pools: [...strangers, reviewed] })
    const chosen = quoter.choose(byCall, request).map(({ hop }) => hop.pool)
    expect(chosen.length).toBe(8)
    expect(chosen.slice(0, 3)).toEqual([reviewed, strangers[11], strangers[10]])
  })

  it('with unreviewed hooks are not quoted for core pairs, which they could slow down', () => {
    const { quoter, byCall } = open({
      pools: [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER), v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)],
    })
    expect(quoter.choose(byCall, { ...request, knownOnly: true }).length).toBe(1)
  })

  it('require a quoter', () => {
    const { quoter, byCall } = open({
      pools: [v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)],
      profile: { contracts: { ...profile.contracts, v4_quoter: null } },
    })
    expect(quoter.choose(byCall, request)).toEqual([])
  })

  it('cost no call if there are none', async () => {
    const { quoter, byCall, world } = open({ pools: [v3(JUNK, USDG, ETHER)] })
    expect(await quoter.quote(quoter.choose(byCall, request), request)).toEqual({ routes: [], failed: [] })
    expect(world.calls).toEqual([])
  })

  it('are named if they are the only market, as they are not part of longer routes', () => {
    const pools = [
      v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER),
      v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER),
      v3(JUNK, at(1), 5n),
    ]
    const rows = open({ pools }).quoter.elsewhere(JUNK)
    expect(rows).toEqual([expect.objectContaining({ why: expect.stringContaining('against WETH') })])
  })
})
