import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/logger'
import type { Metrics } from '@pit/platform/metrics'
import { fail, type PitError } from '@pit/protocol'
import { type Geo, isBlocked, placesFromHeaders } from '../compliance/geo.ts'
import type { Config } from '../config.ts'
import { clientAddressOf, networkOf } from './clientAddress.ts'
import { createKeyFinder } from './findKey.ts'
import { type Expects, finish } from './finish.ts'
import type { Overload } from './overload.ts'
import { parseJsonObject } from './parseJson.ts'
import type { Peer, PeerOf } from './peer.ts'
import type { Authenticate, PagePlan, RoutePlan } from './plan.ts'
import { refuseUnless, takingsOf } from './rates/charge.ts'
import type { Limiter } from './rates/limiter.ts'
import { bodyLength, ClientGone, checkMediaType, readBody } from './readBody.ts'
import { createRefuse, WrongMethod } from './refuse.ts'
import type { Reply } from './reply.ts'
import type { NewRequestId } from './requestId.ts'
import type { Router } from './router.ts'
import { targetOf } from './target.ts'
import { type ApiKey, isRawAnswer } from './types.ts'

export interface EdgeDeps {
  config: Pick<Config, 'geoHeader' | 'geoRegionHeader'>
  clock: Clock
  router: Router<RoutePlan | PagePlan>
  authenticate: Authenticate
  limiter: Limiter
  sanctions: { isSanctioned(address: string): boolean }
  geo: Geo
  logger: Logger
  metrics: Metrics
  overload: Overload
  peerOf: PeerOf
  proxies: { has(address: string): boolean }
  answersFor: (host: string | undefined) => boolean
  checkCsrf: (headers: IncomingMessage['headers']) => void
  newRequestId: NewRequestId
  standing: readonly string[]
  isClosing: () => boolean
  bodyTimeoutMs: number
}

export type Serve = (req: IncomingMessage, res: ServerResponse, expects: Expects) => Promise<void>

/** One request on its way. */
interface Visit {
  req: IncomingMessage
  res: ServerResponse
  expects: Expects
  requestId: string
  peer: Peer
  /** Known once the route is. */
  plan: RoutePlan | PagePlan | null
  /** Counted among the requests under way. */
  entered: boolean
}

interface Asked {
  address: string
  params: Record<string, string>
  search: string
}

const NO_FIELDS = {}
const PAGE_BUCKETS = ['public.address', 'public.overall'] as const

/** One request, in the order the contract gives; each step refuses before the next one costs anything. */
export function createEdge(deps: EdgeDeps): Serve {
  const { clock, router, limiter, metrics, overload, sanctions, logger } = deps
  const keyOf = createKeyFinder(deps)
  const { refuse, lastResort } = createRefuse(deps)

  /** Host, country, route; then the page, or the route's own way. */
  function answer(visit: Visit): Reply | Promise<Reply> {
    const { req, peer } = visit
    const { host, path, search } = targetOf(req)
    if (!deps.answersFor(host)) fail('UNKNOWN_HOST')
    const address = forwardedAddress(req, peer)
    refuseBlockedPlace(req, peer, address)
    const found = router.find(req.method ?? '', path)
    if (found.kind === 'none') return fail('NOT_FOUND', { message: 'No such route.' })
    if (found.kind === 'other method') throw new WrongMethod(found.allow)
    visit.plan = found.target
    return found.target.kind === 'page'
      ? answerPage(visit, found.target, address)
      : answerRoute(visit, found.target, { address, params: found.params, search })
  }

  async function answerPage({ req }: Visit, page: PagePlan, address: string): Promise<Reply> {
    bodyLength(req, false)
    const takings = takingsOf(PAGE_BUCKETS, networkOf(address), null)
    refuseUnless(await limiter.take(takings, clock.nowMs()), metrics)
    return { ...page }
  }

  /** Load, body length, CSRF, rate by address, key, sanctions, rate by key, what the route says first, parse, handler. */
  async function answerRoute(
    visit: Visit,
    plan: RoutePlan,
    { address, params, search }: Asked,
  ): Promise<Reply> {
    const { req, requestId } = visit
    const { route, validator } = plan
    if (!plan.neverShed) enter(visit)
    if (visit.expects === 'something else') {
      fail('BAD_REQUEST', { field: 'expect', message: 'Unknown expectation.' })
    }
    const bodyBytes = bodyLength(req, route.takesBody && !validator.takesEmptyBody)
    if (route.method === 'POST') deps.checkCsrf(req.headers)
    const network = networkOf(address)
    let key: ApiKey | null = null
    if (plan.needsKey) {
      if (plan.bucketsBeforeKey.length > 0) {
        const seen = limiter.peek(takingsOf(plan.bucketsBeforeKey, network, null), clock.nowMs())
        refuseUnless(seen instanceof Promise ? await seen : seen, metrics)
      }
      key = await keyOf(req.headers.authorization, network)
      refuseSanctioned(key, plan)
    }
    if (plan.buckets.length > 0) {
      const keyId = key === null ? null : String(key.keyId)
      const taken = limiter.take(takingsOf(plan.buckets, network, keyId), clock.nowMs())
      refuseUnless(taken instanceof Promise ? await taken : taken, metrics)
    }
    if (plan.needsWallet && key?.wallet === null) fail('WALLET_NOT_BOUND')
    const caller = { requestId, address, key }
    plan.admit?.(caller)
    const body = route.method === 'POST' ? await bodyOf(visit, bodyBytes, route.multilineFields) : null
    const done = plan.handle({
      params: validator.params(params),
      query: validator.query(search),
      body: body === null ? NO_FIELDS : validator.body(body),
      caller,
    })
    return replyOf(done instanceof Promise ? await done : done, route.status)
  }

  function forwardedAddress(req: IncomingMessage, peer: Peer): string {
    const forwardedFor = peer.isProxy ? req.headers['x-forwarded-for'] : undefined
    if (forwardedFor === undefined) return peer.address
    return clientAddressOf(peer.address, String(forwardedFor), deps.proxies)
  }

  function refuseBlockedPlace(req: IncomingMessage, peer: Peer, address: string): void {
    // Either one blocks: a proxy that passes a client's own header on must not lift what the database knows.
    const told = peer.isProxy ? placesFromHeaders(req.headers, deps.config) : []
    if (told.some(isBlocked)) fail('COUNTRY_BLOCKED')
    const found = deps.geo.locate(address)
    if (found !== null && isBlocked(found)) fail('COUNTRY_BLOCKED')
  }

  function enter(visit: Visit): void {
    if (overload.isOverloaded()) {
      metrics.shed()
      fail('ENGINE_UNAVAILABLE', { message: 'Overloaded: try again in a second.', retryAfterS: 1 })
    }
    overload.enter()
    visit.entered = true
  }

  function refuseSanctioned({ wallet }: ApiKey, { route }: RoutePlan): void {
    if (wallet === null || route.sanctionedKeyAllowed || !sanctions.isSanctioned(wallet)) return
    fail('SANCTIONED', { field: 'wallet', message: 'The key’s wallet is on a sanctions list.' })
  }

  async function bodyOf(
    { req, res, peer, expects }: Visit,
    bytes: number,
    multiline: readonly string[],
  ): Promise<Record<string, unknown>> {
    if (bytes === 0) return NO_FIELDS
    checkMediaType(req)
    if (expects === 'continue') res.writeContinue()
    const reading = readBody(req, deps.bodyTimeoutMs)
    peer.reading = reading
    try {
      return parseJsonObject(await reading.bytes, multiline)
    } finally {
      peer.reading = null
    }
  }

  function leave({ entered, peer }: Visit): void {
    if (entered) overload.leave()
    peer.open -= 1
  }

  return async (req, res, expects) => {
    const startedMs = performance.now()
    const requestId = deps.newRequestId(req.headers['x-request-id'])
    const peer = deps.peerOf(req.socket)
    const visit: Visit = { req, res, expects, requestId, peer, plan: null, entered: false }
    peer.open += 1
    let reply: Reply | null = null
    let refused: PitError | null = null
    try {
      reply = await answer(visit)
    } catch (error) {
      if (!(error instanceof ClientGone)) ({ reply, refused } = refuse(error, visit))
    }
    leave(visit)
    if (reply !== null) {
      if (deps.isClosing() || peer.broken) reply.close = true
      await finish(visit, reply, refused, deps.standing).catch((error: unknown) => {
        ;({ reply, refused } = lastResort(error, visit))
        return finish(visit, reply, null, deps.standing)
      })
    }
    const ms = performance.now() - startedMs
    const route = visit.plan?.name ?? 'none'
    // 499, as proxies count it: the client left before its answer.
    const status = reply?.status ?? 499
    metrics.request(route, status, ms / 1000)
    if (logger.isLevelEnabled('debug'))
      logger.debug({ requestId, route, status, code: refused?.code, ms }, 'answered')
  }
}

function replyOf(answer: unknown, status: number): Reply {
  if (!isRawAnswer(answer)) {
    const body = JSON.stringify(answer) as string | undefined
    if (body === undefined) throw new TypeError('the handler answered nothing')
    return { status, body }
  }
  const reply: Reply = { status: answer.status ?? status, body: answer.serialised }
  if (answer.contentType !== undefined) reply.contentType = answer.contentType
  if (reply.status === 503) reply.headers = ['Retry-After', '5']
  return reply
}
