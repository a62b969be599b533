import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicAccounts } from './engine/accounts.ts'
import { type ArchivedBlock, openArchive } from './engine/archive.ts'
import { openArchiveFiles } from './engine/archiveFiles.ts'
import { openChain } from './engine/chain.ts'
import { deploySwapLoad } from './engine/swapLoad.ts'
import type { BlockJson, Chain, LogJson, ReceiptJson } from './engine/types.ts'
import { bringToFormat } from './stateFormat.ts'

const addresses = publicAccounts().map(({ address }) => address)
const nobody = `0x${'aa'.repeat(20)}` as const
const WORLD = {
  profile: 1,
  agents: 1,
  registries: 1,
  longTail: 1,
  builder: 1,
  launchpad: 1,
  pons: 1,
  hooks: 1,
}
let dir: string
let chainDir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-upgrade-'))
  chainDir = join(dir, 'chain')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const open = () => openChain({ dataDir: chainDir, rotateAtKb: Number.POSITIVE_INFINITY, log: () => {} })

/** Every block with its receipts, and all logs, as a caller reads them. */
async function readAll(chain: Chain) {
  const blocks: { block: BlockJson; receipts: ReceiptJson[] }[] = []
  for (let number = 0n; number <= chain.head().number; number++) {
    const block = await chain.request<BlockJson>('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const receipts = block.transactions.map(({ hash }) =>
      chain.request<ReceiptJson>('eth_getTransactionReceipt', [hash]),
    )
    blocks.push({ block, receipts: await Promise.all(receipts) })
  }
  const logs = await chain.request<LogJson[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
  return { blocks, logs, balance: await chain.request('eth_getBalance', [nobody, 'latest']) }
}

function takeArchive(): ArchivedBlock[] {
  const archive = openArchive(chainDir)
  const entries = Array.from({ length: archive.next() }, (_, number) => archive.read(number))
  archive.close()
  for (const name of readdirSync(chainDir)) if (name.startsWith('archive.')) rmSync(join(chainDir, name))
  return entries
}

/** Rewrites the archive as format 1: a compressed body and a row of 304 bytes per block. */
function writeFormatOne(): void {
  const entries = takeArchive()
  let bodiesEnd = 0
  for (const entry of entries) {
    const body = deflateRawSync(JSON.stringify(entry))
    const row = Buffer.alloc(304)
    row.writeDoubleLE(bodiesEnd, 0)
    row.writeUInt32LE(body.length, 8)
    row.writeUInt32LE(crc32(body), 12)
    Buffer.from(entry.block.hash.slice(2), 'hex').copy(row, 16)
    Buffer.from(entry.block.logsBloom.slice(2), 'hex').copy(row, 48)
    appendFileSync(join(chainDir, 'archive.bodies'), body)
    appendFileSync(join(chainDir, 'archive.blocks'), row)
    bodiesEnd += body.length
  }
  writeFileSync(join(chainDir, 'archive.txs'), '')
  writeFileSync(join(dir, 'world.json'), JSON.stringify(WORLD))
  writeFileSync(join(dir, 'venues.json'), '{"pools": [], "curves": []}')
}

async function makeFormatOne() {
  mkdirSync(chainDir)
  const chain = await open()
  const load = await deploySwapLoad(chain, addresses)
  for (let round = 0; round < 150; round++) {
    if (round % 3 === 0) await chain.sendOwned(load.swap(addresses[round % 10]!, 10n ** 12n, nobody))
    await chain.mine()
  }
  const before = await readAll(chain)
  await chain.close()
  writeFormatOne()
  return before
}

test('a chain of the version before has every block, receipt, log and balance afterwards', async () => {
  const before = await makeFormatOne()
  // The last body was cut by a power failure: the log has that block too.
  appendFileSync(join(chainDir, 'archive.blocks'), Buffer.alloc(100))
  const stages: string[] = []
  bringToFormat(dir, (text) => stages.push(text))
  expect(stages.join('\n')).toMatch(/bringing the chain[\s\S]*chain\.format1, delete it when all works/)
  const chain = await open()
  expect(chain.fresh).toBe(false)
  expect(await readAll(chain)).toEqual(before)
  await chain.mine()
  await chain.close()
  // The second start finds the format, and the older files are there for a return.
  bringToFormat(dir, () => expect.unreachable())
  expect(readdirSync(join(dir, 'chain.format1'))).toContain('archive.blocks')
})

test.each([
  ['while it writes the draft', () => mkdirSync(join(dir, 'chain.draft'))],
  [
    'between the renames',
    () => {
      bringToFormat(dir, () => {})
      rmSync(join(dir, 'format.json'))
      renameSync(chainDir, join(dir, 'chain.draft'))
    },
  ],
  [
    'before it writes the format',
    () => {
      bringToFormat(dir, () => {})
      rmSync(join(dir, 'format.json'))
    },
  ],
])('a crash %s is completed by the next start', async (_, crash) => {
  const before = await makeFormatOne()
  crash()
  bringToFormat(dir, () => {})
  expect(readdirSync(dir).sort()).toEqual([
    ...['chain', 'chain.format1', 'format.json', 'venues.json', 'world.json'],
  ])
  const chain = await open()
  expect(await readAll(chain)).toEqual(before)
  await chain.close()
})

test('a chain of format 2, with deflated chunks, is read and continued', async () => {
  mkdirSync(chainDir)
  const chain = await open()
  const load = await deploySwapLoad(chain, addresses)
  for (let round = 0; round < 20; round++) {
    await chain.sendOwned(load.swap(addresses[round % 10]!, 10n ** 12n, nobody))
    await chain.mine()
  }
  const before = await readAll(chain)
  await chain.close()
  const entries = takeArchive()
  const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex')
  const files = openArchiveFiles(chainDir)
  files.append(
    deflateRawSync(JSON.stringify(entries)),
    entries.map(({ block }) => ({
      hash: bytesOf(block.hash),
      bloom: /^0x0*$/.test(block.logsBloom) ? null : bytesOf(block.logsBloom),
      txHashes: block.transactions.map(({ hash }) => bytesOf(hash)),
    })),
  )
  files.close()
  writeFileSync(join(dir, 'world.json'), JSON.stringify(WORLD))
  writeFileSync(join(dir, 'format.json'), '{"format": 2}')
  bringToFormat(dir, () => expect.unreachable())
  const again = await open()
  expect(await readAll(again)).toEqual(before)
  await again.mine()
  await again.close()
  // Read from the archive alone, whose older chunk stays as it is.
  const archive = openArchive(chainDir)
  expect(entries.map((_, number) => archive.read(number))).toEqual(entries)
  archive.close()
})

test('a folder with an older world is refused and stays as it is', async () => {
  await makeFormatOne()
  writeFileSync(join(dir, 'venues.json'), '{"pools": []}')
  const files = readdirSync(chainDir)
  expect(() => bringToFormat(dir, () => {})).toThrow('Nothing was changed')
  expect(readdirSync(chainDir)).toEqual(files)
})
