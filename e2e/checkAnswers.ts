import { type AnyRoute, checkAnswer, checkRefusal, type ErrorCode, ROUTE_IDS, routeById } from '@pit/protocol'

/** Runs before every story: each answer of a server must match the route's documented schema. */

/** Routes without parameters first, so that tokens/stats is not read as a token. */
const ROUTES = ROUTE_IDS.map(routeById)
  .sort((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')))
  .map((route) => ({ route, path: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`) }))
const routeOf = (method: string, url: string): AnyRoute | undefined => {
  const { pathname } = new URL(url)
  return ROUTES.find(({ route, path }) => route.method === method && path.test(pathname))?.route
}

/** A worker runs this file before each of its stories. */
const PLAIN = Symbol.for('pit.plainFetch')
const shared = globalThis as { [PLAIN]?: typeof fetch }
shared[PLAIN] ??= globalThis.fetch
const fetchOnly = shared[PLAIN]

globalThis.fetch = async (input, init) => {
  const response = await fetchOnly(input, init)
  const request = input instanceof Request ? input : undefined
  const route = routeOf(init?.method ?? request?.method ?? 'GET', request?.url ?? String(input))
  if (route === undefined || route.id === 'openapi') return response
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { code: ErrorCode } | null } | undefined
  if (body === undefined) return response
  // A simulation's answer has an `error` too: null or a text.
  const refused = typeof body.error === 'object' ? body.error : null
  const checked = refused === null ? checkAnswer(route, body) : checkRefusal(refused)
  if (checked.ok) return response
  const what = refused?.code ?? 'an answer'
  throw new Error(`${route.id}: ${what} that is not as documented: ${checked.field}: ${checked.message}`)
}
