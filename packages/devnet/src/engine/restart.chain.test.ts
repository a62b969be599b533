import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicAccounts } from './accounts.ts'
import { openChain } from './chain.ts'
import { deploySwapLoad } from './swapLoad.ts'
import type { BlockJson, Chain, Hex, LogJson } from './types.ts'

const accounts = publicAccounts()
const addresses = accounts.map(({ address }) => address)
const nobody = `0x${'aa'.repeat(20)}` as const
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-restart-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

// No images: this tests the log.
const replayed = { rotateAtKb: Number.POSITIVE_INFINITY }
const quiet = { ...replayed, log: () => {} }
const blocksOf = async (chain: Chain) => {
  const blocks: BlockJson[] = []
  for (let number = 0n; number <= chain.head().number; number++) {
    blocks.push(await chain.request('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]))
  }
  return blocks
}
const logsOf = (chain: Chain) =>
  chain.request<LogJson[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
const walFile = () => join(dir, readdirSync(dir).find((name) => name.startsWith('wal-'))!)

async function busy(chain: Chain, rounds: number): Promise<void> {
  const load = await deploySwapLoad(chain, addresses)
  for (let round = 0; round < rounds; round++) {
    for (let sent = 0; sent < 3; sent++) {
      await chain.sendOwned(load.swap(addresses[(round + sent) % 10]!, 10n ** 12n, nobody))
    }
    if (round % 5 === 0) await chain.admin('hardhat_setStorageAt', [nobody, '0x1', `0x${'11'.repeat(32)}`])
    await chain.mine()
  }
}

test('a restart keeps every block, log, offset and pending transaction', async () => {
  const before = await openChain({ dataDir: dir, ...replayed })
  expect(before.fresh).toBe(true)
  await busy(before, 30)
  await before.admin('evm_increaseTime', [1000])
  await before.admin('hardhat_setBalance', [nobody, '0x77'])
  const signer = privateKeyToAccount(accounts[4]!.privateKey)
  const nonce = Number(await before.request<Hex>('eth_getTransactionCount', [signer.address, 'latest']))
  const fees = { type: 'eip1559', chainId: 4663, gas: 21_000n, to: nobody, maxFeePerGas: 10n ** 10n } as const
  const pooled = await before.sendRaw(await signer.signTransaction({ ...fees, nonce }))
  const [blocks, logs] = [await blocksOf(before), await logsOf(before)]
  await before.close()

  const after = await openChain({ dataDir: dir, ...replayed })
  expect(after.fresh).toBe(false)
  expect(await blocksOf(after)).toEqual(blocks)
  expect(await logsOf(after)).toEqual(logs)
  expect(await after.request('eth_getBalance', [nobody, 'latest'])).toBe('0x77')
  const next = await after.mine()
  expect(next.transactions.map(({ hash }) => hash)).toEqual([pooled])
  expect(Number(next.timestamp) - Math.floor(Date.now() / 1000)).toBeGreaterThan(990)
  await after.close()
})

test('a torn tail is cut off wherever it was torn, and the chain goes on from the last whole record', async () => {
  const before = await openChain({ dataDir: dir, ...replayed })
  await busy(before, 4)
  const blocks = await blocksOf(before)
  await before.close()
  const whole = readFileSync(walFile())
  for (const cut of [1, 7, 9, 400]) {
    writeFileSync(walFile(), whole)
    truncateSync(walFile(), whole.length - cut)
    const after = await openChain({ dataDir: dir, ...quiet })
    expect(after.head()).toMatchObject({
      number: BigInt(blocks.length - 2),
      hash: blocks[blocks.length - 2]!.hash,
    })
    await after.mine()
    expect((await blocksOf(after)).slice(0, -1)).toEqual(blocks.slice(0, -1))
    await after.close()
    // The archive must not keep what the log has lost.
    const again = await openChain({ dataDir: dir, ...quiet })
    expect(again.head().number).toBe(BigInt(blocks.length - 1))
    await again.close()
  }
  writeFileSync(walFile(), whole)
  appendFileSync(walFile(), Buffer.from([9, 0, 0, 0, 1, 2, 3]))
  const after = await openChain({ dataDir: dir, ...quiet })
  expect(await blocksOf(after)).toEqual(blocks)
  await after.close()
})

test('a tampered log does not open', async () => {
  const before = await openChain({ dataDir: dir, ...replayed })
  await before.mine()
  await before.close()
  const { openRecordLog } = await import('./recordLog.ts')
  const { log, records } = openRecordLog<{ hash: string; number: number }>(walFile())
  log.append({ ...records[0]!, number: 2 })
  log.close()
  await expect(openChain({ dataDir: dir, ...replayed })).rejects.toThrow(/block 2 came out as 0x/)
})

test('one folder has one chain at a time, and a dead holder is ignored', async () => {
  const first = await openChain({ dataDir: dir, ...replayed })
  await expect(openChain({ dataDir: dir, ...replayed })).rejects.toThrow(`in use by process ${process.pid}`)
  await first.close()
  writeFileSync(join(dir, 'lock'), '999999999 1')
  const second = await openChain({ dataDir: dir, ...replayed })
  await second.close()
  // The pid of a live process that started at another time.
  writeFileSync(join(dir, 'lock'), `${process.ppid} 1`)
  const third = await openChain({ dataDir: dir, ...replayed })
  await third.close()
  expect(readdirSync(dir).filter((name) => name.startsWith('lock'))).toEqual([])
})

test('a clean stop leaves an image, so that the next start replays nothing and still has the same blocks', async () => {
  const before = await openChain({ dataDir: dir })
  await busy(before, 30)
  await before.admin('hardhat_setNonce', [nobody, '0x9'])
  const blocks = await blocksOf(before)
  await before.close()
  expect(statSync(walFile()).size).toBe(0)
  const after = await openChain({ dataDir: dir })
  // The admin call came after the last block, so the stop mined one more to get its root.
  expect(after.head().number).toBe(BigInt(blocks.length))
  expect((await blocksOf(after)).slice(0, blocks.length)).toEqual(blocks)
  expect(await after.request('eth_getTransactionCount', [nobody, 'latest'])).toBe('0x9')
  const next = await after.mine()
  expect(next.parentHash).toBe((await blocksOf(after)).at(-2)!.hash)
  await after.close()
})
