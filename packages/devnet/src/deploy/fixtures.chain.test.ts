import { type Address, type Hex, maxUint256, parseAbi, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { publicAccounts } from '../engine/accounts.ts'
import { announceMultiplier, blockWallet, launch, pauseStock, setFeed } from './operate.ts'

let it: TestWorld
beforeAll(async () => {
  it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
})
afterAll(() => it?.chain.close())

const erc20 = parseAbi([
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
  'function transfer(address, uint256) returns (bool)',
  'function transferFrom(address, address, uint256) returns (bool)',
  'function mint(address, uint256)',
])

describe('core tokens', () => {
  test('match the profile', async () => {
    for (const token of it.world.profile.core_tokens.filter((row) => !row.native)) {
      const to = token.address as Address
      expect(await it.read({ to, abi: erc20, functionName: 'symbol' })).toBe(token.symbol)
      expect(await it.read({ to, abi: erc20, functionName: 'decimals' })).toBe(token.decimals)
    }
  })

  test('only the issuer mints', async () => {
    for (const symbol of ['USDG', 'cbBTC', 'PARTNER', 'NVDA'])
      for (const from of it.accounts.slice(0, 2))
        expect(
          await it.revertOf({
            from,
            to: it.core(symbol),
            abi: erc20,
            functionName: 'mint',
            args: [from, 1n],
          }),
        ).toBeDefined()
  })

  test('a permit works once, in time, for its signer', async () => {
    const account = privateKeyToAccount(publicAccounts(2)[1]!.privateKey)
    const [usdg, spender] = [it.core('USDG'), it.accounts[5]!]
    const permit = async (change: { deadline?: bigint; nonce?: bigint; owner?: Address } = {}) => {
      const message = {
        owner: account.address,
        spender,
        value: 77n,
        nonce: change.nonce ?? 0n,
        deadline: change.deadline ?? maxUint256,
      }
      const signature = await account.signTypedData({
        domain: { name: 'Global Dollar', version: '1', chainId: 4663, verifyingContract: usdg },
        types: {
          Permit: [
            { name: 'owner', type: 'address' },
            { name: 'spender', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'nonce', type: 'uint256' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'Permit',
        message,
      })
      const { r, s, yParity } = parseSignature(signature)
      const args = [
        change.owner ?? message.owner,
        spender,
        message.value,
        message.deadline,
        27 + yParity,
        r,
        s,
      ]
      return { from: it.accounts[3]!, to: usdg, abi: it.abi('USDG'), functionName: 'permit', args }
    }
    expect(await it.revertOf(await permit({ deadline: 1n }))).toBeDefined()
    expect(await it.revertOf(await permit({ nonce: 5n }))).toBeDefined()
    expect(await it.revertOf(await permit({ owner: it.accounts[4]! }))).toBeDefined()
    await it.must(await permit())
    const args = [account.address, spender]
    expect(await it.read({ to: usdg, abi: erc20, functionName: 'allowance', args })).toBe(77n)
    expect(await it.revertOf(await permit())).toBeDefined()
    const take = (value: bigint) => ({
      from: spender,
      to: usdg,
      abi: erc20,
      functionName: 'transferFrom',
      args: [account.address, spender, value],
    })
    expect(await it.revertOf(take(78n))).toBeDefined()
    await it.must(take(77n))
    expect(await it.revertOf(take(1n))).toBeDefined()
  })
})

describe('stock tokens', () => {
  const transfer = (symbol: string, from: Address, to: Address) => ({
    from,
    to: it.world.stocks[symbol]!,
    abi: erc20,
    functionName: 'transfer',
    args: [to, 1n],
  })

  test('read their code from the beacon', async () => {
    const slot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
    const { beacon } = it.world.profile.stocks
    for (const stock of Object.values(it.world.stocks)) {
      const word = await it.chain.request<Hex>('eth_getStorageAt', [stock, slot, 'latest'])
      expect(BigInt(word)).toBe(BigInt(beacon!))
    }
    const registry = { to: beacon as Address, abi: it.abi('AccessControlsRegistry') }
    const code = await it.read<Address>({ ...registry, functionName: 'implementation' })
    expect(await it.revertOf({ ...registry, functionName: 'upgradeTo', args: [code] })).toBeDefined()
    const takeover = ['X', 'X', code, it.accounts[1]]
    for (const to of [code, it.world.stocks['NVDA']!])
      expect(
        await it.revertOf({ to, abi: it.abi('StockToken'), functionName: 'initialize', args: takeover }),
      ).toBeDefined()
  })

  test('pause and resume', async () => {
    const [alice, bob] = [it.accounts[1]!, it.accounts[2]!]
    await pauseStock(it.chain, it.world, 'NVDA', true)
    expect(await it.revertOf(transfer('NVDA', alice, bob))).toBeDefined()
    expect(await it.revertOf(transfer('SPY', alice, bob))).toBeUndefined()
    await pauseStock(it.chain, it.world, 'NVDA', false)
    expect(await it.revertOf(transfer('NVDA', alice, bob))).toBeUndefined()
    await pauseStock(it.chain, it.world, '*', true)
    const approve = { ...transfer('SPY', alice, bob), functionName: 'approve' }
    expect(await it.revertOf(approve)).toBeDefined()
    const stock = { to: it.world.stocks['SPY']!, abi: it.abi('StockToken') }
    expect(await it.read({ ...stock, functionName: 'paused' })).toBe(true)
    await pauseStock(it.chain, it.world, '*', false)
    expect(await it.revertOf(approve)).toBeUndefined()
  })

  test('a blocked wallet can neither send, receive nor spend any stock', async () => {
    const [alice, bob] = [it.accounts[1]!, it.accounts[2]!]
    await blockWallet(it.chain, it.world, bob, true)
    expect(await it.revertOf(transfer('SPY', alice, bob))).toBeDefined()
    expect(await it.revertOf(transfer('SPY', bob, alice))).toBeDefined()
    expect(await it.revertOf(transfer('NVDA', alice, bob))).toBeDefined()
    expect(await it.revertOf({ ...transfer('SPY', alice, bob), functionName: 'approve' })).toBeDefined()
    const registry = {
      to: it.world.profile.stocks.beacon as Address,
      abi: it.abi('AccessControlsRegistry'),
    }
    const args = [bob]
    expect(await it.read({ ...registry, functionName: 'isBlocked', args })).toBe(true)
    expect(
      await it.revertOf({ ...registry, functionName: 'setBlocked', args: [...args, false] }),
    ).toBeDefined()
    await blockWallet(it.chain, it.world, bob, false)
    expect(await it.revertOf(transfer('SPY', bob, alice))).toBeUndefined()
  })

  test('the multiplier counts shares and changes no balance', async () => {
    const stock = { to: it.world.stocks['TSLA']!, abi: it.abi('StockToken') }
    const held = () => it.read<bigint>({ ...stock, functionName: 'balanceOf', args: [it.accounts[1]] })
    const shares = () => it.read<bigint>({ ...stock, functionName: 'balanceOfUI', args: [it.accounts[1]] })
    expect(await it.read({ ...stock, functionName: 'uiMultiplier' })).toBe(1_020_000_000_000_000_000n)
    const before = await held()
    expect(await shares()).toBe((before * 102n) / 100n)
    const effectiveAt = await announceMultiplier(it.chain, it.world, 'TSLA', { multiplier: 3, in_s: 100 })
    expect(await it.read({ ...stock, functionName: 'newUIMultiplier' })).toBe(3n * 10n ** 18n)
    expect(await it.read({ ...stock, functionName: 'effectiveAt' })).toBe(BigInt(effectiveAt))
    expect(await shares()).toBe((before * 102n) / 100n)
    await it.chain.mine(BigInt(effectiveAt))
    expect(await held()).toBe(before)
    expect(await shares()).toBe(before * 3n)
  })
})

test('a feed can be set and aged, by its owner only', async () => {
  const feed = { to: it.world.feeds['ETH']!.address, abi: it.abi('OracleFeed') }
  const latest = () =>
    it.read<[bigint, bigint, bigint, bigint, bigint]>({ ...feed, functionName: 'latestRoundData' })
  await setFeed(it.chain, it.world, 'ETH', { price: 2_612.345678 })
  expect((await latest())[1]).toBe(261_234_567_800n)
  await setFeed(it.chain, it.world, 'ETH', { age_s: 7_200 })
  const [round, answer, , updatedAt, answeredIn] = await latest()
  expect(answer).toBe(261_234_567_800n)
  expect(Number(it.chain.head().timestampS - updatedAt)).toBeGreaterThanOrEqual(7_200)
  expect(answeredIn).toBe(round)
  await setFeed(it.chain, it.world, 'ETH', { price: 0 })
  expect((await latest())[1]).toBe(0n)
  await expect(setFeed(it.chain, it.world, 'DOGE', { price: 1 })).rejects.toThrow('no feed')
  expect(await it.revertOf({ ...feed, functionName: 'setRound', args: [1n, 1n] })).toBeDefined()
})

describe('the agent registry', () => {
  const registry = () => ({
    to: it.world.registries.pit,
    abi: it.abi('AgentRegistry'),
  })

  test('lists the agents of the world', async () => {
    const { agents } = it.world
    expect(await it.read({ ...registry(), functionName: 'agentCount' })).toBe(BigInt(agents.length))
    const page = await it.read<{ id: bigint; owner: Address; beneficiary: Address; name: string }[]>({
      ...registry(),
      functionName: 'agentsFrom',
      args: [0n, 100n],
    })
    expect(page.map((agent) => ({ ...agent, id: Number(agent.id) }))).toEqual(
      agents.map(({ stake: _, ...agent }) => agent),
    )
    expect(await it.read({ ...registry(), functionName: 'agentAt', args: [2n] })).toMatchObject({ id: 3n })
    expect(await it.revertOf({ ...registry(), functionName: 'agentAt', args: [99n] })).toBeDefined()
    expect(page.filter((agent) => agent.beneficiary === it.world.sanctioned)).toHaveLength(1)
    for (const account of [1, 2, 3, 4, 5, 6])
      expect(page.some((agent) => agent.owner === it.accounts[account])).toBe(true)
  })

  test('finds a wallet by its role', async () => {
    const roleOf = (wallet: Address) =>
      it.read<[bigint, number]>({ ...registry(), functionName: 'agentOf', args: [wallet] })
    expect(await roleOf(it.accounts[1]!)).toEqual([2n, 1])
    expect(await roleOf(it.accounts[4]!)).toEqual([5n, 2])
    expect(await roleOf(it.accounts[7]!)).toEqual([5n, 1])
    expect(await roleOf(it.world.builder)).toEqual([0n, 0])
    expect(await it.read({ ...registry(), functionName: 'agentsOf', args: [it.accounts[5]] })).toEqual([
      6n,
      8n,
    ])
  })

  test('a stake gains with time and pays its owner only', async () => {
    const stakeOf = () => it.read<[bigint, bigint]>({ ...registry(), functionName: 'stakeOf', args: [1n] })
    const [principal, gain] = await stakeOf()
    expect(principal).toBe(1_000_000n * 10n ** 18n)
    await it.chain.mine(it.chain.head().timestampS + 3_600n)
    const later = (await stakeOf())[1]
    const hour = (principal * 1_000n * 3_600n) / (365n * 86_400n * 10_000n)
    // The difference of two floors.
    expect(later - gain - hour).toBeLessThanOrEqual(1n)
    expect(later - gain).toBeGreaterThanOrEqual(hour)
    const owner = it.accounts[0]!
    const withdraw = (from: Address, amount: bigint) => ({
      ...registry(),
      from,
      functionName: 'withdrawGain',
      args: [1n, amount, from],
    })
    expect(await it.revertOf(withdraw(it.accounts[1]!, 1n))).toBeDefined()
    expect(await it.revertOf(withdraw(owner, later * 2n))).toBeDefined()
    const held = () =>
      it.read<bigint>({ to: it.core('PARTNER'), abi: erc20, functionName: 'balanceOf', args: [owner] })
    const before = await held()
    await it.must(withdraw(owner, later))
    expect((await held()) - before).toBe(later)
    expect((await stakeOf())[0]).toBe(principal)
  })

  test('owners move wallets and beneficiaries; a wallet serves one agent', async () => {
    const [alice, stranger] = [it.accounts[3]!, it.accounts[9]!]
    const set = (functionName: string, args: unknown[], from = alice) => ({
      ...registry(),
      from,
      functionName,
      args,
    })
    expect(await it.revertOf(set('setAgentWallet', [4n, it.accounts[1]]))).toBeDefined()
    expect(await it.revertOf(set('setBeneficiary', [4n, stranger], stranger))).toBeDefined()
    const wallet = '0x00000000000000000000000000000000000a9e47' as const
    await it.must(set('setAgentWallet', [4n, wallet]))
    expect(await it.read(set('agentOf', [wallet]))).toEqual([4n, 1])
    expect(await it.read(set('agentOf', [alice]))).toEqual([4n, 2])
    await it.must(set('setOwner', [4n, stranger]))
    expect(await it.read(set('agentOf', [alice]))).toEqual([0n, 0])
    await it.must(set('setAgentWallet', [4n, alice], stranger))
  })
})

test('a launch opens a curve whose snipe tax runs', async () => {
  for (const pair of ['ETH', 'USDG'] as const) {
    const { curve, token } = await launch(it.chain, it.world, {
      launchpad: 'pit',
      pair,
      symbol: `NEW${pair}`,
    })
    expect(await it.read({ to: token, abi: erc20, functionName: 'symbol' })).toBe(`NEW${pair}`)
    const [, , left, snipeBps] = await it.read<bigint[]>({
      to: curve,
      abi: it.abi('Curve'),
      functionName: 'state',
    })
    expect(left).toBe(800_000_000n * 10n ** 18n)
    expect(snipeBps).toBe(8_000n)
  }
})

test('only account 0 acts for the builder', async () => {
  const builder = { to: it.world.builder, abi: it.abi('WorldBuilder') }
  const act = { ...builder, functionName: 'act', args: [[]] }
  expect(await it.revertOf({ ...act, from: it.accounts[1]! })).toBeDefined()
  expect(await it.revertOf({ ...act, from: it.accounts[0]! })).toBeUndefined()
  for (const [functionName, args] of [
    ['births', [[]]],
    ['uniswapV3MintCallback', [1n, 1n, '0x']],
    ['unlockCallback', ['0x']],
  ] as const)
    expect(await it.revertOf({ ...builder, functionName, args: [...args] }), functionName).toBeDefined()
})
