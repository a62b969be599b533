import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

const LOAD = `require(${JSON.stringify(createRequire(import.meta.url).resolve('@nomicfoundation/edr'))})`
/** It takes about 50 ms of one core. */
const AT_MOST_EVERY_MS = 20_000
let lastAt = Number.NEGATIVE_INFINITY

/**
 * EDR's allocator (mimalloc 3) gives freed memory back on a schedule. Two threads that meet there can lose
 * it, and from then on nothing is given back: after 80 minutes of trading that was 500 MB. A thread that ends
 * looks through all memory and starts the schedule anew. EDR's own threads never end, so here is one that
 * loads EDR and ends. Nothing waits for it; without it there is only more memory in use.
 */
export function wakeAllocator(): void {
  if (performance.now() - lastAt < AT_MOST_EVERY_MS) return
  lastAt = performance.now()
  endThread().catch(() => {})
}

/** A thread that EDR's allocator knows, begun and ended. */
export const endThread = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(LOAD, { eval: true })
    thread.unref()
    thread.once('error', reject)
    thread.once('exit', () => resolve())
  })
