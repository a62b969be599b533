import { type Address, type Hex, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethKey, execute, type Step, sweep, v2Swap, v4Swap, wrap } from '../../test/router.ts'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { operate, upgradeToken } from './operate.ts'

let it: TestWorld
let router: Address
let wallet: Address
beforeAll(async () => {
  it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
  router = it.world.profile.contracts.universal_router as Address
  wallet = it.accounts[1]!
})
afterAll(() => it?.chain.close())

const erc20 = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
])
const permit2Abi = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
])
const specimen = (key: string): Address => it.world.gallery[key]!.address
const held = (token: Address, who = wallet) =>
  it.read<bigint>({ to: token, abi: erc20, functionName: 'balanceOf', args: [who] })
/** Too small to move any pool by more than a few basis points. */
const stake = 10n ** 16n

/** Buys with the stake; returns the amount received, or undefined if the swap reverts. */
async function buy(
  token: Address,
  venue: 'v2' | 'v4',
  hooks: Address = zeroAddress,
): Promise<bigint | undefined> {
  const before = await held(token)
  const swap: Step[] =
    venue === 'v2'
      ? [wrap(stake), v2Swap([it.core('WETH'), token], stake, false)]
      : [v4Swap(ethKey(token, 3000, hooks), true, stake)]
  const { status } = await it.send(execute(router, wallet, [...swap, sweep(token)], stake))
  return status === '0x1' ? (await held(token)) - before : undefined
}

/** Sells into its v2 pair; returns the WETH received, or undefined if the swap reverts. */
async function sell(token: Address, amount: bigint): Promise<bigint | undefined> {
  const permit2 = it.world.profile.contracts.permit2 as Address
  const weth = it.core('WETH')
  await it.must({ to: token, abi: erc20, functionName: 'approve', args: [permit2, amount] })
  const args = [token, router, amount, 2 ** 47]
  await it.must({ to: permit2, abi: permit2Abi, functionName: 'approve', args })
  const before = await held(weth)
  const { status } = await it.send(
    execute(router, wallet, [v2Swap([token, weth], amount, true), sweep(weth)]),
  )
  return status === '0x1' ? (await held(weth)) - before : undefined
}

/** Loss of a wallet-to-wallet transfer in basis points; undefined if it reverts. */
async function transferLossBps(token: Address, amount: bigint): Promise<bigint | undefined> {
  const other = it.accounts[2]!
  const before = await held(token, other)
  const { status } = await it.send({ to: token, abi: erc20, functionName: 'transfer', args: [other, amount] })
  if (status !== '0x1') return undefined
  return 10_000n - (((await held(token, other)) - before) * 10_000n + amount / 2n) / amount
}

/** The loss of a sale against selling the same into the good token's equal pool, in basis points. */
const lossBps = (got: bigint, fair: bigint) => Number(((fair - got) * 10_000n) / fair)

test('the good token can be bought, transferred and sold', async () => {
  const token = specimen('good')
  const got = (await buy(token, 'v2'))!
  expect(got).toBeGreaterThan(90n * 10n ** 18n)
  expect(await transferLossBps(token, got / 10n)).toBe(0n)
  expect((await sell(token, got / 2n))!).toBeGreaterThan((45n * stake) / 100n)
})

test('the honeypot can be bought and transferred, not sold', async () => {
  const token = specimen('honeypot')
  const got = (await buy(token, 'v2'))!
  expect(await transferLossBps(token, got / 10n)).toBe(0n)
  expect(await sell(token, got / 2n)).toBeUndefined()
})

test('the blocked one can be bought and sold, not transferred', async () => {
  const token = specimen('transfer_blocked')
  const got = (await buy(token, 'v2'))!
  expect(got).toBeGreaterThan(90n * 10n ** 18n)
  expect(await transferLossBps(token, got / 10n)).toBeUndefined()
  expect(await sell(token, got / 2n)).toBeGreaterThan((45n * stake) / 100n)
})

test('taxes match the labels', async () => {
  const fairBuy = (await buy(specimen('good'), 'v2'))!
  const amount = fairBuy / 2n
  const fairSell = (await sell(specimen('good'), amount))!
  const bought = {
    sell_taxed: (await buy(specimen('sell_taxed'), 'v2'))!,
    buy_taxed: (await buy(specimen('buy_taxed'), 'v2'))!,
    fee_on_transfer: (await buy(specimen('fee_on_transfer'), 'v2'))!,
  }
  expect(lossBps(bought.sell_taxed, fairBuy)).toBeLessThan(40)
  expect(Math.abs(lossBps(bought.buy_taxed, fairBuy) - 500)).toBeLessThan(40)
  // Out of the pool and out of the router: twice three percent.
  expect(Math.abs(lossBps(bought.fee_on_transfer, fairBuy) - 591)).toBeLessThan(40)
  expect(Math.abs(lossBps((await sell(specimen('sell_taxed'), amount))!, fairSell) - 2_500)).toBeLessThan(40)
  expect(lossBps((await sell(specimen('buy_taxed'), amount))!, fairSell)).toBeLessThan(40)
  expect(Math.abs(lossBps((await sell(specimen('fee_on_transfer'), amount))!, fairSell) - 300)).toBeLessThan(
    40,
  )
  expect(await transferLossBps(specimen('fee_on_transfer'), 10n ** 18n)).toBe(300n)
  expect(await transferLossBps(specimen('sell_taxed'), 10n ** 18n)).toBe(0n)
})

test('owners pause, block, mint and rebase', async () => {
  const act = (contract: string, key: string, functionName: string, args: unknown[] = []) =>
    operate(it.chain, it.world, [{ contract, target: specimen(key), functionName, args }])
  for (const key of ['pausable', 'blacklist', 'mintable'])
    expect(await buy(specimen(key), 'v4')).toBeGreaterThan(0n)

  await act('Pausable', 'pausable', 'pause')
  expect(await buy(specimen('pausable'), 'v4')).toBeUndefined()
  await act('Pausable', 'pausable', 'unpause')
  expect(await buy(specimen('pausable'), 'v4')).toBeGreaterThan(0n)
  expect(await buy(specimen('paused'), 'v4')).toBeUndefined()

  await act('Blacklist', 'blacklist', 'blacklist', [wallet])
  expect(await transferLossBps(specimen('blacklist'), 1n)).toBeUndefined()

  const supply = () => it.read<bigint>({ to: specimen('mintable'), abi: erc20, functionName: 'totalSupply' })
  const before = await supply()
  await act('MintableByOwner', 'mintable', 'mint', [wallet, 5n])
  expect(await supply()).toBe(before + 5n)

  expect(await buy(specimen('rebasing'), 'v2')).toBeGreaterThan(0n)
  const balance = await held(specimen('rebasing'))
  await act('Rebasing', 'rebasing', 'rebase', [2n * 10n ** 18n])
  expect(await held(specimen('rebasing'))).toBe(balance * 2n)

  const stranger = { from: it.accounts[3]!, to: specimen('mintable'), abi: it.abi('MintableByOwner') }
  expect(await it.revertOf({ ...stranger, functionName: 'mint', args: [wallet, 1n] })).toBeDefined()
})

test('the upgradeable token turns on its holders, and back', async () => {
  const token = specimen('upgradeable')
  const fairBuy = (await buy(token, 'v2'))!
  const fair = (await sell(token, fairBuy / 4n))!
  expect(await upgradeToken(it.chain, it.world, token)).toBe(it.world.upgradeable.second)
  expect(lossBps((await sell(token, fairBuy / 4n))!, fair)).toBeGreaterThan(2_950)
  expect(await upgradeToken(it.chain, it.world, token)).toBe(it.world.upgradeable.first)
  expect(lossBps((await sell(token, fairBuy / 4n))!, fair)).toBeLessThan(40)
})

test('the unknown hook skims, the token without a route has none, the rest is not a token', async () => {
  const plain = (await buy(specimen('impersonator'), 'v4'))!
  const hooked = (await buy(specimen('unknown_hook'), 'v4', it.world.hooks.skimming))!
  expect(Math.abs(lossBps(hooked, plain) - 500)).toBeLessThanOrEqual(1)
  expect(await buy(specimen('unknown_hook'), 'v4')).toBeUndefined()
  expect(await buy(specimen('no_route'), 'v4')).toBeUndefined()
  expect(await it.read({ to: specimen('impersonator'), abi: erc20, functionName: 'symbol' })).toBe('USDG')
  for (const functionName of ['symbol', 'decimals', 'totalSupply'])
    expect(await it.revertOf({ to: specimen('not_a_token'), abi: erc20, functionName })).toBeDefined()
})

test('odd metadata matches the labels', async () => {
  const text = (key: string, functionName: 'name' | 'symbol') =>
    it.read<string>({ to: specimen(key), abi: erc20, functionName })
  expect(await text('script_name', 'name')).toBe('<script>alert("pit")</script>')
  expect(await text('long_symbol', 'symbol')).toHaveLength(300)
  expect(await text('control_name', 'name')).toMatch(/\u0000.*\u202e/)
  const raw = (key: string, selector: Hex, gas = '0xf00000') =>
    it.chain.request<Hex>('eth_call', [{ to: specimen(key), data: selector, gas }, 'latest'])
  expect((await raw('bytes32_symbol', '0x95d89b41')).length).toBe(2 + 64)
  expect((await raw('megabytes', '0x06fdde03', '0xe00000')).length).toBeGreaterThan(4_000_000)
  expect(
    await it.revertOf({ to: specimen('reverting_decimals'), abi: erc20, functionName: 'decimals' }),
  ).toBeDefined()
  await expect(raw('gas_burner', '0x95d89b41')).rejects.toThrow()
  expect(await held(specimen('lying_balance'), it.accounts[4]!)).toBe(1_000_000n * 10n ** 18n)
  const lie = { to: specimen('lying_balance'), abi: erc20, functionName: 'transfer', args: [wallet, 1n] }
  expect(await it.revertOf({ ...lie, from: it.accounts[4]! })).toBeDefined()
  for (const key of [
    'script_name',
    'long_symbol',
    'bytes32_symbol',
    'reverting_decimals',
    'control_name',
    'megabytes',
  ])
    expect(await buy(specimen(key), 'v4'), key).toBeGreaterThan(0n)
})

test('every specimen has a distinct label', () => {
  const wrongs = Object.values(it.world.gallery).map((row) => row.wrong)
  expect(new Set(wrongs).size).toBe(wrongs.length)
  expect(wrongs.length).toBeGreaterThanOrEqual(24)
})
