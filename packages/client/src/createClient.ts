import type { ChainProfile } from '@pit/protocol'
import type { Account } from './account.ts'
import { type Api, createApi, pause, type TransportOptions } from './call.ts'
import type { ClientDeps, VerbOptions } from './deps.ts'
import { createFast } from './fast/fastTrade.ts'
import { openNode } from './own/price.ts'
import { type Rpc, rpcAt } from './own/rpc.ts'
import { checkConfig, type Pins, pinsOf } from './pins.ts'
import { memoryRecords, openRecords, type RecordStore } from './records.ts'
import { cancelOrders, listOrders } from './verbs/cancelOrders.ts'
import { endAllSessions } from './verbs/endAllSessions.ts'
import { resume } from './verbs/follow.ts'
import { grantLive } from './verbs/grantLive.ts'
import { grantSession } from './verbs/grantSession.ts'
import { listTrades } from './verbs/listTrades.ts'
import { attestStocks, checkExecutor, createAgent, enterLeague } from './verbs/owners.ts'
import { orderSize, placeBracket, placeOrders } from './verbs/placeOrders.ts'
import { recordedSessions } from './verbs/recordedSessions.ts'
import { refundGas } from './verbs/refundGas.ts'
import { rehearseTrade } from './verbs/rehearseTrade.ts'
import { replaceOrder } from './verbs/replaceOrder.ts'
import { revokeApprovals } from './verbs/revokeApprovals.ts'
import { revokeSession } from './verbs/revokeSession.ts'
import { sessionTrade } from './verbs/sessionTrade.ts'
import { revokeAllKeys, signIn } from './verbs/signIn.ts'
import { signWanted } from './verbs/signWanted.ts'
import { stopAgent } from './verbs/stopAgent.ts'
import { curveTrade, plan, send, trade } from './verbs/trade.ts'
import { ownAnswer } from './verify/ownAnswer.ts'

export interface ClientOptions extends Omit<TransportOptions, 'apiKey'> {
  /** The chain and the service's own addresses, from a file you trust; never from the server. */
  profile: ChainProfile
  account: Account
  /** Kept from an earlier sign-in. */
  apiKey?: string
  /** The client's own node; the profile's address by default. */
  rpc?: Rpc
  /** What sign-in messages must name; the server's host by default. */
  domain?: string
  /** Where signed roots and created agents are kept; in memory by default, so hand in one that lasts. */
  records?: RecordStore
  nowMs?(): number
}

export type PitClient = ReturnType<typeof createClient>

/** A client that verifies every answer against its own pins and its own node before it signs. */
export function createClient(options: ClientOptions) {
  const pins: Pins = pinsOf(options.profile)
  let apiKey = options.apiKey ?? null
  const api: Api = createApi({ ...options, apiKey: () => apiKey })
  const [rpcUrl] = options.profile.rpc_urls
  const rpc = options.rpc ?? (rpcUrl ? rpcAt(rpcUrl, options.fetch) : noNode())
  const nowMs = options.nowMs ?? Date.now
  let checking: Promise<void> | null = null
  const checked = (): Promise<void> => {
    checking ??= api.config().then((config) => checkConfig(pins, config))
    // A server that did not answer is asked again; one that lied is refused again.
    checking.catch(() => {
      checking = null
    })
    return checking
  }
  const deps: ClientDeps = {
    api,
    account: options.account,
    pins,
    rpc: openNode(rpc, pins, nowMs),
    nowMs,
    sleep: options.sleep ?? pause,
    records: openRecords(options.records ?? memoryRecords(), options.account.address),
    checked,
  }
  const fast = createFast(deps)
  const domain = options.domain ?? new URL(options.url).host
  return {
    /** Every route as it is, unverified: `api['live.quote']`. */
    api,
    pins,
    address: options.account.address,
    apiKey: () => apiKey,
    checkConfig: checked,
    async signIn({ signal }: VerbOptions = {}) {
      await checked()
      const answer = await signIn(deps, { domain, signal })
      apiKey = answer.api_key
      return answer
    },
    /** Ends every key of the wallet; the wallet signs for it. */
    revokeAllKeys: ({ signal }: VerbOptions = {}) => revokeAllKeys(deps, { domain, signal }),
    quote: (body: Parameters<Api['live.quote']>[0]['body'], call?: VerbOptions) =>
      api['live.quote']({ body }, call),
    trade: bind(deps, trade),
    curveTrade: bind(deps, curveTrade),
    plan: bind(deps, plan),
    send: bind(deps, send),
    resume: bind(deps, resume),
    fastTrade: fast.fastTrade,
    /** Reads what the next fast trade is built from ahead of it. */
    warmUp: fast.warmUp,
    grantSession: bind(deps, grantSession),
    sessionTrade: bind(deps, sessionTrade),
    /** Every rule of the service and the co-signer for a trade, by their word; nothing is signed. */
    rehearseTrade: bind(deps, rehearseTrade),
    revokeSession: bind(deps, revokeSession),
    /** Ends every session with controls by one transaction, without the server. */
    revokeAll: bind(deps, endAllSessions),
    revokeApprovals: bind(deps, revokeApprovals),
    /** Sessions this client signed, with their state on chain by its own node; no server has a say in it. */
    recordedSessions: bind(deps, recordedSessions),
    hosted: {
      create: bind(deps, createAgent),
      /** The owner's request for a live agent, as `create` recorded it here; null if another machine made it. */
      record: deps.records.agent,
      grantLive: bind(deps, grantLive),
      stop: bind(deps, stopAgent),
      /** Whether the pinned co-signer attests a live agent's executor; before anything is granted to it. */
      checkExecutor: bind(deps, checkExecutor),
      attestStocks: bind(deps, attestStocks),
      refundGas: bind(deps, refundGas),
    },
    /** Signed orders of hosted agents. */
    orders: {
      place: bind(deps, placeOrders),
      placeBracket: bind(deps, placeBracket),
      /** Dollars in whole tokens, at the client's own prices. */
      sizeOf: bind(deps, orderSize),
      replace: bind(deps, replaceOrder),
      cancel: bind(deps, cancelOrders),
      list: bind(deps, listOrders),
      signWanted: bind(deps, signWanted),
    },
    league: { enter: bind(deps, enterLeague) },
    portfolio: async (call?: VerbOptions) =>
      ownAnswer('me.portfolio', options.account, await api['me.portfolio']({}, call)),
    sessions: async (call?: VerbOptions) =>
      ownAnswer('me.sessions', options.account, await api['me.sessions']({}, call)),
    trades: bind(deps, listTrades),
  }
}

const bind =
  <Args extends unknown[], T>(deps: ClientDeps, verb: (deps: ClientDeps, ...args: Args) => T) =>
  (...args: Args): T =>
    verb(deps, ...args)

function noNode(): Rpc {
  throw new TypeError('the profile has no rpc_urls: hand in `rpc`, the node the client verifies by')
}
