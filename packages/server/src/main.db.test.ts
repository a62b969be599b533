import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { storeMigrations } from '@pit/platform/db'
import { buildBundles } from '@pit/platform/test/buildBundles'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { SHORT_LIVED } from '@pit/platform/test/shortLived'
import { itInFull } from '@pit/platform/test/tier'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const FILE = new URL('../../../dist/server.js', import.meta.url).pathname

let folder: string
let child: ChildProcess
let output: string
beforeAll(() => buildBundles('server'), 120_000)
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pit-main-'))
  await seedStore(folder, storeMigrations())
  output = ''
})
afterEach(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** With a profile that never appears: the start waits for a minute. */
function start(how: 'alone' | 'supervised', env: Record<string, string> = {}): void {
  const options = {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      METRICS_PORT: '0',
      DATA_DIR: folder,
      PROFILE: join(folder, 'no.json'),
      ...env,
    },
  }
  child =
    how === 'alone'
      ? spawn(process.execPath, [...SHORT_LIVED, FILE], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
      : fork(FILE, [], { ...options, execArgv: SHORT_LIVED, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  child.on('message', ({ text }: { text: string }) => {
    output += text
  })
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
}
const storeIsOpen = () => expect.poll(() => output, { timeout: 30_000 }).toContain('store open')

describe('a running start', () => {
  it.each(['alone', 'supervised'] as const)('ends cleanly on SIGTERM, %s', async (how) => {
    start(how)
    await storeIsOpen()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(output).not.toMatch(/did not start|\n\s+at /)
    // It did not wait for the start, and closed what was open.
    expect(existsSync(join(folder, 'store.lock'))).toBe(false)
  })

  itInFull('leaves Ctrl-C to its supervisor, and ends when the supervisor is gone', async () => {
    start('supervised')
    await storeIsOpen()
    child.kill('SIGINT')
    await sleep(500)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    const ended = once(child, 'exit')
    child.disconnect()
    expect(await ended).toEqual([0, null])
  })
})

it('keeps its data from other users, also what it finds open and what the store writes', async () => {
  chmodSync(folder, 0o755)
  start('alone')
  await storeIsOpen()
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  expect(all.length).toBeGreaterThan(100)
  expect([folder, ...all].filter((path) => (lstatSync(path).mode & 0o077) !== 0)).toEqual([])
})

itInFull.each([
  ['SANCTIONS_FILE', '/nonexistent/list.txt'],
  ['GEO_DB', '/nonexistent/geo.mmdb'],
  ['PUBLIC_URL', 'nonsense'],
])('reports in one line that %s=%s is wrong', async (name, value) => {
  start('alone', { [name]: value })
  const [code] = await once(child, 'exit')
  expect(code).toBe(1)
  expect(output).toContain(`the server did not start: ${name}`)
  expect(output).not.toMatch(/\n\s+at /)
})

itInFull('does not start off a devnet without a country source, and names the cure', async () => {
  const list = join(folder, 'list.txt')
  writeFileSync(list, `0x${'ab'.repeat(20)}\n`)
  const real = { PROFILE: 'profiles/mainnet.json', SANCTIONS_FILE: list, ALLOW_EMBEDDED_STORE: '1' }
  const elsewhere = { ...real, CHAIN_RPC_URL: 'http://127.0.0.1:9', SEQUENCER_URL: 'http://127.0.0.1:9' }
  start('alone', elsewhere)
  const [code] = await once(child, 'exit')
  expect(code).toBe(1)
  expect(output).toMatch(/the server did not start: no country source on .*GEO=none/)
  expect(output).not.toMatch(/\n\s+at /)
  // With GEO=none the start continues to the chain.
  output = ''
  start('alone', { ...elsewhere, GEO: 'none' })
  await expect.poll(() => output, { timeout: 30_000 }).toContain('chain at 127.0.0.1:9')
})
