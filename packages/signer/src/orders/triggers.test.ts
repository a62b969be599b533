import { NATIVE, type Trigger } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { describe, expect, it } from 'vitest'
import { word, words } from '../../test/controlKit.ts'
import { E18, NOW_S, PARTNER, PROFILE, STOCK, USDG } from '../../test/kit.ts'
import { createTriggerReader } from './readTrigger.ts'
import { type TriggerReading, type TriggerRound, triggerFault } from './triggers.ts'

const trigger = (kind: Trigger['kind'], change: Partial<Trigger> = {}): Trigger => ({
  kind,
  token: NATIVE,
  priceE18: kind === 'trailing' ? 0n : 100n,
  trailBps: kind === 'trailing' ? 1_000 : 0,
  ...change,
})
const rounds = (...read: (TriggerRound | null)[]): TriggerReading => ({ kind: 'rounds', rounds: read })
const round = (priceE18: bigint, after = 1, change: Partial<TriggerRound> = {}): TriggerRound => ({
  priceE18,
  updatedAtS: NOW_S + after,
  isPaused: false,
  isBeforeMultiplier: false,
  ...change,
})

describe('a trigger', () => {
  const [below, above, trailing] = [trigger('at_or_below'), trigger('at_or_above'), trigger('trailing')]
  it.each<[string, Trigger, TriggerReading, boolean]>([
    ['none', trigger('none', { priceE18: 0n }), { kind: 'unread' }, true],
    ['below: at', below, rounds(round(100n)), true],
    ['below: above', below, rounds(round(101n)), false],
    ['above: at', above, rounds(round(100n)), true],
    ['above: below', above, rounds(round(99n)), false],
    ['unread', below, { kind: 'unread' }, false],
    ['no round', below, rounds(), false],
    ['a missing round', below, rounds(null), false],
    ['too many rounds', below, rounds(round(1n), round(1n, 2)), false],
    ['a round of the registration’s second', below, rounds(round(1n, 0)), false],
    ['a round from the future', below, rounds(round(1n, 200)), false],
    ['a round of a paused feed', below, rounds(round(1n, 1, { isPaused: true })), false],
    ['a round whose block is gone', below, rounds(round(1n, 1, { isPaused: null })), false],
    ['a round before a multiplier', below, rounds(round(1n, 1, { isBeforeMultiplier: true })), false],
    [
      'trailing: a peak of a paused feed',
      trailing,
      rounds(round(1_000n, 1, { isPaused: true }), round(900n, 2)),
      false,
    ],
    ['trailing: exactly', trailing, rounds(round(1_000n), round(900n, 2)), true],
    ['trailing: not that far', trailing, rounds(round(1_000n), round(901n, 2)), false],
    ['trailing: one round', trailing, rounds(round(900n)), false],
    ['trailing: wrong order', trailing, rounds(round(1_000n, 2), round(900n, 1)), false],
    ['trailing: the same time', trailing, rounds(round(1_000n, 2), round(900n, 2)), false],
    ['trailing: an old peak', trailing, rounds(round(1_000n, 0), round(900n, 2)), false],
    ['a mean', below, { kind: 'mean', priceE18: 100n }, true],
    ['a mean above', below, { kind: 'mean', priceE18: 101n }, false],
    ['no mean', below, { kind: 'mean', priceE18: null }, false],
    ['trailing a mean', trailing, { kind: 'mean', priceE18: 1n }, false],
  ])('%s', (_, one, reading, isMet) => {
    const fault = triggerFault(one, reading, { sinceMs: NOW_S * 1000, nowMs: (NOW_S + 10) * 1000 })
    expect(fault === null).toBe(isMet)
  })

  it('counts nothing before its start or its entry’s first fill', () => {
    const at = (sinceMs: number | null, reading: TriggerReading) =>
      triggerFault(below, reading, { sinceMs, nowMs: (NOW_S + 10) * 1000 })?.message
    expect(at(null, rounds(round(1n)))).toBe('The order’s entry has no settled fill.')
    expect(at((NOW_S + 5) * 1000 + 1, rounds(round(1n, 5)))).toMatch('not later than')
    expect(at((NOW_S + 5) * 1000 - 1, rounds(round(1n, 5)))).toBeUndefined()
    const mean = { kind: 'mean', priceE18: 1n } as const
    expect([at((NOW_S + 10) * 1000, mean), at((NOW_S + 10) * 1000 - 1, mean)]).toEqual([
      'The order has not started.',
      undefined,
    ])
  })
})

describe('the reading', () => {
  const E8 = 10n ** 8n
  /** The feed makes round 3 in block 50 and round 4 in block 80 of 100. */
  type State = {
    pausedFrom?: number
    pausedTo?: number
    multiplier?: bigint[]
    at?: number
    isDown?: boolean
    isCarried?: boolean
    stateFrom?: number
  }
  const readerOf = (state: State = {}) => {
    const { pausedFrom = 0, pausedTo = 0, multiplier = [E18, 0n, 0n], at = NOW_S, stateFrom = 0 } = state
    return createTriggerReader({
      profile: PROFILE,
      prices: {
        own: () => ({ kind: 'fresh', priceE18: 5n, by: 'mean' }),
        headS: () => NOW_S + 100,
      },
      rpc: rpcOf(async (method, [call, tag]) => {
        if (state.isDown) throw new Error('no answer')
        if (method === 'eth_blockNumber') return '0x64'
        const { to, data } = call as { to: string; data: string }
        const block = tag === 'latest' ? 100 : Number(tag)
        if (block < stateFrom) throw new RpcError('eth_call', -32_000, 'missing trie node', undefined)
        if (to === STOCK) {
          const index = ['0xa60bf13d', '0xdc767007', '0x97a4064f'].indexOf(data)
          return word(index < 0 ? (block >= pausedFrom && block < pausedTo ? 1 : 0) : multiplier[index]!)
        }
        const newest = block >= 80 ? 4n : block >= 50 ? 3n : 2n
        const id = data.length > 10 ? BigInt(`0x${data.slice(10)}`) : newest
        if (id > newest) throw new RpcError('eth_call', 3, 'execution reverted', undefined)
        return words(id, 42n * E8, at, at, state.isCarried ? id - 1n : id)
      }),
    })
  }
  const ofStock = trigger('at_or_below', { token: STOCK })

  it('knows which tokens can trigger', () => {
    const { kindOf } = readerOf()
    expect([NATIVE, STOCK, PARTNER, USDG].map(kindOf)).toEqual(['rounds', 'rounds', 'mean', null])
  })
  it('has rounds with 18 decimals, and none for those that are missing or carried over', async () => {
    expect(await readerOf().read(trigger('at_or_below'), [3n, 10n])).toEqual(
      rounds(round(42n * E18, 0), null),
    )
    expect(await readerOf({ isCarried: true }).read(trigger('at_or_below'), [3n])).toEqual(rounds(null))
  })
  const effective = (atS: number) => [E18, 2n * E18, BigInt(atS)]
  it.each<[string, State, Partial<TriggerRound>]>([
    ['a stock', {}, {}],
    ['a pause that began after the round', { pausedFrom: 51, pausedTo: 101 }, { isPaused: false }],
    ['a pause that ended since the round', { pausedFrom: 40, pausedTo: 60 }, { isPaused: true }],
    ['a pause that ended before the round', { pausedFrom: 40, pausedTo: 50 }, { isPaused: false }],
    ['a node that keeps the round’s block and the one before', { stateFrom: 49 }, { isPaused: false }],
    ['a node that no longer has the block before the round', { stateFrom: 50 }, { isPaused: null }],
    ['a multiplier after the round', { multiplier: effective(NOW_S + 50) }, { isBeforeMultiplier: true }],
    ['a multiplier before the round', { multiplier: effective(NOW_S), at: NOW_S }, {}],
    ['a future multiplier', { multiplier: effective(NOW_S + 101) }, {}],
  ])('judges the round’s time: %s', async (_, state, change) => {
    const reading = await readerOf(state).read(ofStock, [3n])
    expect(reading).toEqual(rounds(round(42n * E18, 0, change)))
  })
  it('is unread without a multiplier', async () => {
    expect(await readerOf({ multiplier: [0n, 0n, 0n] }).read(ofStock, [3n])).toEqual({ kind: 'unread' })
  })
  it('is the mean of a token without rounds, and unread otherwise', async () => {
    expect(await readerOf().read(trigger('at_or_below', { token: PARTNER }), [])).toEqual({
      kind: 'mean',
      priceE18: 5n,
    })
    expect(await readerOf().read(trigger('at_or_below', { token: USDG }), [])).toEqual({ kind: 'unread' })
    expect(await readerOf({ isDown: true }).read(ofStock, [1n])).toEqual({ kind: 'unread' })
  })
})
