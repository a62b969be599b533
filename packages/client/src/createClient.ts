import type { ChainProfile } from '@pit/protocol'
import type { Account } from './account.ts'
import { type Api, createApi, pause, type TransportOptions } from './call.ts'
import type { ClientDeps, VerbOptions } from './deps.ts'
import { createFast } from './fast/fastTrade.ts'
import { atFreshHead } from './own/atFreshHead.ts'
import { openNode } from './own/node.ts'
import { createChainCheck, onPinnedChain } from './own/pinnedChain.ts'
import { type Rpc, rpcAt } from './own/rpc.ts'
import { checkConfig, type Pins, pinsOf } from './pins.ts'
import { memoryRecords, openRecords, type RecordStore } from './records.ts'
import { cancelOrders, listOrders } from './verbs/cancelOrders.ts'
import { cancelSessionOrders } from './verbs/cancelSessionOrders.ts'
import { endAllSessions } from './verbs/endAllSessions.ts'
import { resume } from './verbs/follow.ts'
import { grantLive } from './verbs/grantLive.ts'
import { grantSession } from './verbs/grantSession.ts'
import { holdings, tokens, transaction } from './verbs/holdings.ts'
import { latestOrderEnd } from './verbs/latestOrderEnd.ts'
import { listTrades } from './verbs/listTrades.ts'
import { attestStocks, checkExecutor, createAgent, enterLeague } from './verbs/owners.ts'
import { bracketRequest, orderSize, placeBracket, placeOrders } from './verbs/placeOrders.ts'
import { recordedSessions } from './verbs/recordedSessions.ts'
import { refundGas } from './verbs/refundGas.ts'
import { rehearseTrade } from './verbs/rehearseTrade.ts'
import { replaceOrder } from './verbs/replaceOrder.ts'
import { report } from './verbs/report.ts'
import { revokeApprovals } from './verbs/revokeApprovals.ts'
import { revokeSession } from './verbs/revokeSession.ts'
import { sendBack } from './verbs/sendBack.ts'
import { sessionTrade } from './verbs/sessionTrade.ts'
import { signedOrders } from './verbs/signedOrders.ts'
import { revokeAllKeys, signIn } from './verbs/signIn.ts'
import { signWanted } from './verbs/signWanted.ts'
import { stopAgent } from './verbs/stopAgent.ts'
import { curveTrade, plan, send, trade } from './verbs/trade.ts'
import { ownWallet } from './verify/ownWallet.ts'

/**
 * Options of `createClient`.
 * @public
 */
export interface ClientOptions extends Omit<TransportOptions, 'apiKey'> {
  /** The chain and the service's own addresses, from a file you trust; never from the server. */
  profile: ChainProfile
  account: Account
  /** Kept from an earlier sign-in. */
  apiKey?: string
  /** The client's own node; the profile's address by default. */
  rpc?: Rpc
  /** Domain of sign-in messages; the server's host by default. */
  domain?: string
  /** Where signed roots and created agents are kept; in memory by default, so hand in one that lasts. */
  records?: RecordStore
  nowMs?(): number
}

/**
 * The verbs of a client. Each verifies before it signs; only `api` does not.
 * @public
 */
export type PitClient = ReturnType<typeof createClient>

/**
 * A client that verifies every answer against its own pins and its own node before it signs.
 * @param options server, chain profile, account
 * @returns the verbs below
 * @throws CONFIG_MISMATCH the profile lacks an address
 * @public
 */
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
  const node = openNode(rpc, pins, nowMs)
  const signer = onPinnedChain(options.account, createChainCheck(rpc, pins))
  const deps: ClientDeps = {
    api,
    account: atFreshHead(signer, node),
    endingAccount: signer,
    pins,
    rpc: node,
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
    /** Pinned values, from the client's profile. */
    pins,
    /** The account's address. */
    address: options.account.address,
    /** The API key in use; null before `signIn`. Store it: it lasts 30 days. */
    apiKey: () => apiKey,
    /**
     * Compares the server's config with the pins, once. Every verb that signs does it first.
     * @throws CONFIG_MISMATCH fields differ (`details.diffs`)
     * @example
     * ```ts
     * await client.checkConfig()
     * ```
     */
    checkConfig: checked,
    /**
     * Signs in with the account. The message to sign is checked: this domain, address and chain.
     * @param options `signal`
     * @returns the API key, which the client uses from now on
     * @throws SIGNING_MISMATCH the message is not a sign-in of this account at this domain
     * @throws CONFIG_MISMATCH the server's config differs from the pins
     * @example
     * ```ts
     * const { expires_at } = await client.signIn()
     * console.log(new Date(expires_at * 1000))
     * ```
     */
    async signIn({ signal }: VerbOptions = {}) {
      await checked()
      const answer = await signIn(deps, { domain, signal })
      apiKey = answer.api_key
      return answer
    },
    /**
     * Ends every key of the wallet; the wallet signs for it.
     * @param options `signal`
     * @returns how many keys ended
     * @throws SIGNING_MISMATCH the message is not this account's
     * @example
     * ```ts
     * const logOutEverywhere = () => client.revokeAllKeys()
     * ```
     */
    revokeAllKeys: ({ signal }: VerbOptions = {}) => revokeAllKeys(deps, { domain, signal }),
    /**
     * Prices of a trade at every venue, by the service. Not verified: a quote is not signed.
     * @param body tokens and size
     * @param call `signal`
     * @returns the best quote and the others; `best` is null if nothing quotes
     * @throws UNKNOWN_TOKEN a symbol is not a core token
     * @example
     * ```ts
     * const { best } = await client.quote({ token_in: 'ETH', token_out: 'USDG', notional_usd: 25 })
     * console.log(best?.amount_out)
     * ```
     */
    quote: (body: Parameters<Api['live.quote']>[0]['body'], call?: VerbOptions) =>
      api['live.quote']({ body }, call),
    trade: bind(deps, trade),
    curveTrade: bind(deps, curveTrade),
    plan: bind(deps, plan),
    send: bind(deps, send),
    resume: bind(deps, resume),
    /**
     * One trade of a pinned pair in a single request: the client builds and prices the calldata itself.
     * @param request pair and size
     * @param options `fallback: false` fails instead of planning an ordinary trade
     * @returns `by` is the path that was used, with the receipt or the ordinary result
     * @throws FAST_PAIR no pinned route, with `fallback: false`
     * @throws STALE prices or pools are old, with `fallback: false`
     * @example
     * ```ts
     * const fast = await client.fastTrade({ token_in: 'ETH', token_out: 'USDG', usd: 20 })
     * console.log(fast.by)
     * ```
     */
    fastTrade: fast.fastTrade,
    /**
     * Reads ahead what the next fast trade is built from, so that the trade is one request. Lasts five seconds.
     * @param shield with shield's fee
     * @param signal ends the reading
     * @returns terms, marks and balances
     * @example
     * ```ts
     * await client.warmUp()
     * ```
     */
    warmUp: fast.warmUp,
    grantSession: bind(deps, grantSession),
    sessionTrade: bind(deps, sessionTrade),
    rehearseTrade: bind(deps, rehearseTrade),
    revokeSession: bind(deps, revokeSession),
    revokeAll: bind(deps, endAllSessions),
    revokeApprovals: bind(deps, revokeApprovals),
    sendBack: bind(deps, sendBack),
    recordedSessions: bind(deps, recordedSessions),
    /** Hosted agents. */
    hosted: {
      create: bind(deps, createAgent),
      /**
       * The owner's request for a live agent, as `create` recorded it here; null if another machine made it.
       * @example
       * ```ts
       * console.log(await client.hosted.record('agt_1'))
       * ```
       */
      record: deps.records.agent,
      grantLive: bind(deps, grantLive),
      stop: bind(deps, stopAgent),
      checkExecutor: bind(deps, checkExecutor),
      attestStocks: bind(deps, attestStocks),
      refundGas: bind(deps, refundGas),
    },
    /** Signed orders of hosted agents. */
    orders: {
      place: bind(deps, placeOrders),
      placeBracket: bind(deps, placeBracket),
      bracketRequest: bind(deps, bracketRequest),
      sizeOf: bind(deps, orderSize),
      latestEnd: bind(deps, latestOrderEnd),
      replace: bind(deps, replaceOrder),
      list: bind(deps, listOrders),
      signed: bind(deps, signedOrders),
      signWanted: bind(deps, signWanted),
      cancel: bind(deps, cancelOrders),
      cancelInSession: bind(deps, cancelSessionOrders),
    },
    /** The league. */
    league: { enter: bind(deps, enterLeague) },
    /**
     * The wallet's balances and approvals, as the service lists them for this wallet.
     * @param call `signal`
     * @returns the portfolio
     * @throws ACCOUNT_WALLET the response is about another wallet
     * @example
     * ```ts
     * console.log((await client.portfolio()).wallet)
     * ```
     */
    portfolio: async (call?: VerbOptions) => ownWallet(options.account, await api['me.portfolio']({}, call)),
    /**
     * The wallet's sessions, as the service lists them. `recordedSessions` needs no server.
     * @param call `signal`
     * @returns the sessions
     * @throws ACCOUNT_WALLET the response is about another wallet
     * @example
     * ```ts
     * console.log((await client.sessions()).sessions.length)
     * ```
     */
    sessions: async (call?: VerbOptions) => ownWallet(options.account, await api['me.sessions']({}, call)),
    trades: bind(deps, listTrades),
    holdings: bind(deps, holdings),
    tokens: bind(deps, tokens),
    transaction: bind(deps, transaction),
    report: bind(deps, report),
  }
}

const bind =
  <Args extends unknown[], T>(deps: ClientDeps, verb: (deps: ClientDeps, ...args: Args) => T) =>
  (...args: Args): T =>
    verb(deps, ...args)

function noNode(): Rpc {
  throw new TypeError('the profile has no rpc_urls: hand in `rpc`, the node the client verifies by')
}
