import type { Client, Dispatcher } from 'undici'
import type { HttpAnswer, NoAnswer } from '../exchange.ts'

export interface ConnectionRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  maxAnswerBytes: number
}

/** One connection at a time, made again when needed. */
export interface Lane {
  client: Client
  /** The present connection has carried a response. */
  wasUsed: boolean
}

/** One request on its way through undici. */
export interface Exchange extends Dispatcher.DispatchHandler {
  request: ConnectionRequest
  /** Where it was sent or will be; null while it waits for a free one. */
  lane: Lane | null
  fail(fault: Pick<NoAnswer, 'kind' | 'why' | 'code'>): void
}

interface ExchangeListener {
  resolve(outcome: HttpAnswer | NoAnswer): void
  /** The lane can take another exchange. */
  release(lane: Lane): void
  /** The exchange failed before anything was sent. */
  giveUp(exchange: Exchange): void
}

/** A system error is passed on by its code; undici's own codes for a closed connection become one of them. */
const codeOf = ({ code }: NodeJS.ErrnoException) => (code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : code)

/** Collects the response; anything ambiguous, too large, compressed or late fails. */
export function createExchange(request: ConnectionRequest, listener: ExchangeListener): Exchange {
  const { timeoutMs, maxAnswerBytes } = request
  /** Set right before the first byte is written, so its absence proves that nothing was sent. */
  let abort: (() => void) | undefined
  let hasBegun = false
  let isDone = false
  let status = 0
  let headers: Record<string, string> = {}
  const parts: Buffer[] = []
  let size = 0

  const timer = setTimeout(() => {
    const isSent = abort !== undefined
    const why = `no ${isSent ? 'answer' : 'connection'} within ${timeoutMs} ms`
    exchange.fail({ kind: isSent ? 'timeout' : 'unreachable', why })
  }, timeoutMs)
  const end = (outcome: HttpAnswer | NoAnswer) => {
    isDone = true
    clearTimeout(timer)
    listener.resolve(outcome)
  }
  const tooLarge = () =>
    exchange.fail({ kind: 'too large', why: `the response is over ${maxAnswerBytes} bytes` })

  const exchange: Exchange = {
    request,
    lane: null,
    fail({ kind, why, code }) {
      if (isDone) return
      const onStaleConnection = abort !== undefined && exchange.lane?.wasUsed === true && !hasBegun
      end({ kind, why, code, onStaleConnection })
      if (abort) abort()
      else listener.giveUp(exchange)
    },
    onConnect(stop) {
      // undici would send it a second time: no byte may leave.
      if (isDone || abort) return stop()
      abort = stop
    },
    onResponseStarted() {
      hasBegun = true
    },
    onHeaders(code, raw) {
      // Skip 1xx responses.
      if (code < 200) return true
      status = code
      headers = readHeaders(raw)
      const fault = faultOf(status, headers)
      if (fault) exchange.fail(fault)
      else if (Number(headers['content-length']) > maxAnswerBytes) tooLarge()
      return true
    },
    onData(chunk) {
      size += chunk.length
      if (size > maxAnswerBytes) tooLarge()
      else parts.push(chunk)
      return true
    },
    onComplete() {
      exchange.lane!.wasUsed = true
      const text = (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')
      if (!isDone) end({ kind: 'answer', status, headers, text })
      listener.release(exchange.lane!)
    },
    onError(error) {
      const code = codeOf(error)
      exchange.fail({ kind: abort ? 'broken' : 'unreachable', why: code ?? error.message, code })
      listener.release(exchange.lane!)
    },
  }
  return exchange
}

function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toString('latin1').toLowerCase()
    const value = raw[i + 1]!.toString('latin1').trim()
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** Faults that undici accepts. */
function faultOf(status: number, headers: Record<string, string>): Pick<NoAnswer, 'kind' | 'why'> | null {
  const { 'content-encoding': encoding = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers
  if (status > 599) return { kind: 'broken', why: 'it is not HTTP/1.1' }
  if (transfer.toLowerCase() !== 'chunked') return { kind: 'broken', why: 'its body length is ambiguous' }
  if (encoding !== 'identity') return { kind: 'encoded', why: 'the response is compressed' }
  return null
}
