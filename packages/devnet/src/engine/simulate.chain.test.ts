import { encodeFunctionData, type Hex, keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProbeWorld, FOREVER, type ProbeWorld } from '../../test/simulate/probeWorld.ts'
import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import { createSimulate } from './simulate.ts'
import { ETH_LOG_ADDRESS } from './simulateLogs.ts'
import type { Chain } from './types.ts'

interface CallAnswer {
  status: Hex
  returnData: Hex
  gasUsed: Hex
  logs: { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex }[]
  error?: { code: number; message: string; data?: Hex }
}
interface BlockAnswer {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  gasUsed: Hex
  gasLimit: Hex
  miner: Hex
  baseFeePerGas: Hex
  transactions: (Hex & { hash: Hex; from: Hex; nonce: Hex })[]
  calls: CallAnswer[]
}

const [, alice, bob] = publicAccounts().map(({ privateKey }) => privateKeyToAccount(privateKey))
const EMPTY = '0x00000000000000000000000000000000000e3317'
let chain: Chain
let world: ProbeWorld
let simulate: (payload: Record<string, unknown>, block?: unknown) => Promise<BlockAnswer[]>

beforeAll(async () => {
  chain = await openChain()
  world = await buildProbeWorld(chain)
  const run = createSimulate(chain)
  simulate = (payload, block = 'latest') => run([payload, block]) as unknown as Promise<BlockAnswer[]>
})
afterAll(() => chain.close())

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
const on = (name: 'token' | 'weth' | 'router' | 'probe', functionName: string, args: unknown[]) => ({
  to: world[name],
  input: encodeFunctionData({ abi: world.abi[name], functionName, args }),
})
const one = (...calls: Record<string, unknown>[]) => [{ calls }]
/** NUMBER, TIMESTAMP, COINBASE, PREVRANDAO, GASLIMIT, as six words with the sender's balance. */
const ENVIRONMENT = '0x436000524260205241604052446060524560805233313160a05260c06000f3'
const words = (data: Hex) => (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))

test('calls of a block see each other, in the order given, and leave nothing behind', async () => {
  const before = await chain.request('eth_getBalance', [alice!.address, 'latest'])
  const [block] = await simulate({
    blockStateCalls: one(
      // Alice can pay only because Bob pays her first, and again only because of the WETH she unwraps.
      { from: EMPTY, to: bob!.address, value: '0x0' },
      { from: bob!.address, to: EMPTY, value: hex(parseEther('3')) },
      { from: EMPTY, ...on('weth', 'deposit', []), value: hex(parseEther('3')) },
      { from: EMPTY, ...on('weth', 'withdraw', [parseEther('2')]) },
      { from: EMPTY, to: alice!.address, value: hex(parseEther('2')) },
      { from: EMPTY, ...on('weth', 'balanceOf', [EMPTY]) },
    ),
  })
  expect(block!.calls.map(({ status }) => status)).toEqual(Array(6).fill('0x1'))
  expect(BigInt(block!.calls[5]!.returnData)).toBe(parseEther('1'))
  expect(BigInt(block!.number)).toBe(chain.head().number + 1n)
  expect(BigInt(block!.gasUsed)).toBe(block!.calls.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n))
  expect(await chain.request('eth_getBalance', [alice!.address, 'latest'])).toBe(before)
  await chain.mine()
  await chain.onScratch(async (engine, head) => {
    expect((await engine.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash).toBe(
      head.hash,
    )
  })
})

test('failures are reported per call: reason, custom error, panic, out of gas', async () => {
  const from = alice!.address
  const [block] = await simulate({
    blockStateCalls: one(
      { from, ...on('probe', 'fail', [0n]) },
      { from, ...on('probe', 'fail', [1n]) },
      { from, ...on('probe', 'fail', [2n]) },
      { from, ...on('probe', 'fail', [3n]), gas: hex(100_000) },
      { from, ...on('probe', 'burn', []), gas: hex(90_000) },
      { from, ...on('probe', 'context', []) },
    ),
  })
  const [reason, custom, panic, invalid, burnt, fine] = block!.calls
  expect(reason!.error).toEqual({
    code: 3,
    message: 'execution reverted: no such luck',
    data: expect.stringMatching(/^0x08c379a0/),
  })
  expect(reason).toMatchObject({ status: '0x0', logs: [], returnData: reason!.error!.data })
  expect(custom!.error).toMatchObject({ code: 3, message: 'execution reverted' })
  expect(custom!.error!.data!.slice(0, 10)).toBe(
    keccak256('0x437573746f6d2875696e743235362c6164647265737329').slice(0, 10),
  )
  expect(panic!.error!.data).toMatch(/^0x4e487b71/)
  expect(invalid!.error!.code).toBe(-32015)
  expect(BigInt(invalid!.gasUsed)).toBe(100_000n)
  expect(burnt!.error).toMatchObject({ code: -32015, message: expect.stringMatching(/^out of gas/) })
  expect(fine).toMatchObject({ status: '0x1' })
  expect(fine).not.toHaveProperty('error')
})

test('block overrides are what contracts see, and filler blocks stand between', async () => {
  const head = chain.head()
  const recipient = '0x00000000000000000000000000000000000c01bb'
  const blocks = await simulate({
    blockStateCalls: [
      {
        blockOverrides: {
          number: hex(head.number + 4n),
          time: hex(head.timestampS + 1_000n),
          gasLimit: hex(20_000_000),
          feeRecipient: recipient,
          prevRandao: `0x${'12'.repeat(32)}`,
        },
        stateOverrides: { [EMPTY]: { code: ENVIRONMENT } },
        calls: [{ to: EMPTY }],
      },
      { calls: [{ to: EMPTY }] },
    ],
  })
  expect(blocks.map(({ number }) => BigInt(number) - head.number)).toEqual([1n, 2n, 3n, 4n, 5n])
  for (const [index, block] of blocks.slice(1).entries()) expect(block.parentHash).toBe(blocks[index]!.hash)
  const seen = words(blocks[3]!.calls[0]!.returnData)
  expect(seen.slice(0, 5)).toEqual([
    head.number + 4n,
    head.timestampS + 1_000n,
    BigInt(recipient),
    BigInt(`0x${'12'.repeat(32)}`),
    20_000_000n,
  ])
  expect(blocks[3]).toMatchObject({ miner: recipient, gasLimit: hex(20_000_000), baseFeePerGas: '0x0' })
  expect(words(blocks[4]!.calls[0]!.returnData)[0]).toBe(head.number + 5n)
  expect(BigInt(blocks[4]!.timestamp)).toBe(head.timestampS + 1_001n)
  // Neither the recipient nor the limit persists.
  const real = await chain.mine()
  expect(real['miner']).not.toBe(recipient)
})

test('state overrides: balance, nonce, code, stateDiff, and state of an empty account', async () => {
  const balances = keccak256(
    `0x${alice!.address.slice(2).toLowerCase().padStart(64, '0')}${'1'.padStart(64, '0')}`,
  )
  const reader = '0x00000000000000000000000000000000000beade'
  const [block] = await simulate({
    returnFullTransactions: true,
    blockStateCalls: [
      {
        stateOverrides: {
          [EMPTY]: { balance: hex(5n), nonce: '0x7' },
          // SLOAD(0), returned.
          [reader]: { code: '0x60005460005260206000f3', state: { '0x0': '0x2a' } },
          [world.token]: { stateDiff: { [balances]: hex(77n) } },
        },
        calls: [
          { from: EMPTY, to: alice!.address, value: '0x5' },
          { to: reader },
          on('token', 'balanceOf', [alice!.address]),
        ],
      },
    ],
  })
  expect(block!.calls.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x1'])
  expect(block!.transactions[0]).toMatchObject({ from: EMPTY, nonce: '0x7' })
  expect(BigInt(block!.calls[1]!.returnData)).toBe(42n)
  expect(BigInt(block!.calls[2]!.returnData)).toBe(77n)
  const refused = async (stateOverrides: unknown, message: RegExp) =>
    expect(simulate({ blockStateCalls: [{ stateOverrides, calls: [] }] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    })
  await refused({ [world.token]: { state: {} } }, /has storage/)
  await refused({ [publicAccounts()[0]!.address]: { nonce: '0x0' } }, /downwards/)
  await refused({ [EMPTY]: { state: {}, stateDiff: {} } }, /both/)
  await refused({ [EMPTY]: { movePrecompileToAddress: EMPTY } }, /precompiles/)
})

test('ETH transfers are logged, except reverted ones', async () => {
  const from = alice!.address
  const [block] = await simulate({
    traceTransfers: true,
    blockStateCalls: one(
      { from, ...on('probe', 'tries', [0n]), value: '0x64' },
      { from, ...on('probe', 'forward', [bob!.address]), value: '0x9' },
      { from, ...on('probe', 'create', [`0x${'77'.repeat(32)}`, EMPTY]), value: '0x8' },
      { from, to: EMPTY, value: '0x1' },
    ),
  })
  const logTexts = block!.calls.map(({ logs }) =>
    logs.map((log) =>
      log.address === ETH_LOG_ADDRESS ? `eth ${BigInt(log.data)}` : `mark ${BigInt(log.topics[1] ?? 0)}`,
    ),
  )
  expect(logTexts).toEqual([
    ['eth 100', 'mark 4', 'mark 5', 'mark 3', 'mark 6'],
    ['eth 9', 'eth 9', 'mark 9'],
    ['eth 8', 'eth 4', 'mark 0', 'mark 7', 'eth 4', 'eth 4', 'mark 0', 'mark 8'],
    ['eth 1'],
  ])
  const indices = block!.calls.flatMap(({ logs }) => logs.map(({ logIndex }) => Number(logIndex)))
  expect(indices).toEqual(indices.map((_, index) => index))
})

test('validation checks nonce, fee cap and funds like a block', async () => {
  const fees = { maxFeePerGas: hex(10n ** 9n), maxPriorityFeePerGas: '0x0' }
  const nonce = BigInt(await chain.request<Hex>('eth_getTransactionCount', [alice!.address, 'latest']))
  const from = alice!.address
  const code = (call: Record<string, unknown>, validation = true) =>
    simulate({ validation, blockStateCalls: one({ to: EMPTY, gas: hex(50_000), ...call }) }).then(
      () => 'fine',
      (error) => error.code,
    )
  expect(await code({ from, ...fees, nonce: hex(nonce) })).toBe('fine')
  expect(await code({ from: publicAccounts()[0]!.address, ...fees, nonce: '0x0' })).toBe(-38010)
  expect(await code({ from, ...fees, nonce: hex(nonce + 1n) })).toBe(-38011)
  expect(await code({ from })).toBe(-38012)
  expect(await code({ from: EMPTY, ...fees })).toBe(-38014)
  expect(await code({ from, ...fees, gas: hex(20_999) })).toBe(-38013)
  expect(await code({ from, ...fees, gas: hex(15_000_001) })).toBe(-38015)
  expect(await code({ from, input: `0x${'00'.repeat(49_153)}`, to: undefined, gas: hex(5_000_000) })).toBe(
    -38025,
  )
  // Without it gas is free and nonces are ignored, but missing funds still cannot be sent.
  expect(await code({ from: EMPTY, nonce: '0x63' }, false)).toBe('fine')
  expect(await code({ from: EMPTY, value: '0x1' }, false)).toBe(-38014)
})

test('a wallet delegates, acts as a contract, forwards a payment, and undelegates', async () => {
  const nonce = Number(await chain.request<Hex>('eth_getTransactionCount', [bob!.address, 'latest']))
  const authorize = async (address: Hex, at: number) => {
    const { r, s, yParity } = await bob!.signAuthorization({ address, chainId: 4663, nonce: at })
    return [{ address, chainId: hex(4663), nonce: hex(at), r, s, yParity: hex(yParity!) }]
  }
  const { input } = on('probe', 'context', [])
  const from = bob!.address
  const [block] = await simulate({
    validation: false,
    blockStateCalls: one(
      { from, to: from, input, authorizationList: await authorize(world.probe, nonce + 1) },
      { from: alice!.address, to: from, input },
      { from, to: EMPTY, value: '0x1' },
      {
        from: alice!.address,
        to: from,
        authorizationList: await authorize(`0x${'0'.repeat(40)}`, nonce + 3),
      },
      { from: alice!.address, to: from, input },
    ),
  })
  expect(block!.calls.map(({ status, logs }) => [status, logs.length])).toEqual([
    ['0x1', 1],
    ['0x1', 1],
    ['0x1', 0],
    ['0x1', 0],
    ['0x1', 0],
  ])
})

test('a block gas limit that was changed counts from the next simulation on', async () => {
  const limit = async (wanted: number) => chain.admin('evm_setBlockGasLimit', [hex(wanted)])
  const run = (gas?: number) =>
    simulate({
      blockStateCalls: one({ from: alice!.address, to: EMPTY, ...(gas && { gas: hex(gas) }) }),
    }).then(
      ([block]) => Number(block!.gasLimit),
      (error) => error.code,
    )
  expect(await run(15_000_000)).toBe(15_000_000)
  await limit(12_000_000)
  expect(await run(12_500_000)).toBe(-38015)
  expect(await run()).toBe(12_000_000)
  await limit(15_000_000)
  expect(await run(12_500_000)).toBe(15_000_000)
})

test('a failed request is undone', async () => {
  const balance = () =>
    chain.onScratch((engine) => engine.request<Hex>('eth_getBalance', [alice!.address, 'latest']))
  const before = await balance()
  const sets = ['hardhat_setBalance', [alice!.address, '0x1']] as const
  const fails = (calls: (readonly [string, readonly unknown[]])[]) =>
    expect(chain.onScratch((engine) => engine.batch(calls))).rejects.toThrow()
  await fails([sets, ['evm_setBlockGasLimit', ['nothing']]])
  expect(await balance()).toBe(before)
  await fails([sets, ['evm_setNextBlockTimestamp', ['0x1']]])
  expect(await balance()).toBe(before)
  await fails([sets, ['devnet_noSuchMethod', []]])
  expect(await balance()).toBe(before)
  await fails([['hardhat_setBalance', [alice!.address]], sets])
  expect(await balance()).toBe(before)
  await chain.onScratch((engine) => engine.batch([sets]))
  expect(await balance()).toBe(before)
  await chain.mine()
})

test('senders may be contracts', async () => {
  const [block] = await simulate({
    blockStateCalls: one(
      { from: world.router, ...on('token', 'approve', [alice!.address, FOREVER]) },
      { from: world.router, ...on('token', 'allowance', [world.router, alice!.address]) },
    ),
  })
  expect(BigInt(block!.calls[1]!.returnData)).toBe(FOREVER)
})

test('a recent block can be simulated on: later changes are undone first', async () => {
  const reads = one(
    on('token', 'balanceOf', [alice!.address]),
    on('token', 'balanceOf', [bob!.address]),
    on('probe', 'words', [40n]),
    on('probe', 'words', [41n]),
    { to: EMPTY },
  )
  const stateOverrides = { [EMPTY]: { code: ENVIRONMENT } }
  const look = async (number?: bigint) => {
    const at = number === undefined ? 'latest' : hex(number)
    const [block] = await simulate({ blockStateCalls: [{ ...reads[0], stateOverrides }] }, at)
    return block!.calls.map(({ returnData }, index) => (index === 4 ? words(returnData)[5] : returnData))
  }
  const send = async (tx: { to: Hex; input: Hex; authorizationList?: unknown }) => {
    const { input, ...rest } = tx
    await chain.sendOwned({ from: alice!.address, gas: 500_000n, data: input, ...rest })
    await chain.mine()
  }
  const seen = new Map<bigint, unknown>()
  const note = async () => void seen.set(chain.head().number, await look())
  await note()
  await send(on('token', 'transfer', [bob!.address, 1_234n]))
  await note()
  await send(on('probe', 'write', [40n, 2n, 7n]))
  await note()
  await send(on('probe', 'write', [41n, 2n, 0n]))
  await send({ to: EMPTY, input: '0x' })
  await note()
  await chain.mine()
  expect(
    new Set([...seen.values()].map((value) => JSON.stringify(value, (_, item) => String(item)))).size,
  ).toBe(4)
  for (const [number, what] of seen) expect(await look(number), `block ${number}`).toEqual(what)
  await chain.mine()
})

test('requests that are too old, too large or out of order are rejected', async () => {
  for (let left = 65; left > 0; left -= 1) await chain.mine()
  const head = chain.head()
  const calls = one({ to: EMPTY })
  expect(await simulate({ blockStateCalls: calls }, hex(head.number))).toHaveLength(1)
  expect(await simulate({ blockStateCalls: calls }, { blockHash: head.hash })).toHaveLength(1)
  const fails = async (payload: Record<string, unknown>, block: unknown, code: number) =>
    expect(simulate(payload, block)).rejects.toMatchObject({ code })
  await fails({ blockStateCalls: calls }, hex(head.number - 65n), -32000)
  await fails({ blockStateCalls: calls }, hex(head.number + 1n), -32000)
  await fails({ blockStateCalls: calls }, { blockHash: `0x${'ab'.repeat(32)}` }, -32000)
  await fails({ blockStateCalls: Array(257).fill({ calls: [] }) }, 'latest', -38026)
  await fails({ blockStateCalls: one(...Array(1_001).fill({ to: EMPTY })) }, 'latest', -38026)
  await fails({ blockStateCalls: [{ blockOverrides: { number: '0x1' }, calls: [] }] }, 'latest', -38020)
  await fails({ blockStateCalls: [{ blockOverrides: { time: '0x1' }, calls: [] }] }, 'latest', -38021)
  await fails(
    { blockStateCalls: [{ blockOverrides: { number: hex(head.number + 500n) } }] },
    'latest',
    -38026,
  )
  for (const payload of [
    {},
    { blockStateCalls: [] },
    { blockStateCalls: one({ to: '0x12' }) },
    { blockStateCalls: calls, nope: 1 },
  ])
    await fails(payload, 'latest', -32602)
})
