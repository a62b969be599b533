import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  parseAbi,
  parseEther,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProbeWorld, FOREVER, type ProbeWorld } from '../../test/simulate/probeWorld.ts'
import { publicAccounts } from '../engine/accounts.ts'
import { openChain } from '../engine/chain.ts'
import type { Chain } from '../engine/types.ts'
import { createRpc, type Rpc, type Serving, serveRpc } from './index.ts'

const [deployer, alice, bob, carol] = publicAccounts().map(({ privateKey }) =>
  privateKeyToAccount(privateKey),
)
const BLOCK_MS = 60
const TOKEN_ABI = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function symbol() view returns (string)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const PROBE_ABI = parseAbi([
  'function fail(uint256 kind) payable',
  'function context()',
  'function words(uint256) view returns (uint256)',
  'function write(uint256 from, uint256 count, uint256 value)',
  'error Custom(uint256 code, address who)',
])

/** viem keeps the init code but does not export it. */
function multicall3InitCode(): Hex {
  const file = createRequire(import.meta.url)
    .resolve('viem')
    .replace(/_cjs.*$/, 'constants/contracts.ts')
  const match = /multicall3Bytecode\s*=\s*'(0x[0-9a-f]+)'/.exec(readFileSync(file, 'utf8'))
  if (!match) throw new Error('viem has no multicall3 init code any more')
  return match[1] as Hex
}

let chain: Chain
let rpc: Rpc
let serving: Serving
let world: ProbeWorld
let clients: ReturnType<typeof connect>

function connect(url: string, multicall3: Hex) {
  const definition = defineChain({
    id: 4663,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: multicall3 } },
  })
  const overHttp = { chain: definition, transport: http(url), pollingInterval: 20 }
  return {
    reader: createPublicClient(overHttp),
    batching: createPublicClient({ ...overHttp, transport: http(url, { batch: true }) }),
    socket: createPublicClient({ chain: definition, transport: webSocket(url.replace('http', 'ws')) }),
    wallet: createWalletClient({ ...overHttp, account: alice! }),
  }
}

beforeAll(async () => {
  chain = await openChain()
  world = await buildProbeWorld(chain)
  const hash = await chain.sendOwned({ from: deployer!.address, data: multicall3InitCode(), gas: 3_000_000n })
  await chain.mine()
  const { contractAddress } = await chain.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
    hash,
  ])
  rpc = createRpc({ chain })
  serving = await serveRpc({ rpc })
  clients = connect(serving.url, contractAddress)
  chain.startTicking(BLOCK_MS)
})
afterAll(async () => {
  await serving.close()
  rpc.close()
  await chain.close()
})

const token = () => ({ address: world.token, abi: TOKEN_ABI })
const probe = () => ({ address: world.probe, abi: PROBE_ABI })
const until = async (holds: () => boolean) => {
  for (let left = 500; left > 0 && !holds(); left -= 1)
    await new Promise((resolve) => setTimeout(resolve, 10))
  expect(holds()).toBe(true)
}

test('a transaction is sent, waited for and read back', async () => {
  const { reader, wallet } = clients
  const hash = await wallet.sendTransaction({ to: bob!.address, value: parseEther('1') })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  expect(receipt).toMatchObject({ status: 'success', gasUsed: 21_000n, transactionHash: hash })
  const block = await reader.getBlock({ blockHash: receipt.blockHash, includeTransactions: true })
  expect(block.transactions.map((tx) => tx.hash)).toContain(hash)
  expect(await reader.getTransaction({ hash })).toMatchObject({ from: alice!.address.toLowerCase() })
})

test('simulateCalls returns results, reverts and asset changes while blocks are mined', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { results, assetChanges } = await clients.reader.simulateCalls({
      account: bob!,
      traceAssetChanges: true,
      calls: [
        { to: world.token, abi: TOKEN_ABI, functionName: 'transfer', args: [carol!.address, 5n] },
        { to: carol!.address, value: 7n },
        { to: world.probe, abi: PROBE_ABI, functionName: 'fail', args: [0n] },
      ],
    })
    expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'failure'])
    expect(results[0]!.result).toBe(true)
    expect(results[2]!.error?.message).toMatch(/no such luck/)
    const moved = Object.fromEntries(assetChanges.map(({ token, value }) => [token.symbol, value.diff]))
    expect(moved).toMatchObject({ ETH: -7n, 'UNI-V2': -5n })
    await new Promise((resolve) => setTimeout(resolve, 17))
  }
})

test('simulateBlocks takes overrides of block and state', async () => {
  const poor = '0x00000000000000000000000000000000000000a1'
  const [block] = await clients.reader.simulateBlocks({
    blocks: [
      {
        blockOverrides: { time: 4_000_000_000n },
        stateOverrides: [{ address: poor, balance: parseEther('2') }],
        calls: [
          { account: poor, to: carol!.address, value: parseEther('2') },
          { to: world.probe, abi: PROBE_ABI, functionName: 'context' },
        ],
      },
    ],
    traceTransfers: true,
  })
  expect(block!.timestamp).toBe(4_000_000_000n)
  expect(block!.calls.map(({ status, logs }) => [status, logs?.length])).toEqual([
    ['success', 1],
    ['success', 1],
  ])
})

test('multicall returns many reads at once, with failures among them', async () => {
  const answers = await clients.reader.multicall({
    contracts: [
      { ...token(), functionName: 'balanceOf', args: [carol!.address] },
      { ...token(), functionName: 'transferFrom', args: [carol!.address, bob!.address, FOREVER] },
      { ...token(), functionName: 'symbol' },
    ],
  })
  expect(answers.map(({ status }) => status)).toEqual(['success', 'failure', 'success'])
  expect(answers[2]!.result).toBe('UNI-V2')
  const many = await Promise.all(
    Array.from({ length: 40 }, (_, slot) =>
      clients.batching.readContract({ ...probe(), functionName: 'words', args: [BigInt(slot)] }),
    ),
  )
  expect(many).toHaveLength(40)
})

test('a 7702 transaction delegates, and the wallet acts as the contract', async () => {
  const { reader, wallet } = clients
  const authorization = await wallet.signAuthorization({
    account: alice!,
    contractAddress: world.probe,
    executor: 'self',
  })
  const hash = await wallet.writeContract({
    ...probe(),
    address: alice!.address,
    functionName: 'write',
    args: [1n, 2n, 9n],
    authorizationList: [authorization],
  })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  expect(receipt).toMatchObject({ status: 'success', type: 'eip7702' })
  expect((await reader.getCode({ address: alice!.address }))?.toLowerCase()).toBe(
    `0xef0100${world.probe.slice(2).toLowerCase()}`,
  )
  expect(
    await reader.readContract({ ...probe(), address: alice!.address, functionName: 'words', args: [2n] }),
  ).toBe(9n)
})

test('reverts carry their data, so viem names the reason and the custom error', async () => {
  const { reader } = clients
  const simulated = (kind: bigint) =>
    reader.simulateContract({ ...probe(), functionName: 'fail', args: [kind], account: bob! })
  await expect(simulated(0n)).rejects.toThrow(/no such luck/)
  await expect(simulated(1n)).rejects.toThrow(/Custom\(uint256 code, address who\)/)
  await expect(
    reader.estimateContractGas({ ...probe(), functionName: 'fail', args: [0n], account: bob! }),
  ).rejects.toThrow(/no such luck/)
  await expect(
    clients.wallet.sendTransaction({ to: bob!.address, value: parseEther('99999999'), gas: 21_000n }),
  ).rejects.toThrow(/exceeds the balance of the account|insufficient funds/i)
  await expect(reader.request({ method: 'eth_nope' as never })).rejects.toMatchObject({ code: -32601 })
})

test.each(['poll', 'socket'] as const)('watchBlocks by %s misses none', async (way) => {
  const numbers: bigint[] = []
  const client = way === 'poll' ? clients.reader : clients.socket
  const stop = client.watchBlocks({
    emitMissed: true,
    onBlock: (block) => void numbers.push(block.number),
    onError: (error) => void expect.fail(String(error)),
  })
  await until(() => numbers.length >= 8)
  stop()
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + BigInt(index)))
})

test('events and pending hashes come over the socket, filtered', async () => {
  const { reader, socket, wallet } = clients
  const events: unknown[] = []
  const hashes: Hex[] = []
  const stops = [
    socket.watchContractEvent({
      ...token(),
      eventName: 'Transfer',
      args: { to: carol!.address },
      onLogs: (logs) => void events.push(...logs.map((log) => log.transactionHash)),
    }),
    socket.watchPendingTransactions({ onTransactions: (some) => void hashes.push(...some) }),
  ]
  await new Promise((resolve) => setTimeout(resolve, 100))
  const send = async (to: Hex) => {
    const hash = await wallet.writeContract({ ...token(), functionName: 'transfer', args: [to, 1n] })
    await reader.waitForTransactionReceipt({ hash })
    return hash
  }
  const other = await send(bob!.address)
  const expectedHash = await send(carol!.address)
  await until(() => events.length > 0 && hashes.length > 1)
  for (const stop of stops) stop()
  expect(events).toEqual([expectedHash])
  expect(hashes).toEqual([other, expectedHash])
})

test('filters can be polled for blocks, logs and pending hashes', async () => {
  const { reader, wallet } = clients
  const event = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])[0]
  const blocks = await reader.createBlockFilter()
  const pending = await reader.createPendingTransactionFilter()
  const logs = await reader.createEventFilter({ address: world.token, event, args: { to: carol!.address } })
  const hash = await wallet.writeContract({
    ...token(),
    functionName: 'transfer',
    args: [carol!.address, 2n],
  })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  expect(await reader.getFilterChanges({ filter: blocks })).toContain(receipt.blockHash)
  expect(await reader.getFilterChanges({ filter: pending })).toEqual([hash])
  const seen = await reader.getFilterChanges({ filter: logs })
  expect(seen.map(({ transactionHash, args }) => [transactionHash, args.value])).toEqual([[hash, 2n]])
  expect(await reader.getFilterChanges({ filter: logs })).toEqual([])
  expect(await reader.uninstallFilter({ filter: logs })).toBe(true)
  await expect(reader.getFilterChanges({ filter: logs })).rejects.toThrow(/filter not found/)
})
