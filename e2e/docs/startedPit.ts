import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ClientOptions } from '@pit/client'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { storeMigrations } from '../../packages/platform/src/db/index.ts'
import { ledgerMigrations } from '../../packages/signer/src/ledger/openLedger.ts'
import { seedDevnet } from '../devnetSeed.ts'
import { freePort } from '../serverProcess.ts'
import { START } from './blocks.ts'

export interface StartedPit {
  /** A folder that looks like a clone in which the world runs. */
  checkout: string
  url: string
  rpcUrl: string
  pins: ClientOptions['profile']
  /** Environment for programs in the checkout, so that they find this world instead of the default ports. */
  env: Record<string, string>
  stop(): Promise<void>
}

/**
 * The world of the tutorials on a deployed devnet and separate ports, started by their command in a folder with the
 * npm packages. `npm start` in a clone starts the same one.
 */
export async function startPit(folder: string): Promise<StartedPit> {
  const checkout = mkdtempSync(join(tmpdir(), 'pit-docs-'))
  for (const name of ['node_modules', 'dist', 'examples', 'data', 'contracts', 'packages'])
    symlinkSync(resolve(name), join(checkout, name))
  const dataDir = join(checkout, '.pit')
  mkdirSync(dataDir, { mode: 0o700 })
  await seedDevnet(dataDir)
  await seedStore(dataDir, storeMigrations())
  await seedStore(join(dataDir, 'signer'), ledgerMigrations())
  const names = ['PORT', 'DEVNET_PORT', 'DEVNET_VENDOR_PORT', 'SIGNER_PORT', 'METRICS_PORT'] as const
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()])))
  const own = { PATH: process.env['PATH']!, HOME: checkout }
  symlinkSync(dataDir, join(folder, '.pit'))
  const child = spawn('bash', ['-c', `exec ${START}`], {
    cwd: folder,
    env: { ...own, ...ports, DATA_DIR: dataDir, DEVNET_STOCK_SESSION: 'always', DEMO: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, as a terminal has one: Ctrl-C reaches all of it.
    detached: true,
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise<void>((done, fail) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('Pit is up after')) done()
      })
    child.once('exit', () => fail(new Error(`it ended before it was up:\n${output}`)))
  })
  const url = `http://127.0.0.1:${ports['PORT']}`
  return {
    checkout,
    url,
    rpcUrl: `http://127.0.0.1:${ports['DEVNET_PORT']}`,
    pins: JSON.parse(readFileSync(join(dataDir, 'pins.json'), 'utf8')),
    env: { ...own, PIT_URL: url },
    async stop() {
      process.kill(-child.pid!, 'SIGINT')
      await ended
      rmSync(checkout, { recursive: true, force: true })
    },
  }
}
