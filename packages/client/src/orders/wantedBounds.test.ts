import { NATIVE, type OrderList, orderListHash } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { fakeMarket, keyOf, pins, TOKEN, USDG } from '../../test/fakeMarket.ts'
import type { ClientDeps } from '../deps.ts'
import { isRefusal } from '../errors.ts'
import { openNode } from '../own/node.ts'
import { memoryRecords, openRecords } from '../records.ts'
import { hashing } from '../verify/grant.ts'
import { checkBounds } from './wantedBounds.ts'

const NOW_MS = 1_800_000_000_000
const WALLET = `0x${'3'.repeat(40)}` as const
const session = { hash: `0x${'5'.repeat(64)}` as const }
const E18 = 10n ** 18n

/** Sells tokens that a pool buys for two dollars each. */
const order = (tokens: bigint, tokenOut = USDG): OrderList['orders'][number] => ({
  tokenIn: TOKEN,
  tokenOut,
  amountIn: tokens * E18,
  minAmountOut: 1n,
  maxSlippageBps: 50,
  trigger: { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 },
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: NOW_MS / 1000 + 900,
  group: 0,
  parent: 0,
})
const listOf = (nonce: number, ...orders: OrderList['orders'][number][]) =>
  ({
    session: session.hash,
    nonce: `0x${String(nonce).padStart(64, '0')}`,
    replaces: [],
    orders,
  }) as unknown as OrderList

function open({ bound = 25, isRecorded = true }: { bound?: number; isRecorded?: boolean } = {}) {
  let nowMs = NOW_MS
  const node = fakeMarket([{ key: keyOf(3000), bid: 2_000_000n, ask: 2_000_000n }], () => nowMs / 1000)
  const limits = { max_trade_usd: 20, max_day_usd: 50 }
  const records = {
    ...openRecords(memoryRecords(), WALLET),
    agent: async () => (isRecorded ? { pairs: [`${TOKEN}/USDG`], limits } : null),
    sessions: async () => ({
      records: [
        {
          roots: [session],
          binding: { limits: { max_trade_micro_usd: bound * 1e6, max_day_micro_usd: 2 * bound * 1e6 } },
        },
      ],
    }),
  }
  const deps = {
    pins,
    records,
    rpc: openNode(node, pins, () => nowMs),
    nowMs: () => nowMs,
  } as unknown as ClientDeps
  return {
    deps,
    pass: (ms: number) => {
      nowMs += ms
    },
    check: (list: OrderList) =>
      checkBounds(deps, { agentId: 'agt_1', session, list }, {}).then(
        () => 'accepted',
        (error: unknown) => (isRefusal(error) ? (error.rule ?? error.code) : Promise.reject(error)),
      ),
  }
}

describe('a list that the server wants signed', () => {
  it('is one trade of a recorded pair within the agent’s limit', async () => {
    const { check } = open()
    expect(await check(listOf(1, order(10n)))).toBe('accepted')
    expect(await check(listOf(1, order(12n)))).toBe('GRANT_CAPS')
    expect(await check(listOf(1, order(1_000n)))).toBe('GRANT_CAPS')
    expect(await check(listOf(1, order(1n), order(1n)))).toBe('RECIPIENT')
    expect(await check(listOf(1, ...Array.from({ length: 16 }, () => order(1n))))).toBe('RECIPIENT')
    expect(await check(listOf(1, order(1n, NATIVE)))).toBe('RECIPIENT')
  })

  it('is within the session’s limit too', async () => {
    expect(await open({ bound: 10 }).check(listOf(1, order(6n)))).toBe('GRANT_CAPS')
  })

  it('counts with the lists that were signed in the last day', async () => {
    const { check, deps, pass } = open()
    const signed = [listOf(1, order(10n)), listOf(2, order(10n))]
    for (const list of signed) {
      expect(await check(list)).toBe('accepted')
      await deps.records.putOrderList(list, 'agt_1')
    }
    // Checked and then declined: it does not count.
    expect(await check(listOf(3, order(5n)))).toBe('accepted')
    expect(await check(listOf(4, order(10n)))).toBe('GRANT_CAPS')
    // A retry of a signed list is the same list.
    expect(await check(signed[0]!)).toBe('accepted')
    pass(25 * 3_600_000)
    expect(await check(listOf(4, order(10n)))).toBe('accepted')
  })

  it('needs the owner’s record', async () => {
    expect(await open({ isRecorded: false }).check(listOf(1, order(1n)))).toBe('INTENT_NEEDED')
  })

  it('is recorded under its hash', async () => {
    const { check, deps } = open()
    const list = listOf(1, order(10n))
    await check(list)
    expect(await deps.records.wanted(session.hash)).toEqual([
      { id: orderListHash(hashing, list), at_ms: NOW_MS, micro_usd: 20_000_000 },
    ])
  })
})
