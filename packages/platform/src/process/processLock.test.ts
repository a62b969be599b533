import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { lockStore, StoreLockedError } from './processLock.ts'

const dir = mkdtempSync(join(tmpdir(), 'pit-lock-'))
const file = join(dir, 'lock')
afterEach(() => rmSync(file, { force: true }))

const heldBy = (pid: number) => {
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  writeFileSync(file, JSON.stringify({ pid, startedAt: '', bootId, host: hostname() }))
}

it('refuses while its holder runs, and names it', () => {
  heldBy(process.ppid)
  expect(() => lockStore(file)).toThrow(StoreLockedError)
})

it.runIf(process.platform === 'linux')(
  'takes over from a process that ended and that nobody collected',
  async () => {
    // The shell becomes a sleep, which never reaps its child; the child ends long after that.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (text) => resolve(Number(text))),
    )
    const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0]
    await expect.poll(state, { timeout: 10_000 }).toBe('Z')
    heldBy(pid)
    const release = lockStore(file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid })
    release()
    parent.kill()
  },
)
