import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { FromWorker, StoreToOpen, ToWorker } from './pgliteStream.ts'

// The embedded store's thread: one PostgreSQL wire message out for each one in, in order.
const port = parentPort
if (!port) throw new Error('runs only as a worker thread')
const answer = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

const { directory, bufferMb } = workerData as StoreToOpen
const store = new PGlite(directory, {
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${bufferMb}MB`],
})
await store.waitReady

port.on('message', async (message: ToWorker) => {
  if (message === 'close') {
    await store.close()
    answer('closed')
    return port.close()
  }
  const bytes = store.execProtocolRawSync(message)
  answer(bytes, bytes.buffer.byteLength === bytes.byteLength ? [bytes.buffer as ArrayBuffer] : [])
})
answer('ready')
