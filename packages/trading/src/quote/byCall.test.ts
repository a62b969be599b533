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
const request = { ...pair, amountIn: 1_000_000n, block: 26, knownOnly: false, isNamed: false }
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
  return quoter.ask(quoter.choose(byCall, request), request)
}

describe('pools with hooks', () => {
  it('are quoted by the chain’s quoter, at the block of the other routes', async () => {
    const calls: unknown[] = []
    const pool = v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER)
    const outcome = await quoted(
      async (asked, options) => {
        calls.push(...asked, options)
        return [answer(word(950_000n))]
      },
      [pool],
    )
    expect(outcome).toEqual({
      found: [
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
    // What the hook keeps counts as impact: there is no other way to see it.
    expect(outcome.found[0]!.impactBps).toBeCloseTo((1 - 0.95 / 0.997) * 10_000, 0)
    const [method, [call, tag]] = calls[0] as [string, [{ to: Hex; data: Hex; gas: Hex }, Hex]]
    expect([method, call.to, tag, calls[1]]).toEqual(['eth_call', at(0x9999), '0x1a', { timeoutMs: 1_500 }])
    expect(Number(call.gas)).toBeLessThanOrEqual(3_000_000)
    const { args } = decodeFunctionData({ abi: v4QuoterAbi, data: call.data })
    expect(args?.[0]).toMatchObject({ zeroForOne: pool.token0 === JUNK, exactAmount: 1_000_000n })
  })

  it('that somebody has read carry no risk', async () => {
    const pools = [v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)]
    expect((await quoted(async () => [answer(word(5n))], pools)).found[0]!.risks).toEqual([])
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
  ])('whose answer is %s are told as failed', async (_, said, code) => {
    const { found, failed } = await quoted(async () => [said])
    expect(found).toEqual([])
    expect(failed).toEqual([expect.objectContaining({ why: expect.any(String) })])
    expect(failed[0]!.code).toBe(code)
  })

  it('fail together when the chain is silent', async () => {
    const { found, failed } = await quoted(async () => {
      throw new RpcUnreachable('no answer in 1500 ms')
    })
    expect([found, failed.map(({ code }) => code)]).toEqual([[], ['VENUE_FAILED']])
  })

  it('say no more gas than they were given', async () => {
    const { found } = await quoted(async () => [answer(word(5n, 1n << 200n))])
    expect(found[0]!.gas).toBe(GAS.base + 3_000_000)
  })

  it('are asked about at most eight at once, those that were read first, then the deepest', () => {
    const strangers = Array.from({ length: 12 }, (_, i) =>
      v4(JUNK, USDG, BigInt(i + 1) * ETHER, UNKNOWN_SKIMMER),
    )
    const known = v4(JUNK, USDG, 5n, KNOWN_SKIMMER)
    const { quoter, byCall } = open({ pools: [...strangers, known] })
    const chosen = quoter.choose(byCall, request).map(({ hop }) => hop.pool)
    expect(chosen.length).toBe(8)
    expect(chosen.slice(0, 3)).toEqual([known, strangers[11], strangers[10]])
  })

  it('of strangers are not asked about core pairs, so that nobody can slow them down', () => {
    const { quoter, byCall } = open({
      pools: [v4(JUNK, USDG, ETHER, UNKNOWN_SKIMMER), v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)],
    })
    expect(quoter.choose(byCall, { ...request, knownOnly: true }).length).toBe(1)
  })

  it('need a quoter', () => {
    const { quoter, byCall } = open({
      pools: [v4(JUNK, USDG, ETHER, KNOWN_SKIMMER)],
      profile: { contracts: { ...profile.contracts, v4_quoter: null } },
    })
    expect(quoter.choose(byCall, request)).toEqual([])
  })

  it('cost no call where there are none', async () => {
    const { quoter, byCall, world } = open({ pools: [v3(JUNK, USDG, ETHER)] })
    expect(await quoter.ask(quoter.choose(byCall, request), request)).toEqual({ found: [], failed: [] })
    expect(world.asked).toEqual([])
  })

  it('are named where they are the only market, for they are no part of longer routes', () => {
    const pools = [
      v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER),
      v4(JUNK, WETH, ETHER, UNKNOWN_SKIMMER),
      v3(JUNK, at(1), 5n),
    ]
    const rows = open({ pools }).quoter.elsewhere(JUNK)
    expect(rows).toEqual([expect.objectContaining({ why: expect.stringContaining('against WETH') })])
  })
})
