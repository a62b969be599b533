import type { Db } from '@pit/platform/db'
import { BARE_PROFILE, NOWHERE } from '@pit/platform/test/bareProfile'
import { createManualClock } from '@pit/platform/test/manualClock'
import { createScriptedChain, word } from '@pit/platform/test/scriptedChain'
import { type ChainProfile, FAST } from '@pit/protocol'
import { expect, it } from 'vitest'
import { followMarks } from './followMarks.ts'

const MINUTE_S = 1_800_000_000
const USDG = { symbol: 'USDG', name: 'USDG', address: `0x${'a'.repeat(40)}`, decimals: 6, feed: null }
const profile = { ...BARE_PROFILE, core_tokens: [USDG] } as unknown as ChainProfile

it('stores one reading per minute with marks', async () => {
  const clock = createManualClock(MINUTE_S * 1000 + 30_000)
  const chain = createScriptedChain({ startS: MINUTE_S, multicall3: NOWHERE })
  chain.onCall(() => word(BigInt(MINUTE_S)))
  const stored: unknown[] = []
  let isDown = false
  const db = {
    query: async (_: string, [minuteS, tokens]: unknown[]) => {
      if (isDown) throw new Error('the store is down')
      stored.push([minuteS, tokens])
    },
  } as unknown as Db
  const marks = followMarks({ rpc: chain.rpc, db, clock, profile })
  const { signal } = new AbortController()
  const keep = () => marks.keepMinutes.run(signal)

  await keep()
  expect(stored).toEqual([])
  await marks.refresh()
  isDown = true
  await expect(keep()).rejects.toThrow('the store is down')
  isDown = false
  await keep()
  await keep()
  await clock.advance(60_000)
  await keep()
  expect(stored).toEqual([[MINUTE_S, [USDG.address]]])
  await marks.refresh()
  await keep()
  expect(stored.slice(1)).toEqual([[MINUTE_S + 60, [USDG.address]]])
})

it('drops a mark at the maximum age of fast mode', async () => {
  const clock = createManualClock(MINUTE_S * 1000)
  const chain = createScriptedChain({ startS: MINUTE_S, multicall3: NOWHERE })
  chain.onCall(() => word(BigInt(MINUTE_S)))
  const marks = followMarks({ rpc: chain.rpc, db: {} as Db, clock, profile })
  await marks.refresh()
  const mark = () => marks.mark(USDG.address as `0x${string}`)
  await clock.advance(FAST.markMaxAgeS * 1_000)
  expect(mark()).toMatchObject({ symbol: 'USDG' })
  await clock.advance(1)
  expect(mark()).toBeUndefined()
})

it('publishes each new round of a feed once', async () => {
  const clock = createManualClock(MINUTE_S * 1000)
  const chain = createScriptedChain({ startS: MINUTE_S, multicall3: NOWHERE })
  const feed = {
    address: `0x${'f'.repeat(40)}`,
    decimals: 8,
    heartbeat_s: 3_600,
    deviation_bps: 50,
    session: 'always',
  }
  const ETH = { ...USDG, symbol: 'ETH', address: `0x${'0'.repeat(40)}`, decimals: 18, native: true, feed }
  let round = 7n
  // latestRoundData: round, answer, started, updated, answered in.
  const answer = () =>
    `0x${[round, 2_500n * 10n ** 8n, 0n, BigInt(MINUTE_S), round].map((n) => word(n).slice(2)).join('')}` as const
  chain.onCall(({ to }) => (to === feed.address ? answer() : word(BigInt(MINUTE_S))))
  const marks = followMarks({
    rpc: chain.rpc,
    db: {} as Db,
    clock,
    profile: { ...profile, core_tokens: [ETH] } as unknown as ChainProfile,
  })
  const rounds: (bigint | undefined)[] = []
  const off = marks.onRounds((fresh) => rounds.push(...fresh.map(({ roundId }) => roundId)))
  await marks.refresh()
  await marks.refresh()
  expect(rounds).toEqual([7n])
  round = 9n
  await marks.refresh()
  expect(rounds).toEqual([7n, 9n])
  off()
  round = 10n
  await marks.refresh()
  expect(rounds).toEqual([7n, 9n])
})

it('reads at once after a change, and every ten seconds without one', async () => {
  const clock = createManualClock(MINUTE_S * 1000)
  const chain = createScriptedChain({ startS: MINUTE_S, multicall3: NOWHERE })
  chain.onCall(() => word(BigInt(MINUTE_S)))
  let calls = 0
  const rpc: typeof chain.rpc = {
    ...chain.rpc,
    request(method, params, options) {
      calls += 1
      return chain.rpc.request(method, params, options)
    },
  }
  let changes: number | null = 0
  const marks = followMarks({ ...{ rpc, db: {} as Db, clock, profile }, changes: () => changes })
  const { signal } = new AbortController()
  const readsIn = async (afterMs: number) => {
    const before = calls
    await clock.advance(afterMs)
    await marks.follow.run(signal)
    return calls - before > 0
  }
  expect(await readsIn(0)).toBe(true)
  expect(await readsIn(500)).toBe(false)
  changes = 1
  expect(await readsIn(500)).toBe(true)
  // The same responses count as read again: the state they show has not changed.
  expect(await readsIn(2_000)).toBe(false)
  expect(marks.mark(USDG.address as `0x${string}`)).toMatchObject({ readAtS: MINUTE_S + 3 })
  expect(await readsIn(6_000)).toBe(false)
  expect(await readsIn(2_000)).toBe(true)
  // Without followed blocks nothing is known to be unchanged.
  changes = null
  expect(await readsIn(500)).toBe(true)
})
