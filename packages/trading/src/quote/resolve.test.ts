import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { refusal } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { createResolver } from './resolve.ts'
import {
  at,
  ETH,
  JUNK,
  NVDA,
  openWorld,
  PARTNER,
  record,
  refused,
  USDG,
  usd,
  WETH,
} from './test/fakeWorld.ts'

const MIXED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const pair = (tokenIn: string, tokenOut: string) =>
  refused((async () => createResolver(openWorld().deps).readPair({ tokenIn, tokenOut }))())

describe('names', () => {
  it('are core symbols as they are written, or addresses of any token', async () => {
    expect(await pair('ETH', 'cbBTC')).toMatchObject({
      tokenIn: { address: ETH, core: { symbol: 'ETH' } },
      tokenOut: { core: { symbol: 'cbBTC' } },
    })
    expect(await pair(WETH, MIXED)).toMatchObject({
      tokenIn: { address: WETH, core: { symbol: 'WETH' } },
      tokenOut: { address: MIXED.toLowerCase(), core: null },
    })
    expect(await pair(ETH, USDG)).toMatchObject({ tokenIn: { core: { symbol: 'ETH' } } })
  })

  it.each([
    ['eth', 'USDG', ['TOKEN_NOT_ALLOWED', 'token_in']],
    ['ETH', 'CBBTC', ['TOKEN_NOT_ALLOWED', 'token_out']],
    ['ETH', 'PEPE', ['TOKEN_NOT_ALLOWED', 'token_out']],
    ['ETH', ' USDG', ['TOKEN_NOT_ALLOWED', 'token_out']],
    ['ETH', MIXED.replace('5aA', '5AA'), ['BAD_REQUEST', 'token_out']],
    [MIXED.replace('5aA', '5AA'), 'ETH', ['BAD_REQUEST', 'token_in']],
    ['0x12', 'ETH', ['BAD_REQUEST', 'token_in']],
    ['ETH', 'ETH', ['SAME_TOKEN', 'token_out']],
    ['USDG', USDG, ['SAME_TOKEN', 'token_out']],
    ['ETH', 'WETH', 'NO_ROUTE'],
    [WETH, ETH, 'NO_ROUTE'],
  ])('%s → %s is refused', async (tokenIn, tokenOut, answer) => {
    expect(await pair(tokenIn, tokenOut)).toEqual(answer)
  })

  it('of symbols that are not core are told which are, and where to look', () => {
    const { readPair } = createResolver(openWorld().deps)
    const said = (tokenOut: string) => {
      try {
        return readPair({ tokenIn: 'ETH', tokenOut })
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(said('PEPE')).toMatch(
      /^`token_out`: PEPE is no core symbol; they are ETH, .*USDG.*, and case matters\. .*GET tokens\?q=PEPE/,
    )
    expect(said('usdg')).toContain('case matters (USDG?)')
    for (const tokenOut of ['PEPE', 'usdg']) expect(said(tokenOut)).not.toMatch(/session/i)
    // Nobody's words but plain ones are said again.
    expect(said('<b>send all</b>')).toMatch(/^`token_out`: this is no core symbol/)
  })

  it('of ETH against WETH are told what to do instead', () => {
    const { readPair } = createResolver(openWorld().deps)
    expect(() => readPair({ tokenIn: 'WETH', tokenOut: 'ETH' })).toThrow(/wrap or unwrap directly/)
  })
})

describe('records', () => {
  const named = { address: JUNK, field: 'token_out', core: null } as const
  const read = (world: ReturnType<typeof openWorld>, changed: 'refuse' | 'screen again' = 'refuse') =>
    refused(createResolver(world.deps).readRecord(named, async () => {}, changed))

  it('of core assets are memory’s, made once a second', async () => {
    const world = openWorld()
    const resolver = createResolver(world.deps)
    const { tokenIn } = resolver.readPair({ tokenIn: 'ETH', tokenOut: 'USDG' })
    const get = () => resolver.readRecord(tokenIn, async () => {}, 'refuse')
    const first = await get()
    expect(await get()).toBe(first)
    world.time.nowMs += 1_000
    expect(await get()).not.toBe(first)
    world.time.nowMs -= 5_000
    await get()
    expect(world.asked).toEqual(['core ETH', 'core ETH', 'core ETH'])
  })

  it('of core assets that the registry does not have yet are said to be missing', async () => {
    const world = openWorld()
    world.deps.tokens.coreBySymbol = () => undefined
    const resolver = createResolver(world.deps)
    const { tokenIn } = resolver.readPair({ tokenIn: 'ETH', tokenOut: 'USDG' })
    const read = (async () => resolver.readRecord(tokenIn, async () => {}, 'refuse'))()
    expect(await refused(read)).toBe('REGISTRY_UNAVAILABLE')
  })

  it('of others are asked for, and whether their code is the one that was screened', async () => {
    const world = openWorld()
    world.records.set(JUNK, record(JUNK, { symbol: 'ABC' }))
    expect(await read(world)).toMatchObject({ symbol: 'ABC' })
    expect(world.asked.sort()).toEqual([`get ${JUNK}`, `unchanged ${JUNK}`])
  })

  it('of a changed token refuse a plan and not a quote', async () => {
    const assertUnchanged = async () => {
      throw refusal('TOKEN_CHANGED')
    }
    expect(await read(openWorld({ assertUnchanged }))).toBe('TOKEN_CHANGED')
    const world = openWorld({ assertUnchanged })
    expect(await read(world, 'screen again')).toMatchObject({ address: JUNK })
    expect(world.asked).toEqual([`get ${JUNK}`])
  })

  it.each([
    [refusal('NOT_A_TOKEN', { field: 'address' }), ['TOKEN_UNKNOWN', 'token_out']],
    [refusal('SCREEN_UNAVAILABLE'), 'SCREEN_UNAVAILABLE'],
    [refusal('RATE_LIMITED'), 'RATE_LIMITED'],
    [new RpcUnreachable('x'), 'RPC_UNAVAILABLE'],
    [new RpcError('eth_call', -32_000, 'x', null), 'RPC_UNAVAILABLE'],
    [Object.assign(new Error('terminating connection'), { code: '57P01' }), 'REGISTRY_UNAVAILABLE'],
  ])('that cannot be had: %s', async (error, answer) => {
    const world = openWorld()
    world.records.set(JUNK, error)
    expect(await read(world)).toEqual(answer)
  })

  it('that cannot say whether it is a stock are none', async () => {
    const world = openWorld()
    world.records.set(JUNK, record(JUNK, { stock_beacon: null }))
    expect(await read(world)).toBe('RPC_UNAVAILABLE')
  })

  it('pass on what is a defect', async () => {
    const world = openWorld()
    world.records.set(JUNK, new TypeError('a defect'))
    await expect(read(world)).rejects.toThrow('a defect')
  })
})

describe('an end of a trade', () => {
  it('says what it is, with its mark of now', () => {
    const world = openWorld()
    const { tokenOf, readPair } = createResolver(world.deps)
    const { tokenIn, tokenOut } = readPair({ tokenIn: 'NVDA', tokenOut: JUNK })
    world.marks.set(NVDA, usd(180))
    const stock = tokenOf(tokenIn, record(NVDA, { kind: 'core' }))
    expect(stock).toMatchObject({ address: NVDA, core: 'NVDA', symbol: 'NVDA', stock: true, decimals: 18 })
    expect(stock.mark?.priceE18).toBe(180n * 10n ** 18n)
    const junk = tokenOf(tokenOut, record(JUNK, { symbol: 'USDG', decimals: 3 }))
    expect(junk).toMatchObject({ core: null, symbol: 'USDG', stock: false, decimals: 3, mark: undefined })
    expect(tokenOf(tokenOut, record(JUNK, { kind: 'stock' })).stock).toBe(true)
    expect(tokenOf(tokenOut, record(JUNK, { stock_beacon: true })).stock).toBe(true)
    const plain = readPair({ tokenIn: 'PARTNER', tokenOut: at(0x77) })
    expect(tokenOf(plain.tokenIn, record(PARTNER)).stock).toBe(false)
  })
})
