import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDir } from './dirLock.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pit-lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const startedAt = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
/** The lock file as another process writes it. */
const holder = (pid: number, startTicks: string | undefined) =>
  JSON.stringify({ pid, startedAt: startTicks, bootId: bootId(), host: hostname() })

test('a folder is held once, and free again after its release', () => {
  const release = lockDir(dir)
  expect(() => lockDir(dir)).toThrow(`in use by process ${process.pid}`)
  release()
  lockDir(dir)()
  expect(readdirSync(dir)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'a holder that has ended, or whose pid was reused, does not count',
  () => {
    for (const stale of [holder(999_999_999, '1'), holder(process.ppid, '1'), '', 'what is this']) {
      writeFileSync(join(dir, 'lock'), stale)
      lockDir(dir)()
    }
  },
)

test.runIf(process.platform === 'linux')('a running holder counts, a zombie does not', async () => {
  // The shell never waits for its child, which stays a zombie after it was killed.
  const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = Number(
    await new Promise<string>((resolve) => shell.stdout.once('data', (text) => resolve(String(text)))),
  )
  writeFileSync(join(dir, 'lock'), holder(pid, startedAt(pid)))
  expect(() => lockDir(dir)).toThrow(`in use by process ${pid}`)
  process.kill(pid, 'SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
  lockDir(dir)()
  shell.kill('SIGKILL')
})
