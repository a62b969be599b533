import type { IncomingMessage, ServerResponse } from 'node:http'
import { fail, isPitError, type PitError, refusal } from '@pit/protocol'
import { type Geo, isBlocked, placeFromHeaders } from '../compliance/geo.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { clientAddressOf, networkOf } from './clientAddress.ts'
import type { Overload } from './overload.ts'
import { parseJsonObject } from './parseJson.ts'
import type { Peer, PeerOf } from './peer.ts'
import type { Authenticate, PagePlan, RoutePlan } from './plan.ts'
import { refuseUnless, takingsOf } from './rates/charge.ts'
import type { Limiter } from './rates/limiter.ts'
import { bodyLength, ClientGone, checkMediaType, discardBody, readBody } from './readBody.ts'
import { headersOf, isDocumented, type Reply, refusalReply, send } from './reply.ts'
import type { NewRequestId } from './requestId.ts'
import type { Router } from './router.ts'
import { targetOf } from './target.ts'
import { type ApiKey, type Caller, isRawAnswer } from './types.ts'

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

export type Expects = 'nothing' | 'continue' | 'something else'
export type Serve = (req: IncomingMessage, res: ServerResponse, expects: Expects) => Promise<void>

const NO_FIELDS = {}

/** One request, in the order the contract gives; each step refuses before the next one costs anything. */
export function createEdge(deps: EdgeDeps): Serve {
  const { clock, router, limiter, metrics, overload, sanctions } = deps

  async function serve(req: IncomingMessage, res: ServerResponse, expects: Expects): Promise<void> {
    const startedMs = performance.now()
    const requestId = deps.newRequestId(req.headers['x-request-id'])
    const peer = deps.peerOf(req.socket)
    peer.open += 1
    let plan: RoutePlan | PagePlan | null = null
    let entered = false
    let reply: Reply
    let refused: PitError | null = null
    try {
      const target = targetOf(req)
      if (!deps.answersFor(target.host)) fail('UNKNOWN_HOST')
      const address = peer.isProxy ? forwardedAddress(req, peer) : peer.address
      refuseBlockedPlace(req, peer, address)
      const found = router.find(req.method ?? '', target.path)
      if (found.kind === 'none') fail('NOT_FOUND', { message: 'No such route.' })
      if (found.kind === 'other method') throw new WrongMethod(found.allow)
      plan = (found as Extract<typeof found, { kind: 'found' }>).target
      if (plan.kind === 'page') {
        bodyLength(req, false)
        refuseUnless(
          await limiter.take(takingsOf(PAGE_BUCKETS, networkOf(address), null), clock.nowMs()),
          metrics,
        )
        reply = { ...plan }
      } else {
        if (!plan.neverShed) {
          if (overload.isOverloaded()) shed()
          overload.enter()
          entered = true
        }
        if (expects === 'something else')
          fail('BAD_REQUEST', { field: 'expect', message: 'Unknown expectation.' })
        const { route, validator } = plan
        const bodyBytes = bodyLength(req, route.takesBody && !validator.takesEmptyBody)
        if (route.method === 'POST') deps.checkCsrf(req.headers)
        const network = networkOf(address)
        let key: ApiKey | null = null
        if (plan.needsKey) {
          if (plan.bucketsBeforeKey.length > 0) {
            const looked = limiter.peek(takingsOf(plan.bucketsBeforeKey, network, null), clock.nowMs())
            refuseUnless(looked instanceof Promise ? await looked : looked, metrics)
          }
          key = await keyOf(req, network)
          if (key.wallet !== null && !route.sanctionedKeyAllowed && sanctions.isSanctioned(key.wallet)) {
            fail('SANCTIONED', { field: 'wallet', message: 'The key’s wallet is on a sanctions list.' })
          }
        }
        if (plan.buckets.length > 0) {
          const keyId = key === null ? null : String(key.keyId)
          const taken = limiter.take(takingsOf(plan.buckets, network, keyId), clock.nowMs())
          refuseUnless(taken instanceof Promise ? await taken : taken, metrics)
        }
        if (plan.needsWallet && key?.wallet === null) fail('WALLET_NOT_BOUND')
        let given = NO_FIELDS
        if (bodyBytes > 0 && route.method === 'POST') {
          checkMediaType(req)
          if (expects === 'continue') res.writeContinue()
          given = parseJsonObject(await bodyOf(req, peer))
        }
        const params = validator.params(found.kind === 'found' ? found.params : {})
        const query = validator.query(target.search)
        const body = route.method === 'POST' ? validator.body(given) : NO_FIELDS
        const caller: Caller = { requestId, address, key }
        let answer = plan.handle({ params, query, body, caller })
        if (answer instanceof Promise) answer = await answer
        reply = replyOf(answer, route.status)
      }
    } catch (error) {
      if (error instanceof ClientGone) {
        metrics.request(plan?.name ?? 'none', 499, (performance.now() - startedMs) / 1000)
        if (entered) overload.leave()
        peer.open -= 1
        return
      }
      refused = refusalOf(error, plan, requestId, req)
      const route = plan?.kind === 'route' ? plan.route : null
      const allow = error instanceof WrongMethod ? ['Allow', error.allow] : []
      reply = refusalReply(refused, route, allow)
      if (route !== null && !isDocumented(route, refused, reply.status)) {
        deps.logger.error(
          { requestId, route: route.id, code: refused.code, status: reply.status },
          'undocumented refusal',
        )
      }
    }
    if (entered) overload.leave()
    peer.open -= 1
    if (deps.isClosing() || peer.broken) reply.close = true
    await finish(req, res, reply, requestId, expects, refused)
    const seconds = (performance.now() - startedMs) / 1000
    metrics.request(plan?.name ?? 'none', reply.status, seconds)
    if (deps.logger.isLevelEnabled('debug')) {
      const code = refused?.code
      deps.logger.debug(
        { requestId, route: plan?.name, status: reply.status, code, ms: seconds * 1000 },
        'answered',
      )
    }
  }

  function forwardedAddress(req: IncomingMessage, peer: Peer): string {
    const forwardedFor = req.headers['x-forwarded-for']
    if (forwardedFor === undefined) return peer.address
    return clientAddressOf(peer.address, String(forwardedFor), deps.proxies)
  }

  function refuseBlockedPlace(req: IncomingMessage, peer: Peer, address: string): void {
    const place =
      (peer.isProxy ? placeFromHeaders(req.headers, deps.config) : null) ?? deps.geo.locate(address)
    if (place !== null && isBlocked(place)) fail('COUNTRY_BLOCKED')
  }

  function shed(): never {
    metrics.shed()
    throw refusal('ENGINE_UNAVAILABLE', { message: 'Overloaded: try again in a second.', retryAfterS: 1 })
  }

  /** A good key is never held up by the failures of others behind the same address. */
  async function keyOf(req: IncomingMessage, network: string): Promise<ApiKey> {
    const bearer = bearerOf(req.headers.authorization)
    if (bearer !== null) {
      const found = deps.authenticate(bearer)
      const key = found instanceof Promise ? await found : found
      if (key !== null) return key
    }
    refuseUnless(await limiter.take([{ bucket: 'failed_auth', id: network }], clock.nowMs()), metrics)
    return fail('UNAUTHORIZED')
  }

  async function bodyOf(req: IncomingMessage, peer: Peer): Promise<Buffer> {
    const reading = readBody(req, deps.bodyTimeoutMs)
    peer.reading = reading
    try {
      return await reading.bytes
    } finally {
      peer.reading = null
    }
  }

  /** Anything thrown that is no refusal is a defect: logged whole, answered without a word of it. */
  function refusalOf(
    error: unknown,
    plan: RoutePlan | PagePlan | null,
    requestId: string,
    req: IncomingMessage,
  ): PitError {
    if (error instanceof WrongMethod) return refusal('METHOD_NOT_ALLOWED')
    if (isPitError(error)) return error
    metrics.defect(plan?.name ?? 'none')
    deps.logger.error(
      { err: error, requestId, route: plan?.name, method: req.method },
      'unexpected exception',
    )
    return refusal('ENGINE_UNAVAILABLE', {
      message: `Something went wrong here; report request ${requestId}.`,
    })
  }

  /** A body that was refused unread still arrives: read it away, or closing would reset the answer. */
  async function finish(
    req: IncomingMessage,
    res: ServerResponse,
    reply: Reply,
    requestId: string,
    expects: Expects,
    refused: PitError | null,
  ): Promise<void> {
    const unread = refused !== null && !req.complete && (reply.status === 411 || reply.status === 413)
    if (!unread && !(refused !== null && !req.complete && refused.extras['field'] === 'body')) {
      send(res, reply, headersOf(reply, requestId, deps.standing))
      return
    }
    reply.close = true
    if (res.headersSent || res.destroyed) return
    res.writeHead(reply.status, headersOf(reply, requestId, deps.standing))
    if (expects !== 'nothing') {
      res.end(reply.body)
      return
    }
    res.write(reply.body)
    await discardBody(req)
    res.end()
  }

  return serve
}

const PAGE_BUCKETS = ['public.address', 'public.overall'] as const

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
  const reply: Reply = { status: answer.status ?? status, body: answer.raw }
  if (answer.contentType !== undefined) reply.contentType = answer.contentType
  if (reply.status === 503) reply.headers = ['Retry-After', '5']
  return reply
}
