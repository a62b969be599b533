import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@pit/platform/test/until'
import { freePort } from './serverProcess.ts'

export interface RedisProcess {
  pid: number
  url: string
  /** Deletes everything, as FLUSHALL does. */
  flush(): Promise<void>
  stop(): void
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Redis on a free loopback port, in a temporary folder; it writes nothing to disk. */
export async function startRedis(): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pit-redis-'))
  const port = await freePort()
  const child: ChildProcess = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], {
    stdio: 'ignore',
  })
  /** Redis also accepts a command as a line of text. */
  const ask = (command: 'PING' | 'FLUSHALL'): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('error', reject)
      socket.once('data', (answer) => {
        socket.destroy()
        resolve(String(answer))
      })
      socket.write(`${command}\r\n`)
    })
  await until(() => ask('PING'), { everyMs: 50 })
  return {
    pid: child.pid!,
    url: `redis://127.0.0.1:${port}`,
    flush: async () => void (await ask('FLUSHALL')),
    stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
