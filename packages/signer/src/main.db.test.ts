import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCrypto } from '@pit/chain'
import { buildBundles } from '@pit/platform/test/buildBundles'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { SHORT_LIVED } from '@pit/platform/test/shortLived'
import { describeInFull, itInFull } from '@pit/platform/test/tier'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openKeyFile } from './keys/openKeyFile.ts'
import { ledgerMigrations } from './ledger/openLedger.ts'

const FILE = new URL('../../../dist/signer.js', import.meta.url).pathname
const MAINNET = new URL('../../../profiles/mainnet.json', import.meta.url).pathname
const GIVEN = { SIGNER_SECRET: 'x'.repeat(32), SIGNER_PASSPHRASE: 'a passphrase of its own' }

let folder: string
let child: ChildProcess
let output: string
beforeAll(() => buildBundles('signer'), 120_000)
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pit-signer-main-'))
  await seedStore(join(folder, 'signer'), ledgerMigrations())
  output = ''
})
afterEach(() => {
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Its profile never appears, so a start without errors waits for a minute. */
function start(env: Record<string, string | undefined> = GIVEN): void {
  child = fork(FILE, [], {
    env: {
      PATH: process.env['PATH'],
      SIGNER_PORT: '0',
      DATA_DIR: folder,
      PROFILE: join(folder, 'no.json'),
      CHAIN_RPC_URL: 'http://127.0.0.1:9',
      ...env,
    },
    execArgv: SHORT_LIVED,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  child.on('message', ({ text }: { text: string }) => {
    output += `${text}\n`
  })
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
}
const ended = async (): Promise<number> => (await once(child, 'exit'))[0] as number

describe('the signer’s start', () => {
  it('ends cleanly on request', async () => {
    start()
    await expect.poll(() => output, { timeout: 30_000 }).toContain('co-signer 0x')
    child.kill('SIGTERM')
    expect(await ended()).toBe(0)
    expect(output).not.toMatch(/did not start|\n\s+at /)
  })

  it('ends with its supervisor', async () => {
    start()
    await expect.poll(() => output, { timeout: 30_000 }).toContain('ledger open')
    child.disconnect()
    expect(await ended()).toBe(0)
  })

  it('reports a wrong passphrase in one sentence, and shows neither it nor the key', async () => {
    const crypto = await createCrypto()
    const key = '12'.repeat(32)
    const importKeyFile = join(folder, 'key')
    writeFileSync(importKeyFile, key, { mode: 0o600 })
    const dataDir = join(folder, 'signer')
    await openKeyFile({ dataDir, passphrase: GIVEN.SIGNER_PASSPHRASE, importKeyFile, crypto })
    start({ ...GIVEN, SIGNER_PASSPHRASE: 'not that passphrase' })
    expect(await ended()).toBe(1)
    expect(output).toContain('the signer did not start: the passphrase does not open the co-signer’s key')
    expect(output).not.toMatch(/\n\s+at /)
    expect(output).not.toContain('not that passphrase')
    expect(output).not.toContain(key)
  })

  it('rejects a secret in a file that others can read', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, GIVEN.SIGNER_SECRET)
    chmodSync(file, 0o640)
    start({ ...GIVEN, SIGNER_SECRET: undefined, SIGNER_SECRET_FILE: file })
    expect(await ended()).toBe(1)
    expect(output).toContain(`SIGNER_SECRET_FILE ${file} is open to other users (mode 0640): chmod 600 it`)
  })

  describeInFull('on a real chain', () => {
    const REAL = { ...GIVEN, SIGNER_PROFILE: MAINNET, SIGNER_SANCTIONS_FILE: 'data/sanctions.txt' }

    it('is refused if others could read its key', async () => {
      chmodSync(join(folder, 'signer'), 0o750)
      start(REAL)
      expect(await ended()).toBe(1)
      expect(output).toContain(`${join(folder, 'signer')} is open to other users (mode 0750)`)
      expect(output).not.toMatch(/\n\s+at /)
    })

    it('is refused in a server’s DATA_DIR', async () => {
      mkdirSync(join(folder, 'server'))
      start(REAL)
      expect(await ended()).toBe(1)
      expect(output).toContain(`DATA_DIR ${folder} is a server’s (server): on`)
    })
  })

  itInFull.each([
    [{ SIGNER_SECRET: undefined }, 'SIGNER_SECRET is not set'],
    [{ SIGNER_SECRET: 'short' }, 'SIGNER_SECRET is too short'],
    [{ SIGNER_PASSPHRASE: undefined }, 'SIGNER_PASSPHRASE is not set'],
    [{ SIGNER_PASSPHRASE: 'short' }, 'SIGNER_PASSPHRASE is too short'],
    [{ SIGNER_OPERATOR_SECRET: GIVEN.SIGNER_SECRET }, 'SIGNER_OPERATOR_SECRET is the server’s secret'],
    [{ SIGNER_SANCTIONS_FILE: '/nowhere' }, 'SIGNER_SANCTIONS_FILE /nowhere: no such file'],
    [{ PROFILE: MAINNET }, 'SIGNER_PROFILE is not set: on'],
    [{ SIGNER_PROFILE: MAINNET }, 'SIGNER_SANCTIONS_FILE is not set: on'],
  ])('stops at %j', async (change, message) => {
    start({ ...GIVEN, ...change })
    expect(await ended()).toBe(1)
    expect(output).toContain(`the signer did not start: ${message}`)
    expect(output).not.toMatch(/\n\s+at /)
  })
})
