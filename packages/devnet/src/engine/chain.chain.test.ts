import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import { deploySwapLoad } from './swapLoad.ts'
import type { Chain, Hex, ReceiptJson } from './types.ts'

const accounts = publicAccounts()
const signers = accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
const nobody = `0x${'aa'.repeat(20)}` as const
/** No rotation and no image at a stop: a start replays the log. */
const NEVER = 1e9
const open: Chain[] = []
const stop = (chain: Chain) => open.splice(open.indexOf(chain), 1)[0]!.close()
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-chain-'))
})
const opened = async (options: Parameters<typeof openChain>[0] = {}) => {
  const chain = await openChain(options)
  open.push(chain)
  return chain
}
afterEach(async () => {
  for (const chain of open.splice(0)) await chain.close()
  rmSync(dir, { recursive: true, force: true })
})

/** A repeatable stream of numbers in [0, 1). */
function seeded(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

test('a mixed load with simulations in between replays to the same blocks', async () => {
  const chain = await opened({ dataDir: dir, rotateAtKb: NEVER })
  const load = await deploySwapLoad(
    chain,
    accounts.map(({ address }) => address),
  )
  const random = seeded(7)
  const pick = (count: number) => Math.floor(random() * count)
  const signer = signers[9]!
  let nonce = Number(await chain.request<Hex>('eth_getTransactionCount', [signer.address, 'latest']))
  await chain.admin('hardhat_impersonateAccount', [nobody])
  await chain.admin('hardhat_setBalance', [nobody, '0xde0b6b3a7640000'])
  for (let round = 0; round < 60; round++) {
    for (let sent = 0; sent < pick(7); sent++) {
      const from = accounts[pick(9)]!.address
      await chain.sendOwned(load.swap(from, BigInt(1 + pick(1e9)), accounts[pick(10)]!.address))
    }
    if (pick(3) === 0) {
      // Different tips, so that the engine's order is not the order of arrival.
      const maxPriorityFeePerGas = BigInt(pick(3)) * 10n ** 9n
      const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas, gas: 60_000n, chainId: 4663 }
      await chain.sendRaw(
        await signer.signTransaction({ ...fees, type: 'eip1559', nonce: nonce++, to: nobody }),
      )
    }
    if (pick(4) === 0) {
      const contractAddress = pick(2) ? load.router : (`0x${'00'.repeat(20)}` as const)
      const authorizationList = [
        await signer.signAuthorization({ contractAddress, chainId: 4663, nonce: nonce + 1 }),
      ]
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 5n, gas: 200_000n, chainId: 4663 }
      const tx = { ...fees, authorizationList, type: 'eip7702', nonce, to: accounts[1]!.address } as const
      await chain.sendRaw(await signer.signTransaction(tx))
      nonce += 2
    }
    if (pick(5) === 0)
      await chain.sendOwned({ from: nobody, to: accounts[2]!.address, value: 1n, gas: 21_000n })
    if (pick(5) === 0) {
      await chain.admin('hardhat_setBalance', [`0x${'bb'.repeat(20)}`, `0x${(1 + pick(1e6)).toString(16)}`])
    }
    if (pick(9) === 0)
      await chain.admin('hardhat_setCoinbase', [`0x0000000000000000000000000000000000c0ff${10 + pick(80)}`])
    const [block] = await Promise.all([
      chain.mine(),
      chain.onScratch(async (engine) => {
        await engine.request('hardhat_setBalance', [accounts[0]!.address, '0x1'])
        await engine.request('hardhat_setCoinbase', [nobody])
        await engine.request('hardhat_setNextBlockBaseFeePerGas', ['0x0'])
        await engine.request('evm_mine')
      }),
    ])
    expect(block.hash).toBe(chain.head().hash)
  }
  await chain.onScratch(async (engine, head) => {
    expect(head).toEqual(chain.head())
    const latest = await engine.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
    expect(latest.hash).toBe(head.hash)
  })
  expect(chain.stats()).toMatchObject({ pooled: 0 })
  const head = chain.head()
  await stop(chain)
  // A start replays the log, and refuses a block that comes out with another hash.
  const again = await opened({ dataDir: dir, rotateAtKb: NEVER })
  expect(again.head()).toEqual(head)
})

test('a simulation sees no pooled transaction, and the next block has them all', async () => {
  const chain = await opened()
  const signer = signers[4]!
  const fees = { type: 'eip1559', chainId: 4663, gas: 21_000n, to: nobody, maxFeePerGas: 10n ** 9n } as const
  const hashes: Hex[] = []
  for (const nonce of [0, 1, 3]) {
    hashes.push(await chain.sendRaw(await signer.signTransaction({ ...fees, nonce, value: 7n })))
  }
  // Replaced by the same nonce with a higher fee.
  hashes[1] = await chain.sendRaw(
    await signer.signTransaction({ ...fees, nonce: 1, value: 8n, maxFeePerGas: 10n ** 10n }),
  )
  const seen = chain.onScratch(async (engine) => {
    await engine.request('evm_mine')
    const block = await engine.request<{ transactions: Hex[] }>('eth_getBlockByNumber', ['latest', false])
    return block.transactions
  })
  // Reads beside it wait until it is undone.
  const [inside, height, balance, pending] = await Promise.all([
    seen,
    chain.request('eth_blockNumber'),
    chain.request('eth_getBalance', [nobody, 'latest']),
    chain.request<Hex>('eth_getTransactionCount', [signer.address, 'pending']),
  ])
  expect(inside).toEqual([])
  expect([height, balance, Number(pending)]).toEqual(['0x0', '0x0', 2])
  const block = await chain.mine()
  expect(block.transactions.map(({ hash }) => hash)).toEqual([hashes[0], hashes[1]])
  const last = await chain.sendRaw(await signer.signTransaction({ ...fees, nonce: 2 }))
  expect((await chain.mine()).transactions.map(({ hash }) => hash)).toEqual([last, hashes[2]])
})

test('transactions are rejected, replaced and kept pending like in the engine, and nothing accumulates', async () => {
  const chain = await opened()
  const signer = signers[3]!
  const fees = { type: 'eip1559', chainId: 4663, gas: 21_000n, to: nobody } as const
  await expect(chain.sendRaw('0x1234')).rejects.toMatchObject({ code: -32602 })
  const gapped = await signer.signTransaction({ ...fees, nonce: 1, maxFeePerGas: 10n ** 9n })
  const waiting = await chain.sendRaw(gapped)
  await chain.mine()
  expect(await chain.request('eth_getTransactionReceipt', [waiting])).toBeNull()
  const cheap = await chain.sendRaw(
    await signer.signTransaction({ ...fees, nonce: 0, maxFeePerGas: 10n ** 9n }),
  )
  const dear = await chain.sendRaw(
    await signer.signTransaction({ ...fees, nonce: 0, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n }),
  )
  const block = await chain.mine()
  expect(block.transactions.map(({ hash }) => hash)).toEqual([dear, waiting])
  expect(await chain.request('eth_getTransactionReceipt', [cheap])).toBeNull()
  for (let round = 0; round < 700; round++) {
    const maxFeePerGas = 10n ** 9n + BigInt(round)
    const hash = await chain.sendRaw(await signer.signTransaction({ ...fees, nonce: 2, maxFeePerGas }))
    expect(await chain.admin('hardhat_dropTransaction', [hash])).toBe(true)
  }
  expect(chain.stats().pooled).toBeLessThan(600)
})

test('time only moves forward, offsets add up, and rewinding the head is rejected', async () => {
  let nowMs = 1_800_000_000_000
  const chain = await opened({ now: () => nowMs })
  expect(BigInt((await chain.mine()).timestamp)).toBe(1_800_000_000n)
  nowMs -= 60_000
  expect(BigInt((await chain.mine()).timestamp)).toBe(1_800_000_000n)
  expect(await chain.admin('evm_increaseTime', [3600])).toBe('3600')
  nowMs += 61_000
  expect(BigInt((await chain.mine()).timestamp)).toBe(1_800_003_601n)
  await chain.admin('hardhat_mine', ['0x3', '0xa'])
  expect(chain.head()).toMatchObject({ number: 6n, timestampS: 1_800_003_621n })
  await expect(chain.admin('evm_setNextBlockTimestamp', [5])).rejects.toMatchObject({ code: -32000 })
  for (const method of ['evm_snapshot', 'evm_revert', 'hardhat_reset', 'evm_setAutomine']) {
    await expect(chain.request(method, [])).rejects.toMatchObject({ code: -32000 })
  }
  await expect(chain.request('evm_nothing', [])).rejects.toMatchObject({ code: -32601 })
})

test('a simulation that cannot be undone halts the chain, and a restart continues from the log', async () => {
  const lines: string[] = []
  const log = (message: string) => lines.push(message)
  const chain = await opened({ dataDir: dir, rotateAtKb: NEVER, log })
  await chain.sendOwned({ from: accounts[0]!.address, to: nobody, value: 5n, gas: 21_000n })
  await chain.mine()
  // It reverts its own snapshot, so its later changes stay.
  await chain
    .onScratch(async (engine) => {
      await engine.request('hardhat_setBalance', [nobody, '0x1234'])
      await engine.request('evm_revert', ['0x1'])
      await engine.request('hardhat_setBalance', [nobody, '0x1234'])
    })
    .catch(() => {})
  await expect(chain.mine()).rejects.toThrow(/halted.*could not be undone.*Restart it/)
  await expect(chain.request('eth_getBalance', [nobody, 'latest'])).rejects.toThrow(/halted/)
  expect(lines).toContain('the chain has halted')
  await stop(chain)
  const again = await opened({ dataDir: dir, rotateAtKb: NEVER })
  expect(BigInt(await again.request<Hex>('eth_getBalance', [nobody, 'latest']))).toBe(5n)
  await again.mine()
})

test('a block is invisible before it is logged, and has receipts when it is announced', async () => {
  const chain = await opened()
  const seen: Promise<unknown>[] = []
  chain.onBlock((block) => {
    expect(chain.head().hash).toBe(block.hash)
    for (const { hash } of block.transactions) seen.push(chain.request('eth_getTransactionReceipt', [hash]))
  })
  let reading = true
  const reader = (async () => {
    while (reading) {
      const number = BigInt(await chain.request<Hex>('eth_blockNumber'))
      expect(chain.head().number).toBeGreaterThanOrEqual(number)
    }
  })()
  for (let round = 0; round < 40; round++) {
    await chain.sendOwned({ from: accounts[round % 10]!.address, to: nobody, value: 1n, gas: 21_000n })
    await chain.mine()
  }
  reading = false
  await reader
  const receipts = (await Promise.all(seen)) as ReceiptJson[]
  expect(receipts).toHaveLength(40)
  expect(receipts.every((receipt) => receipt['status'] === '0x1')).toBe(true)
})

test('the next nonce counts pooled transactions without a gap', async () => {
  const chain = await opened()
  const signer = signers[3]!
  const send = async (nonce: number) =>
    chain.sendRaw(
      await signer.signTransaction({
        type: 'eip1559',
        chainId: 4663,
        nonce,
        to: nobody,
        gas: 21_000n,
        maxFeePerGas: 10n ** 9n,
      }),
    )
  const next = async (tag: string) =>
    Number(await chain.request<Hex>('eth_getTransactionCount', [signer.address, tag]))
  expect(await next('pending')).toBe(0)
  await send(0)
  await send(1)
  await send(3)
  await chain.sendOwned({ from: accounts[4]!.address, to: nobody, gas: 21_000n })
  expect([await next('latest'), await next('pending')]).toEqual([0, 2])
  await chain.mine()
  expect([await next('latest'), await next('pending')]).toEqual([2, 2])
  await send(2)
  expect(await next('pending')).toBe(4)
  await chain.mine()
  expect([await next('latest'), await next('pending')]).toEqual([4, 4])
})
