import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@pit/platform/clock'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import { fail, type PitError } from '@pit/protocol'
import type { EdgeCaller, EdgeKey, Gate } from './caller.ts'
import { clientAddressOf, networksOf } from './clientAddress.ts'
import { createCsrfCheck } from './csrf.ts'
import { createKeyFinder } from './findKey.ts'
import { createHosts } from './hosts.ts'
import type { Overload } from './overload.ts'
import { ANY_ORIGIN } from './pages.ts'
import { parseJson, parseJsonObject } from './parseJson.ts'
import type { Peer, PeerOf } from './peer.ts'
import type { AnyPlan, PagePlan, RoutePlan, RpcPlan } from './plan.ts'
import { refuseUnless, takingsOf } from './rates/charge.ts'
import type { Limiter } from './rates/limiter.ts'
import { bodyLength, ClientGone, checkMediaType, readBody } from './readBody.ts'
import { createRefuse, WrongMethod } from './refuse.ts'
import { type Expects, type Reply, replyOf, sendReply } from './reply.ts'
import type { NewRequestId } from './requestId.ts'
import type { Router } from './router.ts'

export interface EdgeDeps<Key extends EdgeKey, Place> {
  config: { publicUrl: string; allowedHosts: readonly string[] }
  clock: Clock
  router: Router<AnyPlan<EdgeCaller<Key, Place>>>
  gate: Gate<Key, Place>
  limiter: Limiter
  logger: Logger
  metrics: Metrics
  overload: Overload
  peerOf: PeerOf
  proxies: { has(address: string): boolean }
  /** Lower-case. */
  isOwnOrigin: (origin: string) => boolean
  newRequestId: NewRequestId
  baseHeaders: readonly string[]
  isClosing: () => boolean
  bodyTimeoutMs: number
  /** Page for browsers at unknown addresses. */
  notFound?: PagePlan | undefined
}

export type Serve = (req: IncomingMessage, res: ServerResponse, expects: Expects) => Promise<void>

/** A request and its response. */
interface Exchange<Caller extends EdgeCaller> {
  req: IncomingMessage
  res: ServerResponse
  expects: Expects
  requestId: string
  peer: Peer
  /** Null until the route is known. */
  plan: AnyPlan<Caller> | null
  /** Counted as in flight. */
  entered: boolean
}

interface Target<Place> {
  address: string
  place: Place
  params: Record<string, string>
  search: string
}

const NO_FIELDS = {}
const MAX_TARGET_LENGTH = 4_096
const PAGE_BUCKETS = ['page.address', 'page.overall'] as const

/** Serves one request, in the contract's order: each step rejects before the next one costs anything. */
export function createEdge<Key extends EdgeKey, Place>(deps: EdgeDeps<Key, Place>): Serve {
  type Caller = EdgeCaller<Key, Place>
  const { config, clock, router, gate, limiter, metrics, overload, logger } = deps
  const isOwnHost = createHosts(config)
  const checkCsrf = createCsrfCheck(deps.isOwnOrigin)
  const keyOf = createKeyFinder({ ...deps, authenticate: gate.authenticate })
  const { refuse, lastResort } = createRefuse(deps)

  /** Host, client, route. */
  function answer(exchange: Exchange<Caller>): Reply | Promise<Reply> {
    const { req, peer } = exchange
    const { host, path, search } = targetOf(req)
    if (!isOwnHost(host)) fail('UNKNOWN_HOST')
    const forwardedFor = peer.isProxy ? req.headers['x-forwarded-for'] : undefined
    const address =
      forwardedFor === undefined
        ? peer.address
        : clientAddressOf(peer.address, String(forwardedFor), deps.proxies)
    const place = gate.admitClient({ address, isProxied: peer.isProxy, headers: req.headers })
    const match = router.find(req.method ?? '', path)
    if (match.kind === 'none') {
      if (deps.notFound && isVisit(req, path))
        return answerPage(exchange, deps.notFound, { address, params: NO_FIELDS, search })
      return fail('NOT_FOUND', { message: 'No such route.' })
    }
    if (match.kind === 'other method') throw new WrongMethod(match.allow)
    exchange.plan = match.target
    const { target, params } = match
    if (target.kind === 'page') return answerPage(exchange, target, { address, params, search })
    if (target.kind === 'rpc') return answerRpc(exchange, target, { address, place })
    return answerRoute(exchange, target, { address, place, params, search })
  }

  /** Wallets send no key and any origin; neither is trusted here. */
  async function answerRpc(
    exchange: Exchange<Caller>,
    plan: RpcPlan<Caller>,
    { address, place }: Pick<Target<Place>, 'address' | 'place'>,
  ): Promise<Reply> {
    enter(exchange)
    refuseExpectation(exchange)
    const bytes = bodyLength(exchange.req, true)
    const body = bytes === 0 ? NO_FIELDS : parseJson(await bytesOf(exchange))
    const answered = await plan.handle(body, { requestId: exchange.requestId, address, key: null, place })
    return { status: 200, body: JSON.stringify(answered), headers: ANY_ORIGIN }
  }

  async function answerPage(
    exchange: Exchange<Caller>,
    page: PagePlan,
    { address, params, search }: Pick<Target<Place>, 'address' | 'params' | 'search'>,
  ): Promise<Reply> {
    enter(exchange)
    bodyLength(exchange.req, false)
    const takings = takingsOf(PAGE_BUCKETS, networksOf(address), null)
    refuseUnless(await limiter.take(takings, clock.nowMs()), metrics)
    return page.reply(exchange.req.headers, { params, search })
  }

  /** Load, length, CSRF, rate by address, key, rate by key, the route's check, body, handler. */
  async function answerRoute(
    exchange: Exchange<Caller>,
    plan: RoutePlan<Caller>,
    { address, place, params, search }: Target<Place>,
  ): Promise<Reply> {
    const { req, requestId } = exchange
    const { route, validator } = plan
    if (!plan.neverShed) enter(exchange)
    refuseExpectation(exchange)
    const bodyBytes = bodyLength(req, route.takesBody && !validator.takesEmptyBody)
    if (route.method === 'POST') checkCsrf(req.headers)
    const networks = networksOf(address)
    let key: Key | null = null
    if (plan.needsKey) {
      if (plan.bucketsBeforeKey.length > 0) {
        const seen = limiter.peek(takingsOf(plan.bucketsBeforeKey, networks, null), clock.nowMs())
        refuseUnless(seen instanceof Promise ? await seen : seen, metrics)
      }
      key = await keyOf(req.headers.authorization, networks)
      gate.admitKey(key, route)
    }
    if (plan.buckets.length > 0) {
      const keyId = key === null ? null : String(key.keyId)
      const draw = limiter.take(takingsOf(plan.buckets, networks, keyId), clock.nowMs())
      refuseUnless(draw instanceof Promise ? await draw : draw, metrics)
    }
    const caller = { requestId, address, key, place }
    plan.admit?.(caller)
    const body = route.method === 'POST' ? await bodyOf(exchange, bodyBytes, route.multilineFields) : null
    const done = plan.handle({
      params: validator.params(params),
      query: validator.query(search),
      body: body === null ? NO_FIELDS : validator.body(body),
      caller,
    })
    return replyOf(done instanceof Promise ? await done : done, route.status)
  }

  function refuseExpectation({ expects }: Pick<Exchange<Caller>, 'expects'>): void {
    if (expects === 'something else')
      fail('BAD_REQUEST', { field: 'expect', message: 'Unknown expectation.' })
  }

  function enter(exchange: Exchange<Caller>): void {
    if (overload.isOverloaded()) {
      metrics.shed()
      fail('ENGINE_UNAVAILABLE', { message: 'Overloaded: try again in a second.', retryAfterS: 1 })
    }
    overload.enter()
    exchange.entered = true
  }

  async function bodyOf(
    exchange: Exchange<Caller>,
    bytes: number,
    multiline: readonly string[],
  ): Promise<Record<string, unknown>> {
    return bytes === 0 ? NO_FIELDS : parseJsonObject(await bytesOf(exchange), multiline)
  }

  async function bytesOf({ req, res, peer, expects }: Exchange<Caller>): Promise<Buffer> {
    checkMediaType(req)
    if (expects === 'continue') res.writeContinue()
    const reading = readBody(req, deps.bodyTimeoutMs)
    peer.reading = reading
    try {
      return await reading.bytes
    } finally {
      peer.reading = null
    }
  }

  return async (req, res, expects) => {
    const startedMs = performance.now()
    const requestId = deps.newRequestId(req.headers['x-request-id'])
    const peer = deps.peerOf(req.socket)
    const exchange: Exchange<Caller> = { req, res, expects, requestId, peer, plan: null, entered: false }
    peer.open += 1
    let reply: Reply | null = null
    let refused: PitError | null = null
    try {
      reply = await answer(exchange)
    } catch (error) {
      if (!(error instanceof ClientGone)) ({ reply, refused } = refuse(error, exchange))
    }
    if (exchange.entered) overload.leave()
    peer.open -= 1
    if (reply !== null) {
      if (deps.isClosing() || peer.broken) reply.close = true
      await sendReply(exchange, reply, refused, deps.baseHeaders).catch((error: unknown) => {
        ;({ reply, refused } = lastResort(error, exchange))
        return sendReply(exchange, reply, null, deps.baseHeaders)
      })
    }
    const ms = performance.now() - startedMs
    const route = exchange.plan?.name ?? 'none'
    // 499: the client left before its response, as proxies count it.
    const status = reply?.status ?? 499
    metrics.request(route, status, ms / 1000)
    if (logger.isLevelEnabled('debug'))
      logger.debug({ requestId, route, status, code: refused?.code, ms }, 'answered')
  }
}

/** Browsers navigate with an Accept of text/html; other callers get JSON. */
const isVisit = ({ method, headers }: IncomingMessage, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  !path.startsWith('/api/') &&
  String(headers.accept ?? '').includes('text/html')

/** Host, path and query of the request line. An absolute URI contains the host, which then counts. */
function targetOf(req: IncomingMessage): { host: string | undefined; path: string; search: string } {
  let url = req.url ?? '/'
  let host = req.headers.host
  if (url.length > MAX_TARGET_LENGTH) fail('BAD_REQUEST', { field: 'path', message: 'The URI is too long.' })
  if (!url.startsWith('/')) {
    const absolute = /^https?:\/\/([^/?#]+)(\/[^#]*)?/i.exec(url)
    if (absolute) {
      host = absolute[1]
      url = absolute[2] ?? '/'
    } else if (url !== '*')
      fail('BAD_REQUEST', { field: 'path', message: 'The request target is malformed.' })
  }
  const query = url.indexOf('?')
  return query === -1
    ? { host, path: url, search: '' }
    : { host, path: url.slice(0, query), search: url.slice(query + 1) }
}
