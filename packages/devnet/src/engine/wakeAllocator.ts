import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

const LOAD = `require(${JSON.stringify(createRequire(import.meta.url).resolve('@nomicfoundation/edr'))})`
/** It takes about 50 ms of one core. */
const AT_MOST_EVERY_MS = 20_000
let lastAt = Number.NEGATIVE_INFINITY

/**
 * EDR's allocator (mimalloc 3) returns freed memory on a schedule. A race of two threads can lose the
 * schedule, after which nothing is returned: 500 MB after 80 minutes of trading. A thread that ends scans all
 * memory and restarts the schedule. EDR's own threads never end, so this one loads EDR and ends. Nothing
 * waits for it; without it only more memory is used.
 */
export function wakeAllocator(): void {
  if (performance.now() - lastAt < AT_MOST_EVERY_MS) return
  lastAt = performance.now()
  endThread().catch(() => {})
}

/** Starts and ends a thread that is registered with EDR's allocator. */
export const endThread = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(LOAD, { eval: true })
    thread.unref()
    thread.once('error', reject)
    thread.once('exit', () => resolve())
  })
