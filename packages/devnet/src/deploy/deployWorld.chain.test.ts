import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DelegationManager, EIP7702StatelessDeleGator } from '@metamask/delegation-abis'
import { ChainProfile, checkWith } from '@pit/protocol'
import { type Address, type Hex, hashDomain, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { npmArtifact } from './npmArtifacts.ts'
import { loadWorld, saveWorld } from './world.ts'

let it: TestWorld
beforeAll(async () => {
  it = await openTestWorld()
})
afterAll(() => it?.chain.close())

const codeAt = (address: string) => it.chain.request<Hex>('eth_getCode', [address, 'latest'])
const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)'])

test('every address of the profile has code, and the profile matches its schema', async () => {
  const { profile } = it.world
  expect(checkWith(ChainProfile, profile)).toEqual({ ok: true })
  const pools = [profile.pins.partner_usdg!, ...Object.values(profile.pins.reference_pools).flat()]
  const addresses = [
    ...Object.entries(profile.contracts).filter(([name]) => !/_(hash|layout)$/.test(name)),
    ...Object.entries(profile.delegation.enforcers),
    ['manager', profile.delegation.delegation_manager],
    ['delegator', profile.delegation.stateless_delegator],
    ...profile.core_tokens.filter((token) => !token.native).map((token) => [token.symbol, token.address]),
    ...profile.listed_stocks.map((stock) => [stock.symbol, stock.address]),
    ...Object.entries(it.world.feeds).map(([symbol, feed]) => [`feed ${symbol}`, feed.address]),
    ...pools.map((pin) => ['pin', pin.version === 'v4' ? profile.contracts.v4_pool_manager : pin.address]),
  ]
  for (const [name, address] of addresses) {
    expect(address, name as string).toMatch(/^0x/)
    expect((await codeAt(address as string)).length, name as string).toBeGreaterThan(10)
  }
})

test('the Delegation Framework is at its canonical addresses', async () => {
  const { delegation_manager, stateless_delegator } = it.world.profile.delegation
  const manager = { to: delegation_manager as Address, abi: DelegationManager }
  expect(await it.read({ ...manager, functionName: 'VERSION' })).toBe('1.3.0')
  expect(await it.read({ ...manager, functionName: 'owner' })).toBe(it.accounts[0])
  expect(await it.read({ ...manager, functionName: 'getDomainHash' })).toBe(
    hashDomain({
      domain: {
        name: 'DelegationManager',
        version: '1',
        chainId: 4663n,
        verifyingContract: delegation_manager as Address,
      },
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
      },
    }),
  )
  const delegator = { to: stateless_delegator as Address, abi: EIP7702StatelessDeleGator }
  expect(await it.read({ ...delegator, functionName: 'VERSION' })).toBe('1.3.0')
  expect(await it.read({ ...delegator, functionName: 'delegationManager' })).toBe(delegation_manager)
})

test('the pinned pool has a half-hour TWAP from the first moment', async () => {
  const pin = it.world.profile.pins.partner_usdg!
  if (pin.version !== 'v3') throw new Error('pinned to a v3 pool')
  const { abi } = npmArtifact.v3Pool()
  const pool = { to: pin.address as Address, abi }
  const [ticks] = await it.read<[bigint[]]>({ ...pool, functionName: 'observe', args: [[1800, 900, 0]] })
  const mean = Number(ticks[2]! - ticks[0]!) / 1800
  const slot0 = await it.read<[bigint, number, number, number, number]>({ ...pool, functionName: 'slot0' })
  expect(Math.abs(mean - slot0[1])).toBeLessThan(200)
  expect(slot0[2], 'observations were written').toBeGreaterThan(15)
  expect(slot0[4], 'room for one a second').toBeGreaterThanOrEqual(2000)
  const sign = BigInt(it.core('PARTNER')) < BigInt(it.core('USDG')) ? 1 : -1
  expect(1.0001 ** (sign * mean) * 1e12).toBeCloseTo(0.8, 1)
})

test('each test account has its documented balances', async () => {
  for (const account of it.accounts) {
    const ether = BigInt(await it.chain.request<Hex>('eth_getBalance', [account, 'latest'])) / 10n ** 18n
    // And a creator's small share of the buys of its own launches.
    expect(ether).toBe(10_000n)
    const balance = (symbol: string) =>
      it.read<bigint>({ to: it.core(symbol), abi: erc20, functionName: 'balanceOf', args: [account] })
    expect((await balance('USDG')) / 10n ** 9n).toBe(1_000n)
    for (const symbol of ['WETH', 'cbBTC', 'PARTNER', 'NVDA', 'SPY'])
      expect(await balance(symbol)).toBeGreaterThan(0n)
  }
})

test('the long tail is long, and its venues exist', async () => {
  const { longTail } = it.world
  expect(longTail.length).toBeGreaterThanOrEqual(200)
  expect(new Set(longTail.map((token) => token.address)).size).toBe(longTail.length)
  for (const venue of ['v2', 'v3', 'v4', 'curve'] as const)
    expect(longTail.filter((token) => token.venues.includes(venue)).length).toBeGreaterThan(5)
  const curve = it.abi('Curve')
  for (const token of longTail.filter((row) => row.curve)) {
    const graduated = await it.read<boolean>({ to: token.curve!, abi: curve, functionName: 'graduated' })
    expect(graduated, token.symbol).toBe(token.graduated)
    const terms = await it.read<{ token: Address }>({ to: token.curve!, abi: curve, functionName: 'terms' })
    expect(terms.token).toBe(token.address)
    if (!graduated) continue
    const pool = await it.read<Address>({ to: token.curve!, abi: curve, functionName: 'pool' })
    const pair = token.pairs[0] === 'ETH' ? it.core('WETH') : it.core('USDG')
    expect(
      await it.read<bigint>({ to: pair, abi: erc20, functionName: 'balanceOf', args: [pool] }),
    ).toBeGreaterThan(0n)
  }
})

test('feeds are fresh and have earlier rounds', async () => {
  const abi = it.abi('OracleFeed')
  for (const [symbol, feed] of Object.entries(it.world.feeds)) {
    const latest = await it.read<[bigint, bigint, bigint, bigint, bigint]>({
      to: feed.address,
      abi,
      functionName: 'latestRoundData',
    })
    expect(latest[3], symbol).toBe(it.chain.head().timestampS)
    expect(latest[0]).toBeGreaterThan(1n)
    const first = await it.read<bigint[]>({ to: feed.address, abi, functionName: 'getRoundData', args: [1n] })
    expect(first[3]!).toBeLessThan(latest[3])
    expect(
      await it.revertOf({ to: feed.address, abi, functionName: 'getRoundData', args: [99n] }),
    ).toBeDefined()
  }
})

test('a saved world is the same world', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-world-'))
  saveWorld(join(folder, 'world.json'), it.world)
  expect(loadWorld(join(folder, 'world.json'))).toEqual(it.world)
  rmSync(folder, { recursive: true })
})

test('the same seed and genesis give the same chain, another seed another', async () => {
  const small = { longTail: 8, curves: 4, graduated: 1, historyS: 400 }
  const heads: string[] = []
  for (const seed of [1, 1, 2]) {
    const other = await openTestWorld({ ...small, seed })
    heads.push(other.chain.head().hash)
    await other.chain.close()
  }
  expect(heads[1]).toBe(heads[0])
  expect(heads[2]).not.toBe(heads[0])
})

test('the profile begins with the native coin', () => {
  expect(it.world.profile.core_tokens[0]!.address).toBe(zeroAddress)
})
