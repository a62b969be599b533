import type { Static } from '@sinclair/typebox'
import type { PitError } from '../errors/pitError.ts'
import type { Sent } from '../schemas/scalars.ts'
import { ACCOUNT_ROUTES } from './account.ts'
import { AUTH_ROUTES } from './auth.ts'
import { HOSTED_ROUTES } from './hosted.ts'
import { LEAGUE_ROUTES } from './league.ts'
import { LIVE_ROUTES } from './live.ts'
import { OUR_ROUTES } from './ours.ts'
import { API_PREFIX, type RouteId } from './places.ts'
import type { Route } from './route.ts'
import { SERVER_ROUTES } from './server.ts'
import { SESSION_ROUTES } from './sessions.ts'
import { TOKEN_ROUTES } from './tokens.ts'

const ROWS = {
  ...SERVER_ROUTES,
  ...AUTH_ROUTES,
  ...TOKEN_ROUTES,
  ...LIVE_ROUTES,
  ...SESSION_ROUTES,
  ...HOSTED_ROUTES,
  ...ACCOUNT_ROUTES,
  ...LEAGUE_ROUTES,
  ...OUR_ROUTES,
} satisfies Record<RouteId, Route>

type Rows = typeof ROWS

/**
 * Every route, by id. A route's handler, validation, documentation and client method all come from its row.
 */
export const ROUTES = Object.fromEntries(
  Object.entries(ROWS).map(([id, row]) => [id, { ...row, id, path: `${API_PREFIX}${row.path}` }]),
) as { readonly [Id in RouteId]: Rows[Id] & { readonly id: Id } }

export const ROUTE_IDS = Object.keys(ROUTES) as RouteId[]

/** A row without its schemas' types, for code that iterates over the table. */
export type AnyRoute = Route & { readonly id: RouteId }
export const routeById = (id: RouteId): AnyRoute => ROUTES[id] as AnyRoute

export type Params<Id extends RouteId> = Static<Rows[Id]['params']>
export type Query<Id extends RouteId> = Static<Rows[Id]['query']>
export type Body<Id extends RouteId> = Static<Rows[Id]['body']>
export type Answer<Id extends RouteId> = Static<Rows[Id]['answer']>

export type BodyInput<Id extends RouteId> = Sent<Rows[Id]['body']>
export type QueryInput<Id extends RouteId> = Sent<Rows[Id]['query']>

/** The status of an error on this route: the thrower's, else the route's, else the row's first. */
export const statusFor = (route: Pick<Route, 'statusOf'>, error: PitError): number =>
  error.statusGiven ? error.status : (route.statusOf[error.code]?.[0] ?? error.status)
