import type { IncomingMessage } from 'node:http'
import { fail, grouped, type PitError, REQUEST, refusal } from '@pit/protocol'
import { isJson } from './csrf.ts'

/** The declared length; nothing has been read yet. */
export function bodyLength(req: IncomingMessage, needsBody: boolean): number {
  const { headers } = req
  const isPost = req.method === 'POST'
  if (headers['transfer-encoding'] !== undefined) {
    if (isPost) fail('LENGTH_REQUIRED')
    fail('BAD_REQUEST', { field: 'body', message: 'Only a POST takes a body.' })
  }
  const length = headers['content-length']
  if (length === undefined) {
    if (needsBody) fail('LENGTH_REQUIRED')
    return 0
  }
  const bytes = /^\d{1,15}$/.test(length) ? Number(length) : Number.POSITIVE_INFINITY
  if (bytes > REQUEST.maxBodyBytes) {
    const message = `The body is over ${grouped(REQUEST.maxBodyBytes)} bytes.`
    fail('BAD_REQUEST', { status: 413, field: 'body', message })
  }
  return bytes
}

/** Only uncompressed JSON is accepted; a missing content type counts as JSON. */
export function checkMediaType(req: IncomingMessage): void {
  const { headers } = req
  if (headers['content-type'] !== undefined && !isJson(headers['content-type'])) {
    fail('BAD_REQUEST', { field: 'content-type', message: 'Send the body as application/json in UTF-8.' })
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    fail('BAD_REQUEST', { field: 'content-encoding', message: 'Send the body uncompressed.' })
  }
}

/** The client closed the connection: there is no one to respond to. */
export class ClientGone extends Error {}

export interface BodyReading {
  bytes: Promise<Buffer>
  /** Aborts the read with a refusal, after a parser error. */
  fail(error: PitError): void
}

/** Reads the body within a time limit; Node's parser enforces the declared length. */
export function readBody(req: IncomingMessage, timeoutMs: number): BodyReading {
  let end: (error: Error | null) => void = () => {}
  const bytes = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    const slow = () =>
      end(refusal('BAD_REQUEST', { field: 'body', message: 'The body did not arrive in time.' }))
    const timer = setTimeout(slow, timeoutMs)
    end = (error) => {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      req.on('error', () => {})
      if (error === null) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      else reject(error)
    }
    const onData = (chunk: Buffer) => void chunks.push(chunk)
    const onEnd = () => end(null)
    const onClose = () => end(new ClientGone())
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
  return { bytes, fail: (error) => end(error) }
}

/** Reads and drops the rest of a body, within bounds. */
export function discardBody(
  req: IncomingMessage,
  { maxBytes = 8_388_608, maxMs = 2_000 } = {},
): Promise<void> {
  return new Promise((resolve) => {
    let left = maxBytes
    const done = () => {
      clearTimeout(timer)
      req.off('data', onData).off('end', done).off('close', done).off('error', done)
      req.on('error', () => {})
      resolve()
    }
    const onData = (chunk: Buffer) => {
      left -= chunk.length
      if (left <= 0) done()
    }
    const timer = setTimeout(done, maxMs)
    timer.unref()
    req.on('data', onData).on('end', done).on('close', done).on('error', done)
  })
}
