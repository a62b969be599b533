import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concat, keccak256, pad } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import { deploySwapLoad } from './swapLoad.ts'
import type { BlockJson, Chain, Hex, LogJson, ReceiptJson } from './types.ts'

const accounts = publicAccounts()
const addresses = accounts.map(({ address }) => address)
const nobody = `0x${'aa'.repeat(20)}` as const
const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-rotation-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Reads continuously and records the first response to everything: it must not change. */
function watch(chain: Chain) {
  const blocks = new Map<bigint, BlockJson>()
  const receipts = new Map<Hex, ReceiptJson>()
  let highest = 0n
  let on = true
  chain.onBlock((block) => blocks.set(BigInt(block.number), block))
  const loop = (async () => {
    while (on) {
      const number = BigInt(await chain.request<Hex>('eth_blockNumber'))
      const latest = await chain.request<BlockJson>('eth_getBlockByNumber', ['latest', true])
      expect(number).toBeGreaterThanOrEqual(highest)
      expect(BigInt(latest.number)).toBeGreaterThanOrEqual(number)
      highest = BigInt(latest.number)
      if (blocks.has(highest)) expect(latest).toEqual(blocks.get(highest))
      for (const { hash } of latest.transactions) {
        const receipt = await chain.request<ReceiptJson>('eth_getTransactionReceipt', [hash])
        expect(receipt.blockHash).toBe(latest.hash)
        receipts.set(hash, receipt)
      }
      // The state of the head and of recent blocks is readable at any time.
      const back = hex(highest > 20n ? highest - 20n : 0n)
      expect(await chain.request('eth_getBalance', [addresses[0], back])).toMatch(/^0x/)
      expect(await chain.request('eth_call', [{ to: nobody }, 'latest'])).toBe('0x')
      expect(await chain.request('eth_getTransactionCount', [addresses[1], 'pending'])).toMatch(/^0x/)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  return {
    blocks,
    receipts,
    async stop() {
      on = false
      await loop
    },
  }
}

async function verifyWhole(chain: Chain, seen: ReturnType<typeof watch>): Promise<void> {
  const logs = await chain.request<LogJson[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
  const expected: LogJson[] = []
  let parent: Hex | undefined
  for (let number = 0n; number <= chain.head().number; number++) {
    const block = await chain.request<BlockJson>('eth_getBlockByNumber', [hex(number), true])
    if (parent) expect(block.parentHash).toBe(parent)
    parent = block.hash
    if (seen.blocks.has(number)) expect(block).toEqual(seen.blocks.get(number))
    expect(await chain.request('eth_getBlockByHash', [block.hash, true])).toEqual(block)
    const receipts = await chain.request<ReceiptJson[]>('eth_getBlockReceipts', [hex(number)])
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(
      block.transactions.map(({ hash }) => hash),
    )
    for (const [at, receipt] of receipts.entries()) {
      const { hash } = block.transactions[at]!
      expect(await chain.request('eth_getTransactionReceipt', [hash])).toEqual(receipt)
      expect(await chain.request('eth_getTransactionByHash', [hash])).toEqual(block.transactions[at])
      if (seen.receipts.has(hash)) expect(receipt).toEqual(seen.receipts.get(hash))
      expected.push(...receipt.logs)
    }
  }
  expect(logs).toEqual(expected)
  const [some] = logs.slice(logs.length / 2)
  const narrow = { fromBlock: '0x0', address: some!.address, topics: [some!.topics[0]!, null] }
  expect(await chain.request('eth_getLogs', [narrow])).toEqual(
    expected.filter(
      ({ address, topics }) =>
        address === some!.address && topics[0] === some!.topics[0] && topics.length > 1,
    ),
  )
}

/** Reads and calls of the state after a block. */
async function stateAt(chain: Chain, tokens: readonly Hex[], number: bigint): Promise<unknown[]> {
  const at = hex(number)
  const owners = [addresses[0]!, addresses[4]!, addresses[9]!] as Hex[]
  const balanceOf = (owner: string): Hex => `0x70a08231${owner.slice(2).padStart(64, '0')}`
  return Promise.all([
    ...owners.flatMap((owner) => [
      chain.request('eth_getBalance', [owner, at]),
      chain.request('eth_getTransactionCount', [owner, at]),
      ...tokens.map((to) => chain.request('eth_call', [{ to, data: balanceOf(owner) }, at])),
    ]),
    chain.request('eth_getCode', [addresses[9], at]),
    // WETH9 has its balances at slot 3.
    chain.request('eth_getStorageAt', [tokens[0], keccak256(concat([pad(owners[0]!), pad('0x3')])), at]),
  ])
}

test('fresh engines take over under load without a visible difference', async () => {
  const chain = await openChain({ dataDir: dir, rotateAtKb: 500, keepStateBlocks: 64 })
  const load = await deploySwapLoad(chain, addresses)
  const seen = watch(chain)
  const states = new Map<bigint, unknown[]>()
  const signer = privateKeyToAccount(accounts[9]!.privateKey)
  let nonce = Number(await chain.request<Hex>('eth_getTransactionCount', [signer.address, 'latest']))
  const fees = { chainId: 4663, gas: 200_000n, maxFeePerGas: 10n ** 10n, to: nobody } as const
  // Far in the future, so that it stays pooled through every rotation.
  const parked = await chain.sendRaw(
    await signer.signTransaction({ ...fees, type: 'eip1559', nonce: nonce + 500 }),
  )
  for (let round = 0; chain.stats().rotations < 4; round++) {
    for (let sent = 0; sent < 3; sent++) {
      await chain.sendOwned(load.swap(addresses[(round + sent) % 9]!, 10n ** 12n, addresses[round % 9]!))
    }
    // Delegations set and removed, an account emptied to the last wei, slots cleared.
    if (round % 4 === 0) {
      const contractAddress = round % 8 === 0 ? load.router : (`0x${'00'.repeat(20)}` as const)
      const authorizationList = [
        await signer.signAuthorization({ contractAddress, chainId: 4663, nonce: nonce + 1 }),
      ]
      await chain.sendRaw(
        await signer.signTransaction({ ...fees, type: 'eip7702', authorizationList, nonce }),
      )
      nonce += 2
    }
    if (round % 7 === 0)
      await chain.admin('hardhat_setStorageAt', [nobody, '0x5', `0x${'00'.repeat(31)}0${round % 2}`])
    // Never zero: an account with only storage cannot exist, and is removed when touched.
    if (round % 11 === 0) await chain.admin('hardhat_setBalance', [nobody, hex(round + 1)])
    await chain.mine()
    // Before the next admin call, which changes the state of the head.
    const { number } = chain.head()
    if (round % 9 === 0) states.set(number, await stateAt(chain, load.tokens, number))
    if (round > 2_000) throw new Error('four rotations did not happen')
  }
  expect(await chain.request('eth_getTransactionByHash', [parked])).toMatchObject({ hash: parked })
  await chain.onScratch(async (_, head) => expect(head).toEqual(chain.head()))
  await seen.stop()
  expect(chain.stats()).toMatchObject({ rotationFailures: 0 })
  await verifyWhole(chain, seen)
  // Three of four engines are gone; the history has what changed since.
  for (const [number, state] of states)
    expect(await stateAt(chain, load.tokens, number), `block ${number}`).toEqual(state)
  const [oldest] = states.keys()
  const own = { [load.tokens[0]]: { code: '0x602a5f5260205ff3' } }
  const call = [{ to: load.tokens[0], data: '0x' }, hex(oldest!), own]
  expect(BigInt(await chain.request<Hex>('eth_call', call))).toBe(42n)
  const history = await chain.request<{ baseFeePerGas: Hex[] }>('eth_feeHistory', ['0x64', 'latest', [50]])
  expect(new Set(history.baseFeePerGas)).toEqual(new Set(['0x989680']))
  const head = chain.head()
  await chain.close()
  expect(readdirSync(dir).filter((name) => name.startsWith('wal-'))).toHaveLength(1)

  const again = await openChain({ dataDir: dir })
  expect(again.head()).toEqual(head)
  await verifyWhole(again, seen)
  await expect(again.request('eth_getBalance', [nobody, '0x3'])).rejects.toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^missing trie node/),
  })
  await again.mine()
  await again.close()
})

test('an account emptied, recreated and destroyed is carried into the next engine unchanged', async () => {
  const chain = await openChain({ rotateAtKb: 1, keepStateBlocks: 2 })
  // Stores 1 at slot 0 when called without data, and clears it when called with data.
  const toggles = '0x6436155f55005f526005601bf3'
  // Destroys itself in its constructor and sends its value to its creator.
  const vanishes = '0x33ff'
  const from = addresses[5]!
  const nonce = BigInt(await chain.request<Hex>('eth_getTransactionCount', [from, 'latest']))
  await chain.sendOwned({ from, data: toggles, gas: 200_000n })
  const made = await chain.mine()
  const { contractAddress } = await chain.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [
    made.transactions[0]!.hash,
  ])
  const settle = async () => {
    const { rotations } = chain.stats()
    while (chain.stats().rotations === rotations) await chain.mine()
  }
  for (const data of ['0x', '0x01', '0x', '0x01']) {
    await chain.sendOwned({ from, to: contractAddress, data, gas: 60_000n })
    await chain.sendOwned({ from, data: vanishes, value: 3n, gas: 100_000n })
    await chain.mine()
    await settle()
    const slot = await chain.request<Hex>('eth_getStorageAt', [contractAddress, '0x0', 'latest'])
    expect(BigInt(slot)).toBe(data === '0x' ? 1n : 0n)
  }
  expect(BigInt(await chain.request<Hex>('eth_getTransactionCount', [from, 'latest']))).toBe(nonce + 9n)
  const poor = privateKeyToAccount(`0x${'31'.repeat(32)}`)
  await chain.admin('hardhat_setBalance', [poor.address, hex(21_000n * 10_000_000n + 7n)])
  const all = { chainId: 4663, gas: 21_000n, gasPrice: 10_000_000n, value: 7n, to: nobody } as const
  await chain.sendRaw(await poor.signTransaction({ ...all, type: 'legacy', nonce: 0 }))
  await chain.mine()
  await settle()
  expect(BigInt(await chain.request<Hex>('eth_getBalance', [poor.address, 'latest']))).toBe(0n)
  expect(chain.stats()).toMatchObject({ rotationFailures: 0 })
  await chain.close()
})
