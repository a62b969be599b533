import { openHosted, openPaper } from '@pit/agents'
import { checkPairs } from '@pit/agents/internal/brains/readParams'
import type { HostedDeps } from '@pit/agents/internal/deps'
import { createHostedSigner } from '@pit/agents/test/hostedSigner'
import { type Address, type Hex, NATIVE, parseSignedTx, senderOf, signDelegation } from '@pit/chain'
import { openHistory } from '@pit/history'
import type { Charge } from '@pit/http'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { type Rpc, RpcError, RpcUnreachable } from '@pit/platform/rpc'
import type { Answer } from '@pit/protocol'
import { checkAnswer, isPitError, refusal, routeById } from '@pit/protocol'
import { createSwitches, writeSwitch } from '@pit/sessions'
import { findSession } from '@pit/sessions/internal/store'
import { address, MEME, NOW_S, STOCK, USDG, WETH } from '@pit/trading/test/tradeFixtures'
import { type HostedRoute, hostedRoutes } from '../src/routes/hosted.ts'
import { type AiRoute, hostedAiRoutes } from '../src/routes/hostedAi.ts'
import { hostedOrderRoutes, type OrderRoute } from '../src/routes/hostedOrders.ts'
import { crypto, GRANT, KEYS, openSessionWorld, PRICES, PROFILE, type Role, WHO } from './sessionWorld.ts'

const NOTHING_SPENT = { usd: 0, calls: 0, by_source: {}, prompt_tokens: 0, completion_tokens: 0 }

export type HostedWorld = ReturnType<typeof openHostedWorld>
export const NVDA = STOCK
const core = (symbol: string, at: Address, kind: string) => ({
  ...PROFILE.core_tokens[1]!,
  symbol,
  name: symbol,
  address: at,
  decimals: 18,
  kind,
})
const HOSTED_PROFILE = {
  ...PROFILE,
  core_tokens: [...PROFILE.core_tokens, core('WETH', WETH, 'core'), core('NVDA', NVDA.address, 'stock')],
} as HostedDeps['profile']

/** A stock by its beacon, one without a route, and an address that is not a token. */
export const BEACON = address('b')
export const DEAD = address('c')
export const NOTHING = address('e')

/** A request after its defaults were filled in. */
export const CREATE = {
  brain: 'dca',
  params: { usd: 5 },
  interval_s: 60,
  pairs: ['ETH/USDG'],
  limits: { max_trade_usd: 20, max_day_usd: 100, max_position_usd: 500 },
  mode: 'paper',
  accept_risks: [] as string[],
  shield: false,
}

/**
 * Hosted agents on a real store with real sessions and paper books; chain, signer and brains are scripted.
 */
export function openHostedWorld(db: Db, { withSigner = true, submitEnabled = true } = {}) {
  const session = openSessionWorld(db)
  const { chain, clock } = session
  const receipts = new Map<Hex, object>()
  const sent: Hex[] = []
  const state = {
    sequencer: 'ok' as 'ok' | 'silent' | 'refuses',
    mines: true,
    killed: 0,
    leaveFails: false,
    signerAnswers: true,
    nextHolds: (async () => []) as HostedDeps['nextHolds'],
    charge: (async () => {}) as Charge,
  }
  const left: string[] = []
  const modelKeys = new Map<Address, string>()

  /** A transfer as executed: it uses half of its gas limit. */
  function mine(raw: Hex): void {
    const parsed = parseSignedTx(raw)
    if (!parsed.ok || parsed.tx.type !== 2) throw new Error('not a transfer')
    const { tx } = parsed
    const from = senderOf(crypto, tx)!
    const cost = (tx.gas * tx.maxFeePerGas) / 2n
    chain.setBalance(NATIVE, from, chain.balance(NATIVE, from) - tx.value - cost)
    chain.setBalance(NATIVE, tx.to!, chain.balance(NATIVE, tx.to!) + tx.value)
    chain.setNonce(from, tx.nonce + 1)
    receipts.set(crypto.keccak256(raw), {
      status: '0x1',
      blockNumber: '0x2a',
      blockHash: `0x${'2a'.repeat(32)}`,
      logs: [],
    })
  }
  const sequencer = {
    async request(method: string, [raw]: readonly unknown[] = []) {
      if (method !== 'eth_sendRawTransaction') throw new Error(method)
      if (state.sequencer === 'refuses')
        throw new RpcError(method, -32_003, 'insufficient funds for gas', undefined)
      sent.push(raw as Hex)
      if (state.mines && !receipts.has(crypto.keccak256(raw as Hex))) mine(raw as Hex)
      if (state.sequencer === 'silent') throw new RpcUnreachable('lost')
      return crypto.keccak256(raw as Hex)
    },
  } as unknown as Rpc
  const rpc = {
    async request(method: string, params: readonly unknown[] = []) {
      if (chain.isDown) throw new RpcUnreachable('down')
      if (method === 'eth_getTransactionReceipt') return receipts.get(params[0] as Hex) ?? null
      if (method === 'eth_getTransactionByHash') return null
      return chain.rpc.request(method, params)
    },
    async batch(calls: Parameters<Rpc['batch']>[0]) {
      return Promise.all(
        calls.map(async ([method, params]) => ({ ok: true, result: await rpc.request(method, params) })),
      )
    },
  } as unknown as Rpc

  const signer = createHostedSigner(crypto, {
    cosignerKey: KEYS.cosigner,
    balanceOf: (who) => chain.balance(NATIVE, who),
    nonceOf: (who) => chain.nonceAt(who, chain.head()),
  })
  let secrets = 0
  const market = {
    head: session.options.market.head,
    mark: (token: Address) =>
      token === NATIVE || token === USDG.address
        ? ({ token, priceE18: BigInt(PRICES[token]!) * 10n ** 18n, stale: false } as never)
        : undefined,
  }
  const history = openHistory({ db, clock })
  const deps: HostedDeps = {
    db,
    rpc,
    sequencer,
    clock: { ...clock, sleep: systemClock.sleep },
    crypto,
    logger: session.options.logger,
    profile: HOSTED_PROFILE,
    market,
    tokens: {
      get: async (token: Address) => {
        if (token === MEME.address) return { ...MEME.record, risks: [] } as never
        if (token === BEACON) return { ...MEME.record, symbol: 'TSLA', stock_beacon: true } as never
        if (token === DEAD) return { ...MEME.record, tier: 'blocked' } as never
        throw refusal('NOT_A_TOKEN')
      },
    },
    brains: {
      readParams: (_brain, params) => {
        if ('bad' in params) throw refusal('BAD_REQUEST', { field: 'params.bad' })
        return params
      },
      checkPairs,
      newWebhookSecret: (agentId) => {
        const secret = `whsec_${++secrets}`
        return { secret, sealed: Buffer.from(`${agentId} ${secret}`) }
      },
      aiSummary: async () => ({ model: 'm', funding: 'pool', today: NOTHING_SPENT }),
      aiHolds: async () => [{ code: 'AI_OFF', message: 'The model would not be called.' }],
      connectKey: async ({ wallet, key, onChange }) => {
        if (modelKeys.get(wallet) !== key) await db.transaction(onChange)
        modelKeys.set(wallet, key)
        return { hint: key.slice(-4), connectedAtS: NOW_S }
      },
      disconnectKey: async ({ wallet, onChange }) => {
        if (modelKeys.delete(wallet)) await db.transaction(onChange)
      },
    },
    switches: createSwitches({ db, clock: { nowMs: () => (state.killed += 1_000) } }),
    signer: withSigner ? signer : null,
    sessions: session.sessions,
    cosigner: () => WHO.cosigner,
    signerAnswers: () => state.signerAnswers,
    paper: openPaper({
      db,
      clock,
      profile: HOSTED_PROFILE,
      market,
      history,
      quoteTrade: () => Promise.reject(new Error('no quotes here')),
    } as Parameters<typeof openPaper>[0]),
    history,
    isInLeague: async (sql, id) => {
      const rows = await sql.query(
        'select 1 from league_entries where hosted_id = $1 and left_at_s is null',
        [id],
      )
      return rows.length > 0
    },
    leaveLeague: async (id) => {
      if (state.leaveFails) throw new Error('the league is away')
      left.push(id)
    },
    nextHolds: (agent) => state.nextHolds(agent),
    submitEnabled,
    refundWaitMs: 300,
    randomBytes: (size) => globalThis.crypto.getRandomValues(new Uint8Array(size)),
  }
  const hosted = openHosted(deps)
  const handlers = {
    ...hostedRoutes({
      hosted,
      profile: HOSTED_PROFILE,
      charge: (caller, buckets) => state.charge(caller, buckets),
    }),
    ...hostedOrderRoutes({ hosted, profile: HOSTED_PROFILE }),
    ...hostedAiRoutes({ hosted } as unknown as Parameters<typeof hostedAiRoutes>[0]),
  }

  const callerOf = (role: Role) => ({
    requestId: 'r',
    address: '127.0.0.1',
    key: { keyId: 1 + Object.keys(KEYS).indexOf(role), accountId: 1, wallet: WHO[role], expiresAtS: 2 ** 40 },
  })
  async function call<Id extends HostedRoute | OrderRoute | AiRoute>(
    id: Id,
    {
      params = {},
      // As the edge fills it in.
      query = { range: 'day' },
      body = {},
      role = 'owner' as Role,
    }: {
      params?: object
      query?: object
      body?: object
      role?: Role
    } = {},
  ): Promise<Answer<Id>> {
    const handler = handlers[id] as (call: object) => Promise<Answer<Id>>
    const route = routeById(id)
    try {
      const answer = await handler({ params, query, body, caller: callerOf(role) })
      const checked = checkAnswer(route, JSON.parse(JSON.stringify(answer)))
      if (!checked.ok) throw new Error(`${id} answers ${checked.field} otherwise: ${checked.message}`)
      return answer
    } catch (error) {
      if (isPitError(error) && !route.errors.includes(error.code)) {
        throw new Error(`${id} has no ${error.code}`, { cause: error })
      }
      throw error
    }
  }
  const of =
    <Id extends HostedRoute | OrderRoute>(id: Id) =>
    (agent: { id: string }, body: object = {}, role: Role = 'owner') =>
      call(id, { params: { id: agent.id }, body, role })

  return {
    db,
    deps,
    hosted,
    signer,
    session,
    chain,
    clock,
    state,
    sent,
    left,
    receipts,
    mine,
    nowS: () => NOW_S + clock.aheadS,
    call,
    create: (over: object = {}, role: Role = 'owner') =>
      call('hosted.create', { body: { ...CREATE, ...over }, role }),
    list: async (role: Role = 'owner') => (await call('hosted.list', { role })).agents,
    get: of('hosted.get'),
    update: of('hosted.update'),
    pause: of('hosted.pause'),
    resume: of('hosted.resume'),
    stop: of('hosted.stop'),
    delete: of('hosted.delete'),
    rotate: of('hosted.rotate_executor'),
    connect: (api_key: string, role: Role = 'owner') =>
      call('hosted.ai.connect', { body: { api_key }, role }),
    disconnect: () => call('hosted.ai.disconnect'),
    rotateSecret: of('hosted.rotate_webhook_secret'),
    refund: of('hosted.refund_gas'),
    executor: of('hosted.executor'),
    attest: of('hosted.stock_attestation'),
    unattest: of('hosted.stock_attestation.revoke'),
    place: of('hosted.orders.place'),
    cancel: of('hosted.orders.cancel'),
    orders: (agent: { id: string }, query: object = {}, role: Role = 'owner') =>
      call('hosted.orders.list', { params: { id: agent.id }, query: { limit: 50, ...query }, role }),
    attach: (agent: { id: string }, sessionId: string, role: Role = 'owner') =>
      of('hosted.session')(agent, { session_id: sessionId }, role),
    logs: (agent: { id: string }, query: object = {}, role: Role = 'owner') =>
      call('hosted.logs', { params: { id: agent.id }, query: { limit: 50, ...query }, role }),
    throwSwitch: (name: 'kill' | 'live', on: boolean) =>
      writeSwitch(db, { name, on, reason: null, changedAtS: 1 }),
    /** The owner's session for an agent's executor, switched on. */
    async grantTo(agent: { executor: string | null }, over: object = {}): Promise<string> {
      const sessionId = await this.startGrant(agent, over)
      await this.signGrant(sessionId)
      return sessionId
    },
    async startGrant(agent: { executor: string | null }, over: object = {}): Promise<string> {
      return (await session.start({ ...GRANT, executor: agent.executor, ...over })).session_id
    },
    async signGrant(sessionId: string): Promise<void> {
      const { root, authorization } = (await findSession(db, sessionId))!
      const signatures = await session.signatures(sessionId)
      await session.post('live.session.grant', 'owner', {
        ...signatures,
        delegation_signature: signDelegation(crypto, session.addresses, root, KEYS.owner).signature,
        ...(authorization === null && { authorization_signature: undefined }),
      })
    },
    async live(over: object = {}) {
      return this.create({ mode: 'live', ...over })
    },
    /** A live agent that trades. */
    async running(over: object = {}) {
      const agent = await this.live(over)
      await this.attach(agent, await this.grantTo(agent))
      return this.update(agent, { live: true })
    },
  }
}

export async function emptyHosted(db: Db): Promise<void> {
  for (const table of [
    'signed_orders',
    'signed_lists',
    'wanted_signatures',
    'hosted_logs',
    'hosted_trade_sums',
    'hosted_fee_sums',
    'hosted_orders',
    'hosted_refunds',
    'hosted_stock_attestations',
    'hosted_executors',
    'hosted_agents',
    'paper_balances',
    'paper_equity',
    'paper_books',
    'operator_switches',
    'fees',
    'trades',
    'session_trades',
    'sessions',
  ]) {
    await db.query(`delete from ${table}`)
  }
}
