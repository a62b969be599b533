export interface Place {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Other statuses with the normal response body, and when. */
  readonly statusWhen?: { readonly [status: number]: string }
}

export const API_PREFIX = '/api/v1/'

/**
 * Method and path of every route below /api/v1/, parameters as `:name`. Separate from the full table because
 * clients bundle it without schemas.
 */
export const PLACES = {
  config: { method: 'GET', path: 'config' },
  health: { method: 'GET', path: 'health', statusWhen: { 503: 'the status is down' } },
  stats: { method: 'GET', path: 'stats' },
  treasury: { method: 'GET', path: 'treasury' },
  'auth.challenge': { method: 'POST', path: 'auth/challenge' },
  'auth.verify': { method: 'POST', path: 'auth/verify' },
  'auth.me': { method: 'GET', path: 'auth/me' },
  'auth.revoke': { method: 'POST', path: 'auth/revoke' },
  'auth.revoke_all': { method: 'POST', path: 'auth/revoke-all' },
  'tokens.get': { method: 'GET', path: 'tokens/:address' },
  'tokens.search': { method: 'GET', path: 'tokens' },
  'tokens.stats': { method: 'GET', path: 'tokens/stats' },
  'live.prepare': { method: 'POST', path: 'live/prepare' },
  'live.quote': { method: 'POST', path: 'live/quote' },
  'live.build': { method: 'POST', path: 'live/build' },
  'live.simulate': { method: 'POST', path: 'live/simulate' },
  'live.submit': { method: 'POST', path: 'live/submit' },
  'live.fast': { method: 'POST', path: 'live/fast' },
  'live.fast.terms': { method: 'GET', path: 'live/fast/terms' },
  'live.revoke': { method: 'POST', path: 'live/revoke' },
  'live.session.grant': { method: 'POST', path: 'live/session/grant' },
  'live.session.trade': { method: 'POST', path: 'live/session/trade' },
  'live.session.revoke': { method: 'POST', path: 'live/session/revoke' },
  'hosted.create': { method: 'POST', path: 'hosted' },
  'hosted.list': { method: 'GET', path: 'hosted' },
  'hosted.ai': { method: 'GET', path: 'hosted/ai' },
  'hosted.get': { method: 'GET', path: 'hosted/:id' },
  'hosted.update': { method: 'POST', path: 'hosted/:id/update' },
  'hosted.session': { method: 'POST', path: 'hosted/:id/session' },
  'hosted.pause': { method: 'POST', path: 'hosted/:id/pause' },
  'hosted.resume': { method: 'POST', path: 'hosted/:id/resume' },
  'hosted.stop': { method: 'POST', path: 'hosted/:id/stop' },
  'hosted.delete': { method: 'POST', path: 'hosted/:id/delete' },
  'hosted.rotate_executor': { method: 'POST', path: 'hosted/:id/rotate-executor' },
  'hosted.rotate_webhook_secret': { method: 'POST', path: 'hosted/:id/rotate-webhook-secret' },
  'hosted.refund_gas': { method: 'POST', path: 'hosted/:id/refund-gas' },
  'hosted.stock_attestation': { method: 'POST', path: 'hosted/:id/stock-attestation' },
  'hosted.stock_attestation.revoke': { method: 'POST', path: 'hosted/:id/stock-attestation/revoke' },
  'hosted.logs': { method: 'GET', path: 'hosted/:id/logs' },
  'hosted.executor': { method: 'GET', path: 'hosted/:id/executor' },
  'hosted.spend': { method: 'GET', path: 'hosted/:id/spend' },
  'me.trades': { method: 'GET', path: 'me/trades' },
  'me.portfolio': { method: 'GET', path: 'me/portfolio' },
  'me.sessions': { method: 'GET', path: 'me/sessions' },
  league: { method: 'GET', path: 'league' },
  'league.standings': { method: 'GET', path: 'league/standings' },
  'league.seasons': { method: 'GET', path: 'league/seasons' },
  'league.season': { method: 'GET', path: 'league/seasons/:n' },
  'league.reserve': { method: 'GET', path: 'league/reserve' },
  'league.me': { method: 'GET', path: 'league/me' },
  'league.statement': { method: 'POST', path: 'league/statement' },
  'league.enter': { method: 'POST', path: 'league/enter' },
  'league.confirm': { method: 'POST', path: 'league/confirm' },
  'league.leave': { method: 'POST', path: 'league/leave' },
  openapi: { method: 'GET', path: 'openapi.json' },
  'live.session.orders.cancel': { method: 'POST', path: 'live/session/orders/cancel' },
  'hosted.orders.place': { method: 'POST', path: 'hosted/:id/orders' },
  'hosted.orders.list': { method: 'GET', path: 'hosted/:id/orders' },
  'hosted.orders.cancel': { method: 'POST', path: 'hosted/:id/orders/cancel' },
  'hosted.orders.states': { method: 'POST', path: 'hosted/:id/orders/states' },
  'hosted.ai.connect': { method: 'POST', path: 'hosted/ai/connect' },
  'hosted.ai.disconnect': { method: 'POST', path: 'hosted/ai/disconnect' },
  'paper.order': { method: 'POST', path: 'paper/orders' },
  'paper.book': { method: 'GET', path: 'paper/book' },
} as const satisfies Record<string, Place>

export type RouteId = keyof typeof PLACES
