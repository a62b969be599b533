import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChain } from './chain.ts'
import type { BlockJson, Hex, ReceiptJson } from './types.ts'

const ROUNDS = Number(env['KILL_ROUNDS'] ?? 3)
const dir = mkdtempSync(join(tmpdir(), 'pit-kill-'))
// Beside the packages, so that the bundle finds them.
const cache = join(import.meta.dirname, '../../../../node_modules/.cache')
const child = join(cache, `pit-kill-child-${process.pid}.mjs`)

/** Bundles the workspace's packages, which are TypeScript, and imports those of npm. */
const npmStaysOutside: Plugin = {
  name: 'npm stays outside',
  setup: (build) =>
    build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      path.startsWith('@pit/') ? undefined : { path, external: true },
    ),
}

beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  await build({
    entryPoints: [join(import.meta.dirname, 'killChild.ts')],
    outfile: child,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [npmStaysOutside],
  })
})
afterAll(() => {
  rmSync(dir, { recursive: true, force: true })
  rmSync(child, { force: true })
})

interface Seen {
  blockHash: Hex
  number: number
}

/** Lets it trade until it has printed `wanted` more receipts, then kills it. */
async function tradeAndKill(seen: Map<Hex, Seen>, wanted: number): Promise<{ rotations: number }> {
  const running: ChildProcess = spawn(process.execPath, [child, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => running.once('exit', resolve))
  let rotations = 0
  let receipts = 0
  for await (const line of createInterface({ input: running.stdout! })) {
    const [kind, ...words] = line.split(' ')
    if (kind === 'rotations') {
      rotations = Number(words[0])
    }
    if (kind === 'receipt') {
      seen.set(words[0] as Hex, { blockHash: words[1] as Hex, number: Number(words[2]) })
      receipts += 1
      // Another process has the folder, and the error names it.
      if (receipts === 1)
        await expect(openChain({ dataDir: dir })).rejects.toThrow(`in use by process ${running.pid}`)
      if (receipts === wanted) running.kill('SIGKILL')
    }
  }
  await ended
  expect(receipts).toBeGreaterThanOrEqual(wanted)
  return { rotations }
}

test(
  `${ROUNDS} kills under load, and every receipt that was read survives with its block`,
  async () => {
    const seen = new Map<Hex, Seen>()
    let rotations = 0
    for (let round = 0; round < ROUNDS; round++) {
      // At different points: soon after the start, amid the first rotations, after several.
      rotations += (await tradeAndKill(seen, 60 + ((round * 437) % 1_000))).rotations
      const chain = await openChain({ dataDir: dir, log: () => {} })
      let parent: Hex | undefined
      for (let number = 0n; number <= chain.head().number; number++) {
        const block = await chain.request<BlockJson>('eth_getBlockByNumber', [
          `0x${number.toString(16)}`,
          false,
        ])
        if (parent) expect(block.parentHash).toBe(parent)
        parent = block.hash
      }
      for (const [hash, { blockHash, number }] of seen) {
        const receipt = await chain.request<ReceiptJson | null>('eth_getTransactionReceipt', [hash])
        expect(receipt).toMatchObject({ blockHash, blockNumber: `0x${number.toString(16)}` })
      }
      await chain.mine()
      await chain.onScratch(async (_, head) => expect(head).toEqual(chain.head()))
      await chain.close()
    }
    if (ROUNDS >= 3) expect(rotations).toBeGreaterThan(0)
  },
  60_000 + ROUNDS * 30_000,
)
