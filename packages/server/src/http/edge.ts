import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, isPitError, type PitError, refusal } from '@pit/protocol'
import { type Geo, isBlocked, placeFromHeaders } from '../compliance/geo.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { clientAddressOf, networkOf } from './clientAddress.ts'
import { type Expects, finish } from './finish.ts'
import type { Overload } from './overload.ts'
import { parseJsonObject } from './parseJson.ts'
import type { Peer, PeerOf } from './peer.ts'
import type { Authenticate, PagePlan, RoutePlan } from './plan.ts'
import { refuseUnless, takingsOf } from './rates/charge.ts'
import type { Limiter } from './rates/limiter.ts'
import { bodyLength, ClientGone, checkMediaType, readBody } from './readBody.ts'
import { isDocumented, type Reply, refusalReply } from './reply.ts'
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

  /** Load, body length, CSRF, rate by address, key, sanctions, rate by key, parse, handler. */
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
      key = await keyOf(req, network)
      refuseSanctioned(key, plan)
    }
    if (plan.buckets.length > 0) {
      const keyId = key === null ? null : String(key.keyId)
      const taken = limiter.take(takingsOf(plan.buckets, network, keyId), clock.nowMs())
      refuseUnless(taken instanceof Promise ? await taken : taken, metrics)
    }
    if (plan.needsWallet && key?.wallet === null) fail('WALLET_NOT_BOUND')
    const body = route.method === 'POST' ? await bodyOf(visit, bodyBytes) : null
    const done = plan.handle({
      params: validator.params(params),
      query: validator.query(search),
      body: body === null ? NO_FIELDS : validator.body(body),
      caller: { requestId, address, key },
    })
    return replyOf(done instanceof Promise ? await done : done, route.status)
  }

  function forwardedAddress(req: IncomingMessage, peer: Peer): string {
    const forwardedFor = peer.isProxy ? req.headers['x-forwarded-for'] : undefined
    if (forwardedFor === undefined) return peer.address
    return clientAddressOf(peer.address, String(forwardedFor), deps.proxies)
  }

  function refuseBlockedPlace(req: IncomingMessage, peer: Peer, address: string): void {
    const told = peer.isProxy ? placeFromHeaders(req.headers, deps.config) : null
    const place = told ?? deps.geo.locate(address)
    if (place !== null && isBlocked(place)) fail('COUNTRY_BLOCKED')
  }

  function enter(visit: Visit): void {
    if (overload.isOverloaded()) {
      metrics.shed()
      fail('ENGINE_UNAVAILABLE', { message: 'Overloaded: try again in a second.', retryAfterS: 1 })
    }
    overload.enter()
    visit.entered = true
  }

  /** A good key is never held up by the failures of others behind the same address. */
  async function keyOf(req: IncomingMessage, network: string): Promise<ApiKey> {
    const bearer = bearerOf(req.headers.authorization)
    if (bearer !== null) {
      const key = await deps.authenticate(bearer)
      if (key !== null) return key
    }
    refuseUnless(await limiter.take([{ bucket: 'failed_auth', id: network }], clock.nowMs()), metrics)
    return fail('UNAUTHORIZED')
  }

  function refuseSanctioned({ wallet }: ApiKey, { route }: RoutePlan): void {
    if (wallet === null || route.sanctionedKeyAllowed || !sanctions.isSanctioned(wallet)) return
    fail('SANCTIONED', { field: 'wallet', message: 'The key’s wallet is on a sanctions list.' })
  }

  async function bodyOf({ req, res, peer, expects }: Visit, bytes: number): Promise<Record<string, unknown>> {
    if (bytes === 0) return NO_FIELDS
    checkMediaType(req)
    if (expects === 'continue') res.writeContinue()
    const reading = readBody(req, deps.bodyTimeoutMs)
    peer.reading = reading
    try {
      return parseJsonObject(await reading.bytes)
    } finally {
      peer.reading = null
    }
  }

  /** Anything thrown that is no refusal is a defect: logged whole, answered without a word of it. */
  function refusalOf(error: unknown, { plan, requestId, req }: Visit): PitError {
    if (error instanceof WrongMethod) return refusal('METHOD_NOT_ALLOWED')
    if (isPitError(error)) return error
    metrics.defect(plan?.name ?? 'none')
    logger.error({ err: error, requestId, route: plan?.name, method: req.method }, 'unexpected exception')
    return refusal('ENGINE_UNAVAILABLE', {
      message: `Something went wrong here; report request ${requestId}.`,
    })
  }

  function refuse(error: unknown, visit: Visit): { reply: Reply; refused: PitError } {
    const refused = refusalOf(error, visit)
    const route = visit.plan?.kind === 'route' ? visit.plan.route : null
    const reply = refusalReply(refused, route, error instanceof WrongMethod ? ['Allow', error.allow] : [])
    if (route !== null && !isDocumented(route, refused, reply.status)) {
      const { requestId } = visit
      logger.error(
        { requestId, route: route.id, code: refused.code, status: reply.status },
        'undocumented refusal',
      )
    }
    return { reply, refused }
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
      await finish(visit, reply, refused, deps.standing)
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

class WrongMethod extends Error {
  readonly allow: string
  constructor(allow: string) {
    super(allow)
    this.allow = allow
  }
}

function bearerOf(header: string | undefined): string | null {
  if (header === undefined || header.length > 512) return null
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? null
}

function replyOf(answer: unknown, status: number): Reply {
  if (!isRawAnswer(answer)) return { status, body: JSON.stringify(answer) }
  const reply: Reply = { status: answer.status ?? status, body: answer.serialised }
  if (answer.contentType !== undefined) reply.contentType = answer.contentType
  if (reply.status === 503) reply.headers = ['Retry-After', '5']
  return reply
}
