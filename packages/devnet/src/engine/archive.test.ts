import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { keccak256, toHex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ArchivedBlock, openArchive } from './archive.ts'
import { openArchiveFiles } from './archiveFiles.ts'
import type { Hex, LogJson } from './types.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-archive-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const address = (id: number): Hex => toHex(id + 1, { size: 20 })
const topic = (id: number): Hex => toHex(id + 1, { size: 32 })

/** The bloom as nodes compute it, independent of the code under test. */
function bloomOf(logs: LogJson[]): Hex {
  let bloom = 0n
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = Buffer.from(keccak256(value).slice(2), 'hex')
    for (const at of [0, 2, 4]) bloom |= 1n << BigInt(hash.readUInt16BE(at) % 2048)
  }
  return toHex(bloom, { size: 256 })
}

function blockOf(number: number, txs: { address: number; topics: number[] }[][]): ArchivedBlock {
  const hash = keccak256(toHex(`block ${number}`))
  const receipts = txs.map((logs, at) => ({
    transactionHash: keccak256(toHex(`tx ${number} ${at}`)),
    blockHash: hash,
    gasUsed: '0x1' as Hex,
    effectiveGasPrice: '0x1' as Hex,
    logs: logs.map((log) => ({
      address: address(log.address),
      topics: log.topics.map(topic),
      data: '0x' as Hex,
      blockNumber: toHex(number),
    })),
  }))
  const block = {
    number: toHex(number),
    hash,
    parentHash: hash,
    timestamp: '0x1',
    baseFeePerGas: '0x1',
    gasLimit: '0x1',
    stateRoot: hash,
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs)),
    transactions: receipts.map(({ transactionHash }) => ({
      hash: transactionHash,
      from: address(0),
      nonce: '0x0',
    })),
  } as ArchivedBlock['block']
  return { block, receipts }
}

const someLog = fc.record({ address: fc.nat(3), topics: fc.array(fc.nat(3), { maxLength: 4 }) })
const someBlocks = fc.array(fc.array(fc.array(someLog, { maxLength: 3 }), { maxLength: 3 }), {
  minLength: 1,
  maxLength: 12,
})
const someFilter = fc.record({
  addresses: fc.option(fc.array(fc.nat(4), { maxLength: 2 })),
  topics: fc.array(fc.option(fc.array(fc.nat(4), { maxLength: 2 })), { maxLength: 4 }),
})

test('log queries match a plain search over all receipts', async () => {
  await fc.assert(
    fc.asyncProperty(someBlocks, someFilter, fc.nat(12), fc.nat(12), async (blocks, filter, from, to) => {
      rmSync(dir, { recursive: true, force: true })
      dir = mkdtempSync(join(tmpdir(), 'pit-archive-'))
      const archive = openArchive(dir)
      const entries = blocks.map((txs, number) => blockOf(number, txs))
      for (let at = 0; at < entries.length; at += 5) archive.append(entries.slice(at, at + 5))
      const query = {
        address: filter.addresses?.map(address) ?? null,
        topics: filter.topics.map((set) => set?.map(topic) ?? null),
      }
      const expected = entries
        .flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))
        .filter((log) => Number(log.blockNumber) >= from && Number(log.blockNumber) <= to)
        .filter((log) => !query.address?.length || query.address.includes(log.address))
        .filter((log) => query.topics.length <= log.topics.length)
        .filter((log) => query.topics.every((set, at) => !set?.length || set.includes(log.topics[at]!)))
      expect(await archive.logs(query, from, to)).toEqual(expected)
      archive.close()
    }),
    { numRuns: 150 },
  )
})

test('archived blocks are found by number and hash after reopening, and a torn end is dropped', () => {
  const first = openArchive(dir)
  const entries = Array.from({ length: 2_000 }, (_, number) => blockOf(number, [[], []].slice(0, number % 3)))
  for (let at = 0; at < 2_000; at += 100) first.append(entries.slice(at, at + 100))
  first.close()
  const second = openArchive(dir)
  expect(second.next()).toBe(2_000)
  for (const [number, entry] of entries.entries()) {
    expect(second.findBlock(entry.block.hash)).toBe(number)
    for (const { hash } of entry.block.transactions) expect(second.findTx(hash)).toBe(number)
  }
  expect(second.read(1_234)).toEqual(entries[1_234])
  expect(second.findBlock(keccak256('0x99'))).toBeUndefined()
  second.close()
  // The process died before it wrote the chunk's row, and while it wrote a body.
  appendFileSync(join(dir, 'archive.bodies'), 'half a body')
  appendFileSync(join(dir, 'archive.txs'), Buffer.alloc(36, 0xff))
  const third = openArchive(dir)
  expect(third.next()).toBe(2_000)
  third.cutFrom(1_990)
  expect(third.findBlock(entries[1_995]!.block.hash)).toBeUndefined()
  expect(third.read(1_989)).toEqual(entries[1_989])
  third.append(entries.slice(1_990))
  expect(third.read(1_989)).toEqual(entries[1_989])
  expect(third.read(1_999)).toEqual(entries[1_999])
  third.close()
  const bodies = join(dir, 'archive.bodies')
  truncateSync(bodies, statSync(bodies).size - 1)
  const fourth = openArchive(dir)
  expect(fourth.next()).toBe(1_990)
  expect(fourth.findTx(entries[1_999]!.block.transactions[0]!.hash)).toBeUndefined()
  fourth.append(entries.slice(1_990))
  expect(fourth.read(1_999)).toEqual(entries[1_999])
  fourth.close()
})

test('reads deflated chunks of format 2, and continues after them', () => {
  const blocks = [0, 1, 2].map((number) => blockOf(number, []))
  const rowOf = ({ block }: ArchivedBlock) => ({
    hash: Buffer.from(block.hash.slice(2), 'hex'),
    bloom: null,
    txHashes: [],
  })
  const files = openArchiveFiles(dir)
  const old = blocks.slice(0, 2)
  files.append(deflateRawSync(JSON.stringify(old)), old.map(rowOf))
  files.close()
  const archive = openArchive(dir)
  archive.append(blocks.slice(2))
  for (const [number, block] of blocks.entries()) expect(archive.read(number)).toEqual(block)
  archive.close()
})
