import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@pit/platform/test/until'
import { Redis } from 'ioredis'
import { freePort } from './serverProcess.ts'

export interface RedisProcess {
  url: string
  /** Forgets everything, as FLUSHALL does. */
  flush(): Promise<void>
  stop(): void
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Redis on a free port of loopback, in a temporary folder; it writes nothing to disk. */
export async function startRedis(): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pit-redis-'))
  const port = await freePort()
  const child: ChildProcess = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], {
    stdio: 'ignore',
  })
  const ask = async (command: 'PING' | 'FLUSHALL'): Promise<unknown> => {
    const redis = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null })
    redis.on('error', () => {})
    try {
      await redis.connect()
      return await redis.call(command)
    } finally {
      redis.disconnect()
    }
  }
  await until(() => ask('PING'), { everyMs: 50 })
  return {
    url: `redis://127.0.0.1:${port}`,
    flush: async () => void (await ask('FLUSHALL')),
    stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
