import { rpcFailure } from '../engine/provider.ts'
import type { Chain } from '../engine/types.ts'
import { toRpcError } from './errors.ts'
import { createFilters } from './filters.ts'
import type { Habits } from './habits.ts'
import {
  errorText,
  type Id,
  INVALID_REQUEST,
  type Incoming,
  PARSE_ERROR,
  readMessage,
  resultText,
} from './message.ts'
import { changesState, type Method, nodeMethods } from './methods.ts'
import { createPendingHashes } from './pendingHashes.ts'
import { createSubscriptions, type Session } from './subscriptions.ts'

export interface RpcOptions {
  chain: Chain
  /** `devnet_*` and other added methods; they override the engine's. */
  methods?: Record<string, Method>
  /** Timeout of a request. */
  timeoutMs?: number
  maxBatch?: number
  /** Absent: an open node without limits. */
  habits?: Habits
}

/** JSON-RPC 2.0 over a chain, whatever carries the text. */
export interface Rpc {
  /** Handles one message or batch; undefined if there is no response. Subscriptions need a session. */
  handle(text: string, session?: Session): Promise<string | undefined>
  /** One method, for callers in the same process. Throws. */
  call(method: string, params?: unknown[]): Promise<unknown>
  /** Ends the session. */
  drop(session: Session): void
  close(): void
}

const METHOD_NAME = /^[a-z0-9]{1,20}_[a-zA-Z0-9_]{1,60}$/

export function createRpc(options: RpcOptions): Rpc {
  const { chain, habits, timeoutMs = 30_000, maxBatch = 1_000 } = options
  const pending = createPendingHashes(chain)
  const filters = createFilters(chain, pending)
  const subscriptions = createSubscriptions(chain, pending)
  const methods: Record<string, Method> = { ...nodeMethods(chain, filters, pending), ...options.methods }
  const ownMethod = (method: string) => (Object.hasOwn(methods, method) ? methods[method] : undefined)

  const run = async (method: string, params: unknown[], session?: Session): Promise<unknown> => {
    const due = chain.catchUp()
    if (due) await due
    if (!habits) return answerTo(method, params, session)
    const allowedParams = habits.before(method, params)
    return habits.after(method, allowedParams, await answerTo(method, allowedParams, session))
  }
  const answerTo = async (method: string, params: unknown[], session?: Session): Promise<unknown> => {
    if (method === 'eth_subscribe' || method === 'eth_unsubscribe') {
      if (!session) throw rpcFailure(-32601, 'subscriptions need a WebSocket')
      return method === 'eth_subscribe'
        ? subscriptions.subscribe(session, params)
        : subscriptions.unsubscribe(session, params)
    }
    const own = ownMethod(method)
    if (own) return own(params)
    if (!METHOD_NAME.test(method))
      throw rpcFailure(-32601, `the method ${method} does not exist/is not available`)
    return changesState(method) ? chain.admin(method, params) : chain.request(method, params)
  }

  const answer = async (message: Incoming, session?: Session): Promise<string | undefined> => {
    if (message.kind === 'invalid') return errorText(message.id, message.error)
    const { id, method, params } = message
    try {
      const result = await within(timeoutMs, run(method, params, session), method)
      return id === undefined ? undefined : resultText(id, result)
    } catch (error) {
      return id === undefined ? undefined : errorText(id as Id, toRpcError(error))
    }
  }

  const answerAll = async (list: unknown[], session?: Session): Promise<string | undefined> => {
    const answers: Promise<string | undefined>[] = []
    for (const item of list) {
      const message = readMessage(item)
      // Reads run side by side; a write waits for everything before it, and everything after waits for the
      // write.
      const alone = message.kind === 'call' && writes(message.method)
      if (alone) await Promise.all(answers)
      answers.push(answer(message, session))
      if (alone) await answers.at(-1)
    }
    const texts = (await Promise.all(answers)).filter((text) => text !== undefined)
    return texts.length === 0 ? undefined : `[${texts.join(',')}]`
  }

  return {
    async handle(text, session) {
      let parsed: unknown
      try {
        parsed = JSON.parse(text)
      } catch {
        return errorText(null, PARSE_ERROR)
      }
      if (!Array.isArray(parsed)) return answer(readMessage(parsed), session)
      if (parsed.length === 0) return errorText(null, INVALID_REQUEST)
      if (parsed.length > maxBatch)
        return errorText(null, { code: -32600, message: `a batch may have at most ${maxBatch} requests` })
      return answerAll(parsed, session)
    },
    call: (method, params = []) => within(timeoutMs, run(method, params), method),
    drop: subscriptions.drop,
    close() {
      subscriptions.close()
      filters.close()
      pending.close()
    },
  }
}

const writes = (method: string) =>
  method.startsWith('eth_send') || method.startsWith('devnet_') || changesState(method)

async function within<T>(ms: number, work: Promise<T>, method: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(rpcFailure(-32002, `${method} timed out after ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
