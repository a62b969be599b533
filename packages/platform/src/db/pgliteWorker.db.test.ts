import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { expect, it } from 'vitest'
import { newDataDirectory } from '../../test/embeddedStore.ts'
import { createPgliteStream } from './pgliteStream.ts'

const WORKER = new URL('../../../../dist/pgliteWorker.js', import.meta.url).pathname
const HEAP_MB = 48
const RESPONSE_BYTES = 50_000

it('frees each response: together they are larger than the heap of its thread', async () => {
  const dataDir = await newDataDirectory()
  const worker = new Worker(WORKER, {
    workerData: { directory: join(dataDir, 'store'), bufferMb: 16 },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  try {
    await new Promise((resolve) => worker.once('message', resolve))
    const client = new pg.Client({ stream: () => createPgliteStream(worker) })
    client.on('error', () => undefined)
    await client.connect()
    const ended = new Promise((resolve) => worker.once('error', resolve))
    const read = async () => {
      for (let bytes = 0; bytes < 2 * HEAP_MB * 2 ** 20; bytes += RESPONSE_BYTES) {
        const { rows } = await client.query(`select repeat('x', ${RESPONSE_BYTES}) as text`)
        expect(rows[0].text).toHaveLength(RESPONSE_BYTES)
      }
      return 'every response read'
    }
    expect(await Promise.race([read(), ended])).toBe('every response read')
  } finally {
    await worker.terminate()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 60_000)
