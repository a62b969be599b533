import { type Address, aggregatorV3Abi, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { COSIGNER } from '@pit/protocol'
import { decodeFunctionData, encodeFunctionResult, numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { E18, JUNK, NOW_S, PROFILE, STOCK, USDG, WETH } from '../../test/kit.ts'
import { followPrices } from './followPrices.ts'

const ETH_FEED = PROFILE.core_tokens[0]!.feed!.address
const STOCK_FEED = PROFILE.listed_stocks[0]!.feed!.address
type Rounds = Record<string, { price: bigint; updatedAtS: number }>

/** A node with these feed rounds; `silent` makes it fail. */
function node(rounds: Rounds) {
  const state = { silent: false, rounds, timestampS: NOW_S, frozen: false }
  const rpc = rpcOf(async (method, params) => {
    if (state.silent) throw new Error('no answer')
    if (method === 'eth_blockNumber') return '0x1'
    if (method === 'eth_getBlockByNumber') return { baseFeePerGas: '0x989680' }
    const [{ data }] = params as [{ data: Hex }]
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    const [calls] = args as unknown as [{ target: Address; callData: Hex }[]]
    const result = calls.map(({ target, callData }) => {
      if (target === PROFILE.contracts.multicall3 && callData !== '0x') {
        return { success: true, returnData: numberToHex(state.timestampS, { size: 32 }) }
      }
      if (target.toLowerCase() === STOCK) {
        return { success: true, returnData: numberToHex(state.frozen ? 1 : 0, { size: 32 }) }
      }
      const round = state.rounds[target.toLowerCase()]
      if (!round) return { success: false, returnData: '0x' as Hex }
      const values = [1n, round.price, 0n, BigInt(round.updatedAtS), 1n] as const
      const returnData = encodeFunctionResult({
        abi: aggregatorV3Abi,
        functionName: 'latestRoundData',
        result: values,
      })
      return { success: true, returnData }
    })
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
  })
  return { state, rpc }
}

async function follow(rounds: Rounds, stockSession = (): boolean => true, maxHeadAgeS?: number) {
  const time = { nowMs: NOW_S * 1000, monotonicMs: 5_000 }
  const { state, rpc } = node(rounds)
  const prices = followPrices({
    rpc,
    clock: { nowMs: () => time.nowMs },
    monotonicMs: () => time.monotonicMs,
    profile: PROFILE,
    stockSession,
    ...(maxHeadAgeS !== undefined && { maxHeadAgeS }),
  })
  await prices.read()
  return { time, state, prices }
}
const fresh = { [ETH_FEED]: { price: 250_000_000_000n, updatedAtS: NOW_S - 60 } }

describe('the last price', () => {
  const rounds = { ...fresh, [STOCK_FEED]: { price: 20_000_000_000n, updatedAtS: NOW_S - 60 } }

  it('is that of the last valid reading, also once the market closed', async () => {
    let isOpen = true
    const { prices, state, time } = await follow(rounds, () => isOpen)
    expect(prices.headS()).toBe(NOW_S)
    expect(prices.last(STOCK)).toEqual({ priceE18: 200n * E18, atMs: NOW_S * 1000, isClosed: false })
    expect(prices.last(JUNK)).toBeNull()
    isOpen = false
    await prices.read()
    expect(prices.last(STOCK)).toMatchObject({ isClosed: true })
    isOpen = true
    time.nowMs += 5_000
    state.frozen = true
    await prices.read()
    expect(prices.last(STOCK)).toEqual({ priceE18: 200n * E18, atMs: NOW_S * 1000, isClosed: false })
  })
})

describe('the co-signer’s own prices', () => {
  it('are the feeds’, a dollar for USDG, and missing for tokens without a feed', async () => {
    const { prices: own } = await follow(fresh)
    expect(own.own(NATIVE)).toEqual({ kind: 'fresh', priceE18: 2_500n * E18, by: 'feed' })
    expect(own.own(WETH)).toEqual({ kind: 'fresh', priceE18: 2_500n * E18, by: 'feed' })
    expect(own.own(USDG)).toEqual({ kind: 'fresh', priceE18: E18, by: 'feed' })
    expect(own.own(JUNK)).toEqual({ kind: 'feedless' })
    // A feed that does not answer is not replaced by the owner's mark.
    expect(own.own(STOCK)).toEqual({ kind: 'none', why: 'the feed reverts' })
  })

  it('do not count past the feed’s heartbeat', async () => {
    const old = { [ETH_FEED]: { price: 1n, updatedAtS: NOW_S - 3_601 } }
    const { prices: own } = await follow(old)
    expect(own.own(NATIVE)).toMatchObject({ kind: 'none' })
    expect(own.isChainRead()).toBe(true)
  })

  it('of stocks count in their session only', async () => {
    const stock = { [STOCK_FEED]: { price: 20_000_000_000n, updatedAtS: NOW_S - 60 } }
    expect((await follow(stock)).prices.own(STOCK)).toEqual({
      kind: 'fresh',
      priceE18: 200n * E18,
      by: 'feed',
    })
    const closed = await follow(stock, () => false)
    expect(closed.prices.own(STOCK)).toMatchObject({ kind: 'none' })
  })

  it('do not count while the issuer paused the feed', async () => {
    const stock = { [STOCK_FEED]: { price: 20_000_000_000n, updatedAtS: NOW_S - 60 } }
    const { state, prices } = await follow(stock)
    state.frozen = true
    await prices.read()
    expect(prices.own(STOCK)).toEqual({ kind: 'none', why: 'its issuer paused its feed' })
    state.frozen = false
    await prices.read()
    expect(prices.own(STOCK)).toMatchObject({ kind: 'fresh' })
  })

  it('do not outlive the node’s silence, and come back with it', async () => {
    const { time, state, prices: own } = await follow(fresh)
    state.silent = true
    await expect(own.read()).rejects.toThrow('no answer')
    time.monotonicMs += COSIGNER.maxReadingAgeS * 1000
    // A clock that is set back does not make a reading fresh again.
    time.nowMs -= 3_600_000
    expect(own.own(NATIVE).kind).toBe('fresh')
    time.monotonicMs += 1
    expect(own.isChainRead()).toBe(false)
    expect(own.own(NATIVE)).toMatchObject({ kind: 'none' })
    expect(own.own(USDG)).toMatchObject({ kind: 'none' })
    expect(own.own(JUNK)).toEqual({ kind: 'feedless' })
    state.silent = false
    time.nowMs += 3_600_000
    await own.read()
    expect(own.own(NATIVE).kind).toBe('fresh')
  })

  it('do not count while the node stands still, however readily it answers', async () => {
    const { time, state, prices: own } = await follow(fresh)
    expect(own.baseFeeWei()).toBe(10_000_000n)
    time.nowMs += COSIGNER.maxHeadAgeS * 1000 + 1
    await own.read()
    expect(own.isChainRead()).toBe(false)
    state.timestampS += COSIGNER.maxHeadAgeS
    await own.read()
    expect(own.isChainRead()).toBe(true)
  })

  it('count on a chain without blocks for as long as its operator says', async () => {
    const { time, prices: own } = await follow(fresh, undefined, 900)
    time.nowMs += 900_000
    expect(own.isChainRead()).toBe(true)
    time.nowMs += 1
    expect(own.isChainRead()).toBe(false)
  })

  it('do not count while this clock is behind the chain’s: old feeds would seem young', async () => {
    const { time, state, prices: own } = await follow(fresh)
    state.timestampS += 121
    await expect(own.read()).rejects.toThrow('from the future')
    time.monotonicMs += COSIGNER.maxReadingAgeS * 1000 + 1
    expect(own.isChainRead()).toBe(false)
    // A wrong block does not become the head: later correct blocks count.
    state.timestampS -= 1
    await own.read()
    expect(own.isChainRead()).toBe(true)
  })

  it('do not follow a node that goes back', async () => {
    const { time, state, prices: own } = await follow(fresh)
    state.timestampS -= 1
    state.rounds = { [ETH_FEED]: { price: 1n, updatedAtS: NOW_S } }
    await expect(own.read()).rejects.toThrow('back in time')
    expect(own.own(NATIVE)).toEqual({ kind: 'fresh', priceE18: 2_500n * E18, by: 'feed' })
    time.monotonicMs += COSIGNER.maxReadingAgeS * 1000 + 1
    expect(own.isChainRead()).toBe(false)
  })

  it('start without a node and report it', async () => {
    const { rpc, state } = node({})
    state.silent = true
    const prices = followPrices({ rpc, clock: { nowMs: () => NOW_S * 1000 }, profile: PROFILE })
    await expect(prices.read()).rejects.toThrow('no answer')
    expect(prices.isChainRead()).toBe(false)
    expect(prices.unpriced()).toBeGreaterThan(0)
  })
})
