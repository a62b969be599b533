import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createTurn, isRefusal, type PitClient } from '@pit/client'
import { SIDECAR_ERRORS, type SidecarCode, SidecarFault } from './fault.ts'
import { toSnake } from './names.ts'
import { createPlans } from './plans.ts'
import { createSignInRetry } from './signInRetry.ts'
import { EarlierFailure, type openTradeOnce } from './tradeOnce.ts'
import { checkInput, type OrdersRequest, VERBS, type Verb } from './verbs.ts'

export interface SidecarDeps {
  client: PitClient
  /** Domain in sign-in messages and league statements. */
  domain: string
  /** Signs in again and stores the key. */
  signIn(): Promise<unknown>
  /** How many trades, orders and sessions the account has signed. */
  signatures(): number
  once: ReturnType<typeof openTradeOnce>
  allowsTrading: boolean
  version: string
  token: string
  port: number
  nowMs(): number
  /** Log for the operator. */
  log(text: string): void
}

export interface Sidecar {
  url: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 256 * 1024
const LOCAL_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost'])

/** The client's verbs over HTTP on loopback, for programs that have the token. */
export async function serveVerbs(deps: SidecarDeps): Promise<Sidecar> {
  const { client, log } = deps
  const plans = createPlans(deps.nowMs)
  const withKey = createSignInRetry({
    hasKey: () => client.apiKey() !== null,
    signIn: deps.signIn,
    signatures: deps.signatures,
  })
  // Two transactions signed at once would have the same nonce.
  const inTurn = createTurn()
  const expected = digest(`Bearer ${deps.token}`)
  const closing = new AbortController()

  async function respond(request: IncomingMessage): Promise<unknown> {
    checkCaller(request, expected)
    const name = (request.url ?? '/').slice(1)
    if (name === '' && request.method === 'GET') return describe(deps)
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name]! : null
    if (verb === null || request.method !== 'POST')
      throw new SidecarFault('UNKNOWN_VERB', `There is no verb ${request.method} /${name.slice(0, 60)}.`)
    if (verb.acts && !deps.allowsTrading) throw new SidecarFault('READ_ONLY', 'This sidecar is read-only.')
    const input = await readBody(request)
    checkInput(name, verb, input)
    return runVerb(name, verb, input)
  }

  function runVerb(name: string, verb: Verb, input: object): Promise<unknown> {
    // A caller that disconnects does not end a trade: its retry finds the result by client_id.
    const reach = { client, plans, domain: deps.domain, signal: closing.signal }
    const run = (...args: [Parameters<Verb['run']>[1], Parameters<Verb['run']>[2]]) => {
      const work = () => verb.run(reach, ...args)
      return verb.needsKey ? withKey(work) : work()
    }
    const { request } = verb
    const { client_id: listId, ...list } = input as { client_id?: string }
    if (request && listId !== undefined)
      return deps.once.place({
        verb: name,
        clientId: listId,
        input: list,
        request: () => request(reach, list as never),
        place: (orders) =>
          inTurn(() =>
            withKey(() => client.orders.place(orders as OrdersRequest, { signal: closing.signal })),
          ),
      })
    if (!verb.isTrade) {
      const work = () => run((request ? list : input) as never, () => {})
      return verb.acts ? inTurn(work) : work()
    }
    const { client_id: clientId, ...rest } = input as { client_id: string }
    // A session's trade is named at the service as well.
    const body = name === 'session_trade' ? input : rest
    return deps.once.run({
      verb: name,
      clientId,
      input: rest,
      run: (onSigned) => inTurn(() => run(body as never, onSigned)),
    })
  }

  const server = createServer((request, response) => {
    respond(request).then(
      (result) => write(response, 200, { result: toSnake(result) }),
      (error: unknown) => {
        const { status, body } = refusalOf(error)
        if (status === 500) log(`${request.url} failed: ${(error as Error)?.stack ?? String(error)}`)
        write(response, status, { error: body })
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(deps.port, HOST, resolve)
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://${HOST}:${port}`,
    async close() {
      closing.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function describe({ client, allowsTrading, version }: SidecarDeps) {
  const verbs = Object.entries(VERBS).map(([name, { summary, input, acts, isTrade }]) => ({
    name,
    summary,
    acts,
    is_trade: isTrade,
    input,
  }))
  return { version, address: client.address, allows_trading: allowsTrading, verbs }
}

/** Web pages can reach loopback; their Host or Origin header reveals them. */
function checkCaller({ headers }: IncomingMessage, expected: Buffer): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  if (!LOCAL_NAMES.has(host) || headers.origin !== undefined)
    throw new SidecarFault('FORBIDDEN_ORIGIN', 'Only programs on this machine may call.')
  if (!timingSafeEqual(digest(headers.authorization ?? ''), expected))
    throw new SidecarFault('BAD_TOKEN', 'The bearer token is missing or wrong.')
}

async function readBody(request: IncomingMessage): Promise<object> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_BODY_BYTES) throw new SidecarFault('TOO_LONG', 'The request body is too long.')
    parts.push(part)
  }
  let body: unknown
  try {
    body = length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new SidecarFault('BAD_REQUEST', 'The body is not valid JSON.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new SidecarFault('BAD_REQUEST', 'The body is not a JSON object.')
  return body
}

/** 422 for every refusal of the client and the service: nothing to retry at the level of HTTP. */
function refusalOf(error: unknown): { status: number; body: object } {
  if (error instanceof SidecarFault) {
    const { status, hint } = SIDECAR_ERRORS[error.code]
    const { code, message, field } = error
    return {
      status,
      body: { code, message, retry: 'no', hint, details: field === undefined ? {} : { field }, ...NO_ANSWER },
    }
  }
  if (error instanceof EarlierFailure) {
    const { code, message, details, fate } = error
    return { status: 422, body: { code, message, retry: 'no', hint: null, details, ...NO_ANSWER, fate } }
  }
  if (isRefusal(error)) {
    const { code, rule = null, message, retry, retryAfterS = null, hint = null, server, fate } = error
    const own = {
      code,
      rule,
      message,
      retry,
      retry_after_s: retryAfterS,
      hint,
      details: toSnake(error.details),
    }
    return {
      status: 422,
      body: { ...own, service_status: server?.status ?? null, server: toSnake(server), fate },
    }
  }
  const code: SidecarCode = 'FAILED'
  const { status, hint } = SIDECAR_ERRORS[code]
  return {
    status,
    body: {
      code,
      message: 'An unexpected error occurred.',
      retry: 'look_first',
      hint,
      details: {},
      ...NO_ANSWER,
    },
  }
}

/** Of an error that the service had no part in, before anything was handed over. */
const NO_ANSWER = { service_status: null, server: null, fate: null }

function write(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    // The rest of a refused body is not read.
    ...(status !== 200 && { connection: 'close' }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  })
  response.end(JSON.stringify(body))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
