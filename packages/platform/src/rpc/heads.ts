import WebSocket from 'ws'
import type { Activity } from '../jobs/activity.ts'

export interface Heads {
  onHead(listener: (json?: unknown) => void): () => void
  /** Subscribed or resting, and a message or pong came within the ping interval. */
  isAlive(): boolean
  close(): void
}

const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 30_000
/** Retry interval for a node that may have no WebSocket. */
const GUESS_AGAIN_MS = 600_000
const OPEN_WITHIN_MS = 5_000
const PING_EVERY_MS = 10_000
const MAX_MESSAGE_BYTES = 1_000_000

/** New blocks by the node's `newHeads` subscription; reconnects until it is closed. An idle process unsubscribes. */
export function followHeads({
  url,
  isGuess,
  chainId,
  activity,
}: {
  url: string
  /** The address is a guess, not a setting. */
  isGuess: boolean
  /** Null: any chain. */
  chainId: number | null
  activity?: Pick<Activity, 'isIdle' | 'onReturn'> | undefined
}): Heads {
  const listeners = new Set<(json?: unknown) => void>()
  let socket: WebSocket | undefined
  let retry: NodeJS.Timeout | undefined
  let failures = 0
  let wasHeard = false
  let isSubscribed = false
  let isClosed = false
  /** Subscribes again after a rest. */
  let resume = () => {}

  function connect(): void {
    const own = new WebSocket(url, { handshakeTimeout: OPEN_WITHIN_MS, maxPayload: MAX_MESSAGE_BYTES })
    socket = own
    let pings: NodeJS.Timeout | undefined
    let heardSincePing = true
    let subscription: string | null = null
    const ask = (id: number, method: string, params: unknown[]) =>
      own.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const subscribe = () => ask(SUBSCRIBE, 'eth_subscribe', ['newHeads'])
    own.on('open', () => {
      ask(CHAIN, 'eth_chainId', [])
      pings = setInterval(() => {
        if (!heardSincePing) return own.terminate()
        heardSincePing = false
        own.ping()
      }, PING_EVERY_MS).unref()
    })
    own.on('pong', () => {
      heardSincePing = true
    })
    own.on('message', (data) => {
      heardSincePing = true
      const message = parse(String(data))
      if (message === null) return
      if (message.id === CHAIN) {
        if (chainId !== null && Number(message.result) !== chainId) return own.terminate()
        return subscribe()
      }
      if (message.id === SUBSCRIBE) {
        if (typeof message.result !== 'string') return own.terminate()
        subscription = message.result
        isSubscribed = true
        wasHeard = true
        failures = 0
      }
      // Notify listeners of blocks missed while disconnected.
      if (isSubscribed) for (const listener of listeners) listener(message.params?.result)
      if (subscription === null || !activity?.isIdle()) return
      ask(UNSUBSCRIBE, 'eth_unsubscribe', [subscription])
      subscription = null
      resume = subscribe
    })
    own.on('error', () => own.terminate())
    own.on('close', () => {
      clearInterval(pings)
      isSubscribed = false
      resume = () => {}
      if (isClosed) return
      const backoffMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++)
      retry = setTimeout(connect, isGuess && !wasHeard ? GUESS_AGAIN_MS : backoffMs).unref()
    })
  }
  connect()
  const unlistenReturn = activity?.onReturn(() => {
    resume()
    resume = () => {}
  })

  return {
    onHead(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isAlive: () => isSubscribed,
    close() {
      isClosed = true
      unlistenReturn?.()
      clearTimeout(retry)
      socket?.terminate()
    },
  }
}

const CHAIN = 1
const SUBSCRIBE = 2
const UNSUBSCRIBE = 3

interface Message {
  id?: unknown
  result?: unknown
  params?: { result?: unknown }
}

function parse(text: string): Message | null {
  try {
    const message = JSON.parse(text)
    return typeof message === 'object' ? message : null
  } catch {
    return null
  }
}
