import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockStore, StoreLockedError } from '@pit/platform/process'
import { worldAt } from '../packages/devnet/src/engine/boot.ts'
import { loadGeneration, sweepGenerations, writeGround } from '../packages/devnet/src/engine/generation.ts'
import { writeChecked } from '../packages/devnet/src/engine/image.ts'

/**
 * A devnet folder with the world already deployed. Deploying takes longer than most tests, so it is done once
 * and copied; e2e/devnet.test.ts deploys from scratch. Safe to delete.
 */
const PLACE = '.cache/devnet'
/**
 * A seed's feeds are valid for an hour and do not change while the market is off, so it is rebuilt well
 * before.
 */
const GOOD_FOR_MS = 15 * 60_000

/** Copies a deployed world into a devnet's data folder. */
export async function seedDevnet(dataDir: string): Promise<void> {
  cpSync(await seed(), join(dataDir, 'devnet'), { recursive: true })
}

async function seed(): Promise<string> {
  const slot = Math.floor(Date.now() / GOOD_FOR_MS)
  const made = join(PLACE, `${slot}-${programHash()}`)
  mkdirSync(PLACE, { recursive: true })
  while (!existsSync(made)) {
    const release = tryLock(`${made}.making`)
    if (release === null) {
      await sleep(200)
      continue
    }
    try {
      await makeSeed(made)
    } finally {
      release()
    }
    for (const old of readdirSync(PLACE)) {
      // The previous slot may still be in use by another copy.
      if (!(Number(old.split('-')[0]) >= slot - 1)) rmSync(join(PLACE, old), { recursive: true, force: true })
    }
  }
  return made
}

/**
 * If several files start at once, one builds the seed and the others wait; a dead builder is not waited for.
 */
function tryLock(file: string): (() => void) | null {
  try {
    return lockStore(file)
  } catch (error) {
    if (error instanceof StoreLockedError) return null
    throw error
  }
}

async function makeSeed(made: string): Promise<void> {
  const draft = mkdtempSync(`${made}.draft-`)
  const child = spawn(process.execPath, ['dist/devnet.js'], {
    env: {
      ...process.env,
      DATA_DIR: draft,
      DEVNET_PORT: '0',
      DEVNET_VENDOR_PORT: '0',
      DEVNET_STOCK_SESSION: 'always',
      MARKET: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = await readyUrl(child)
  // After the deployment it moves to fresh engines and writes the image that a start opens.
  while ((await rotationsOf(url)) === 0) await sleep(100)
  child.kill('SIGTERM')
  await ended
  // Its addresses name ports that are closed.
  rmSync(join(draft, 'devnet', 'profile.json'))
  foldChanges(join(draft, 'devnet', 'chain'))
  renameSync(join(draft, 'devnet'), made)
  rmSync(draft, { recursive: true, force: true })
}

/** The image stores most of the world as thousands of calls; engines open it in half the time as accounts. */
function foldChanges(dir: string): void {
  const { image, wal } = loadGeneration(dir)!
  wal.close()
  const { changes: _, base, settings, ...ground } = image
  const stateFile = writeGround(dir, { ...ground, accounts: worldAt(image).accounts() })
  writeChecked(join(dir, `image-${base.number}.json`), { stateFile, changes: [], base, settings })
  sweepGenerations(dir, base.number)
}

async function rotationsOf(url: string): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'devnet_stats', params: [] }),
  })
  return ((await answer.json()) as { result: { rotations: number } }).result.rotations
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /ready: chain 4663 at (\S+),/.exec(output)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`the devnet ended with ${code}:\n${output}`)))
  })
}

/**
 * Everything the deployed world is built from: the program, the contracts, the packages that bundle others,
 * and this file.
 */
function programHash(): string {
  const contracts = readdirSync('contracts', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sol'))
    .sort()
    .map((name) => join('contracts', name))
  const hash = createHash('sha256')
  for (const file of ['dist/devnet.js', 'package-lock.json', 'e2e/devnetSeed.ts', ...contracts])
    hash.update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}
