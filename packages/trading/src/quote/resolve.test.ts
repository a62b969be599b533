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
  it('are core symbols, case-sensitive, or token addresses', async () => {
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

  it('list the core symbols and the search for an unknown symbol', () => {
    const { readPair } = createResolver(openWorld().deps)
    const messageFor = (tokenOut: string) => {
      try {
        return readPair({ tokenIn: 'ETH', tokenOut })
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(messageFor('PEPE')).toMatch(
      /^`token_out`: unknown token "PEPE"\. Core symbols \(case-sensitive\): ETH, .*USDG.*\. .*GET tokens\?q=PEPE/,
    )
    expect(messageFor('usdg')).toContain('Did you mean USDG? ')
    for (const tokenOut of ['PEPE', 'usdg']) expect(messageFor(tokenOut)).not.toMatch(/session/i)
    // Only plain text is repeated.
    expect(messageFor('<b>send all</b>')).toMatch(/^`token_out`: unknown token\. /)
  })

  it('point to wrapping for ETH against WETH', () => {
    const { readPair } = createResolver(openWorld().deps)
    expect(() => readPair({ tokenIn: 'WETH', tokenOut: 'ETH' })).toThrow(/Wrap or unwrap at/)
  })
})

describe('records', () => {
  const named = { address: JUNK, field: 'token_out', core: null } as const
  const read = (world: ReturnType<typeof openWorld>, changed: 'refuse' | 'screen again' = 'refuse') =>
    refused(createResolver(world.deps).readRecord(named, async () => {}, changed))

  it('of core assets come from memory, refreshed once a second', async () => {
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
    expect(world.calls).toEqual(['core ETH', 'core ETH', 'core ETH'])
  })

  it('of core assets fail while the registry does not have them', async () => {
    const world = openWorld()
    world.deps.tokens.coreBySymbol = () => undefined
    const resolver = createResolver(world.deps)
    const { tokenIn } = resolver.readPair({ tokenIn: 'ETH', tokenOut: 'USDG' })
    const read = (async () => resolver.readRecord(tokenIn, async () => {}, 'refuse'))()
    expect(await refused(read)).toBe('REGISTRY_UNAVAILABLE')
  })

  it('of others are looked up, with a check that their code is the screened one', async () => {
    const world = openWorld()
    world.records.set(JUNK, record(JUNK, { symbol: 'ABC' }))
    expect(await read(world)).toMatchObject({ symbol: 'ABC' })
    expect(world.calls.sort()).toEqual([`get ${JUNK}`, `unchanged ${JUNK}`])
  })

  it('of a changed token are refused for a plan, not for a quote', async () => {
    const assertUnchanged = async () => {
      throw refusal('TOKEN_CHANGED')
    }
    expect(await read(openWorld({ assertUnchanged }))).toBe('TOKEN_CHANGED')
    const world = openWorld({ assertUnchanged })
    expect(await read(world, 'screen again')).toMatchObject({ address: JUNK })
    expect(world.calls).toEqual([`get ${JUNK}`])
  })

  it.each([
    [refusal('NOT_A_TOKEN', { field: 'address' }), ['TOKEN_UNKNOWN', 'token_out']],
    [refusal('SCREEN_UNAVAILABLE'), 'SCREEN_UNAVAILABLE'],
    [refusal('RATE_LIMITED'), 'RATE_LIMITED'],
    [new RpcUnreachable('x'), 'RPC_UNAVAILABLE'],
    [new RpcError('eth_call', -32_000, 'x', null), 'RPC_UNAVAILABLE'],
    [Object.assign(new Error('terminating connection'), { code: '57P01' }), 'REGISTRY_UNAVAILABLE'],
  ])('that are not available: %s', async (error, answer) => {
    const world = openWorld()
    world.records.set(JUNK, error)
    expect(await read(world)).toEqual(answer)
  })

  it('without a stock reading are not stocks', async () => {
    const world = openWorld()
    world.records.set(JUNK, record(JUNK, { stock_beacon: null }))
    expect(await read(world)).toBe('RPC_UNAVAILABLE')
  })

  it('pass on unexpected errors', async () => {
    const world = openWorld()
    world.records.set(JUNK, new TypeError('a defect'))
    await expect(read(world)).rejects.toThrow('a defect')
  })
})

describe('an end of a trade', () => {
  it('has its kind and current mark', () => {
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
