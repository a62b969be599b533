import { type FeedRound, NATIVE, type Trigger } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { describe, expect, it } from 'vitest'
import { word, words } from '../../test/controlKit.ts'
import { E18, NOW_S, PARTNER, PROFILE, STOCK, USDG } from '../../test/kit.ts'
import { createTriggerReader } from './readTrigger.ts'
import { type TriggerReading, triggerFault } from './triggers.ts'

const trigger = (kind: Trigger['kind'], change: Partial<Trigger> = {}): Trigger => ({
  kind,
  token: NATIVE,
  priceE18: kind === 'trailing' ? 0n : 100n,
  trailBps: kind === 'trailing' ? 1_000 : 0,
  ...change,
})
const rounds = (...read: (FeedRound | null)[]): TriggerReading => ({
  kind: 'rounds',
  rounds: read,
  isPaused: false,
  isBetweenMultipliers: false,
})
const round = (priceE18: bigint, after = 1): FeedRound => ({ priceE18, updatedAtS: NOW_S + after })

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
    ['a paused feed', below, { ...rounds(round(1n)), isPaused: true } as TriggerReading, false],
    [
      'between multipliers',
      below,
      { ...rounds(round(1n)), isBetweenMultipliers: true } as TriggerReading,
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
    const fault = triggerFault(one, reading, { registeredAtMs: NOW_S * 1000, nowS: NOW_S + 10 })
    expect(fault === null).toBe(isMet)
  })
})

describe('the reading', () => {
  const E8 = 10n ** 8n
  type State = { paused?: bigint; multiplier?: bigint[]; latest?: number; isDown?: boolean; stale?: boolean }
  const readerOf = ({ paused = 0n, multiplier = [E18, 0n, 0n], latest = NOW_S, isDown, stale }: State = {}) =>
    createTriggerReader({
      profile: PROFILE,
      prices: {
        own: () => ({ kind: 'fresh', priceE18: 5n, by: 'mean' }),
        headS: () => NOW_S + 100,
      },
      rpc: rpcOf(async (_, [call]) => {
        if (isDown) throw new Error('no answer')
        const { to, data } = call as { to: string; data: string }
        if (to === STOCK) {
          const index = ['0xa60bf13d', '0xdc767007', '0x97a4064f'].indexOf(data)
          return word(index < 0 ? paused : multiplier[index]!)
        }
        const id = data.length > 10 ? BigInt(`0x${data.slice(10)}`) : 9n
        if (id > 9n) throw new RpcError('eth_call', 3, 'execution reverted', undefined)
        return words(id, 42n * E8, latest, latest, stale ? id - 1n : id)
      }),
    })
  const ofStock = trigger('at_or_below', { token: STOCK })

  it('knows which tokens can trigger', () => {
    const { kindOf } = readerOf()
    expect([NATIVE, STOCK, PARTNER, USDG].map(kindOf)).toEqual(['rounds', 'rounds', 'mean', null])
  })
  it('has rounds with 18 decimals, and none for those that are missing or carried over', async () => {
    expect(await readerOf().read(trigger('at_or_below'), [3n, 10n])).toEqual(
      rounds({ priceE18: 42n * E18, updatedAtS: NOW_S }, null),
    )
    expect(await readerOf({ stale: true }).read(trigger('at_or_below'), [3n])).toEqual(rounds(null))
  })
  it.each<[string, State, Partial<TriggerReading>]>([
    ['a stock', {}, { isPaused: false, isBetweenMultipliers: false }],
    ['a paused stock', { paused: 1n }, { isPaused: true }],
    [
      'a new multiplier without a round',
      { multiplier: [E18, 2n * E18, BigInt(NOW_S + 50)] },
      { isBetweenMultipliers: true },
    ],
    [
      'a new multiplier with a round',
      { multiplier: [E18, 2n * E18, BigInt(NOW_S + 50)], latest: NOW_S + 50 },
      { isBetweenMultipliers: false },
    ],
    [
      'a future multiplier',
      { multiplier: [E18, 2n * E18, BigInt(NOW_S + 101)] },
      { isBetweenMultipliers: false },
    ],
    ['an unreadable multiplier', { multiplier: [0n, 0n, 0n] }, { kind: 'unread' }],
  ])('%s', async (_, state, reading) => {
    expect(await readerOf(state).read(ofStock, [1n])).toMatchObject(reading)
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
