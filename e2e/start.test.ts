import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { storeMigrations } from '../packages/platform/src/db/index.ts'
import { ledgerMigrations } from '../packages/signer/src/ledger/openLedger.ts'
import { seedDevnet } from './devnetSeed.ts'
import { freePort } from './serverProcess.ts'

// `npm start` as a person and a supervisor use it: complete, private, and stopped on a signal.

/** Less than the default wait of systemd and Docker. */
const STOP_WITHIN_MS = 10_000

/** A separate checkout, so that its build does not overwrite the bundles that other tests run. */
let checkout: string
let dataDir: string
const ports = { PORT: 0, DEVNET_PORT: 0, DEVNET_VENDOR_PORT: 0, SIGNER_PORT: 0, METRICS_PORT: 0 }
const running: { npm: ChildProcess | null } = { npm: null }
let output = ''

beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'pit-checkout-'))
  for (const name of ['node_modules', 'packages', 'scripts', 'contracts', 'data', 'docs', '.cache'])
    symlinkSync(resolve(name), join(checkout, name))
  for (const name of ['package.json', 'package-lock.json', 'CHANGELOG.md'])
    copyFileSync(name, join(checkout, name))
  // As an older version created it: readable by everyone.
  dataDir = mkdtempSync(join(tmpdir(), 'pit-start-'))
  await seedDevnet(dataDir)
  await seedStore(dataDir, storeMigrations())
  await seedStore(join(dataDir, 'signer'), ledgerMigrations())
  for (const folder of [dataDir, join(dataDir, 'signer'), join(dataDir, 'store')]) chmodSync(folder, 0o755)
  for (const name of Object.keys(ports)) ports[name as keyof typeof ports] = await freePort()
})
// A start left over from a failed test would hold the ports and the store of the next.
afterEach(() => {
  for (const { pid } of descendants(running.npm?.pid)) process.kill(pid, 'SIGKILL')
  running.npm?.kill('SIGKILL')
})
afterAll(() => {
  for (const folder of [checkout, dataDir]) rmSync(folder, { recursive: true, force: true })
})

function start(): ChildProcess {
  output = ''
  const settings = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
  const npm = spawn('npm', ['start'], {
    cwd: checkout,
    // Only the API may be open to other machines.
    env: {
      PATH: process.env['PATH'],
      HOME: checkout,
      DATA_DIR: dataDir,
      HOST: '0.0.0.0',
      DEMO: 'off',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  running.npm = npm
  return npm
}
const outputHas = (text: string) => expect.poll(() => output, { timeout: 150_000 }).toContain(text)

/** Every descendant of a process, from /proc. */
function descendants(pid: number | undefined): { pid: number; command: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return [{ pid: Number(name), parent: Number(fields[1]), state: fields[0], command }]
      } catch {
        return []
      }
    })
    .filter(({ state }) => state !== 'Z')
  const below = (parent: number): typeof all =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return pid === undefined ? [] : below(pid)
}
const isAlive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
const files = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
const openFiles = () => ['', ...files()].filter((name) => (lstatSync(join(dataDir, name)).mode & 0o077) !== 0)
const answers = (port: number, host = '127.0.0.1') =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host, timeout: 2_000 })
    const end = (is: boolean) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })

/** Sends the signal and checks that everything is gone in time: processes, locks, sockets, ports. */
async function stop(npm: ChildProcess, target: number): Promise<void> {
  const family = descendants(npm.pid)
  const ended = new Promise<number | null>((resolve) => npm.once('exit', (code) => resolve(code)))
  const began = performance.now()
  process.kill(target, 'SIGTERM')
  const code = await ended
  const tookMs = performance.now() - began
  expect.soft(code).toBe(0)
  expect.soft(tookMs).toBeLessThan(STOP_WITHIN_MS)
  expect(family.filter(({ pid }) => isAlive(pid))).toEqual([])
  expect(files().filter((name) => /\.(lock|sock|takeover|new)$|\.lock\./.test(name))).toEqual([])
  for (const port of Object.values(ports)) expect(await answers(port)).toBe(false)
  console.log(`npm start was gone ${Math.round(tookMs)} ms after SIGTERM`)
}
const supervisorOf = (npm: ChildProcess) => {
  const starter = descendants(npm.pid).find(({ command }) => command.includes('dist/start.js'))
  return starter!.pid
}

it('starts, keeps its data and its chain private to this user and machine, and ends with npm', async () => {
  const npm = start()
  await outputHas('Pit is up after')
  // People read this terminal: no warnings while the parts start at different times.
  expect(output.split('\n').filter((line) => line.startsWith('{'))).toEqual([])
  expect(output).toMatch(/\d+ files in .* were open to other users of this machine; closed/)
  expect(openFiles()).toEqual([])
  const names = descendants(npm.pid).map(({ command }) => /dist\/(\w+)\.js/.exec(command)?.[1])
  expect(names.filter((name) => name !== undefined).sort()).toEqual(['devnet', 'server', 'signer', 'start'])

  const pins = JSON.parse(readFileSync(join(dataDir, 'pins.json'), 'utf8'))
  const config = (await (await fetch(`http://127.0.0.1:${ports.PORT}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  expect(pins).toMatchObject({ chain_id: 4663, kind: 'devnet', cosigner: config.session.cosigner })

  const outside = Object.values(networkInterfaces())
    .flatMap((rows) => rows ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
  if (outside !== undefined) {
    expect(await answers(ports.PORT, outside)).toBe(true)
    const { PORT: _, ...own } = ports
    for (const port of Object.values(own)) expect(await answers(port, outside)).toBe(false)
  }

  // Clients that never finish do not delay the stop.
  const half = connect(ports.PORT, '127.0.0.1')
  half.on('error', () => {})
  half.write('POST /api/v1/auth/challenge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
  half.write('Content-Length: 100\r\n\r\n{')
  const subscriber = connect(ports.DEVNET_PORT, '127.0.0.1')
  subscriber.on('error', () => {})
  subscriber.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n')
  subscriber.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  const upgraded = await new Promise<string>((resolve) =>
    subscriber.once('data', (data) => resolve(`${data}`)),
  )
  expect(upgraded).toContain('101')
  await stop(npm, npm.pid!)
  half.destroy()
  subscriber.destroy()
})

it('ends on a signal to its own process, after a second start', async () => {
  const npm = start()
  await outputHas('Pit is up after')
  expect(output).not.toContain('were open to other users')
  await stop(npm, supervisorOf(npm))
})

it('ends while it is still starting', async () => {
  const npm = start()
  await outputHas('store open')
  await stop(npm, npm.pid!)
  expect(output).not.toContain('Pit is up')
})
