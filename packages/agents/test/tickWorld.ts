import { randomUUID } from 'node:crypto'
import { type BrainResult, type Decision, isRuleBrain, RULE_BRAINS } from '@pit/brains'
import { createCrypto } from '@pit/chain'
import { openHistory } from '@pit/history'
import type { Db } from '@pit/platform/db'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { microUsdDown } from '@pit/protocol'
import type { TickOptions } from '../src/run/deps.ts'
import { openTicks } from '../src/run/index.ts'
import { insertAgent, type NewAgent } from '../src/store.ts'
import type { AgentToken } from '../src/types.ts'
import { ETH, JUNK, openTestPaper, PROFILE, TOKENS, WALLET } from './paperWorld.ts'

/**
 * Hosted agents that tick on a real store, real quotes and real paper books; brains, sessions and chain are
 * scripted.
 */

const crypto = await createCrypto()
export const MANAGER = '0x00000000000000000000000000000000000000dd' as const
const token = (
  name: string,
  address: AgentToken['address'],
  decimals: number,
  stock = false,
): AgentToken => ({
  token: name,
  symbol: name,
  address,
  decimals,
  stock,
})
export const AGENT_TOKENS = {
  ETH: token('ETH', ETH, 18),
  USDG: token('USDG', TOKENS.USDG, 6),
  cbBTC: token('cbBTC', TOKENS.cbBTC, 8),
  NVDA: token('NVDA', TOKENS.NVDA, 18, true),
  JUNK: token(JUNK, JUNK, 18),
} as const

export const orderOf = (pair: string, side: 'buy' | 'sell', usd: number) => ({
  pair,
  side,
  microUsd: microUsdDown(usd),
  reason: `wants to ${side}`,
})
export const decisionOf = (...orders: Decision['orders']): BrainResult => ({
  kind: 'decision',
  decision: { orders, reason: 'as told', state: { told: true } },
})

export function openTickWorld(db: Db, more: Partial<TickOptions> = {}) {
  const paper = openTestPaper(db)
  const { clock } = paper
  const metrics = createMetrics({ withProcess: false })
  const state = {
    killed: false,
    sanctioned: null as string | null,
    live: true,
    /** Scripted brain; rule brains decide by themselves without one. */
    brain: null as
      | null
      | ((input: Parameters<TickOptions['brains']['decide']>[0]) => Promise<BrainResult> | BrainResult),
    gate: null as Awaited<ReturnType<TickOptions['practiceGate']>>,
    decisions: [] as { agent: string; tick: number }[],
  }
  const options: TickOptions = {
    db,
    clock,
    equityHistory: openHistory({ db, clock }),
    crypto,
    logger: createLogger({ level: 'silent' }),
    metrics,
    profile: {
      ...PROFILE,
      contracts: { ...PROFILE.contracts, multicall3: MANAGER },
      delegation: { delegation_manager: MANAGER },
    } as unknown as TickOptions['profile'],
    rpc: { request: async () => null as never, batch: async () => [] },
    market: paper.market as unknown as TickOptions['market'],
    tokens: {
      find: async (address) => {
        const risks = paper.world.risks.get(address) ?? []
        const record = {
          screened_at: Math.floor(clock.ms / 1_000),
          stock_beacon: false,
          tradable: true,
          risks,
          reference: { price_usd: 0.25 },
        }
        return { record } as never
      },
    },
    brains: {
      historyS: ({ brain, params }) => (isRuleBrain(brain) ? RULE_BRAINS[brain].historyS(params) : 3_600),
      async decide(input) {
        state.decisions.push({ agent: input.agent.id, tick: input.tick })
        if (state.brain) return state.brain(input)
        if (!isRuleBrain(input.agent.brain)) throw new Error('no scripted decision')
        const { params, brainState, limits, intervalS } = input.agent
        const decision = RULE_BRAINS[input.agent.brain].decide({
          ...input,
          params,
          state: brainState,
          limits,
          intervalS,
        })
        return { kind: 'decision', decision }
      },
    },
    paper,
    sessions: {
      tradeInSession: () => Promise.reject(new Error('no session trades in this world')),
      sessionOf: async () => null,
      usedOf: async () => new Map(),
    },
    signer: null,
    submitBytes: () => Promise.reject(new Error('nothing is relayed in this world')),
    submitEnabled: true,
    switches: { killed: async () => state.killed, liveEnabled: async () => state.live },
    tierBps: async () => 25,
    isSanctioned: (wallet) => state.sanctioned === wallet,
    practiceGate: async () => state.gate,
    workerId: 'worker 1',
    ...more,
  }

  /** A new agent, active and due immediately. */
  async function addAgent(given: Partial<NewAgent> & { usd?: number } = {}): Promise<string> {
    const id = `a_${randomUUID()}`
    const { usd = 10_000, ...agent } = given
    await db.transaction(async (sql) => {
      const bookId =
        agent.mode === 'live'
          ? null
          : await paper.openBook(sql, { owner: `hosted:${id}`, startMicroUsd: microUsdDown(usd), atS: 0 })
      await insertAgent(sql, {
        id,
        wallet: WALLET,
        keyId: 1,
        name: null,
        brain: 'dca',
        params: { usd: 10, side: 'buy' },
        intervalS: 60,
        pairs: ['ETH/USDG'],
        tokens: [AGENT_TOKENS.ETH, AGENT_TOKENS.USDG],
        limits: {
          maxTradeMicroUsd: microUsdDown(500),
          maxDayMicroUsd: microUsdDown(2_000),
          maxPositionMicroUsd: microUsdDown(5_000),
        },
        terms: { acceptRisks: [], shield: false, policies: null },
        mode: 'paper',
        live: false,
        status: 'active',
        pauseReason: null,
        sessionId: null,
        executor: null,
        executorAttestation: null,
        webhookSecret: null,
        requestHash: null,
        madeFrom: null,
        bookId,
        createdAtS: Math.floor(clock.ms / 1_000),
        nextTickMs: clock.ms,
        ...agent,
      })
    })
    return id
  }
  const agentRow = async (id: string) => {
    const [row] = await db.query<{
      tick: number
      next_tick_ms: number | null
      lease_by: string | null
      lease_until_ms: number | null
      brain_state: unknown
      status: string
      pause_reason: { code: string } | null
      last_decision: Record<string, unknown> | null
      last_trade: Record<string, unknown> | null
      book_id: number
    }>('select * from hosted_agents where id = $1', [id])
    return row!
  }
  const ordersOf = (id: string) =>
    db.query<{
      tick: number
      n: number
      status: string
      code: string | null
      micro_usd: number
      tx_hash: string | null
    }>(
      `select tick, n, status, code, micro_usd, tx_hash from hosted_orders where agent_id = $1
       order by tick, n`,
      [id],
    )
  const logsOf = (id: string) =>
    db.query<{
      kind: string
      code: string | null
      message: string
      tick: number
      fee_bps: number | null
      fee_class: string | null
      fee_tier: number | null
      data: Record<string, unknown>
    }>(
      `select kind, code, message, tick, fee_bps, fee_class, fee_tier, data from hosted_logs
       where agent_id = $1 order by id`,
      [id],
    )
  return {
    ...openTicks(options),
    options,
    paper,
    clock,
    state,
    metrics,
    addAgent,
    agentRow,
    ordersOf,
    logsOf,
    /** Another process on the same store. */
    another: (change: Partial<TickOptions> = {}) =>
      openTicks({
        ...options,
        metrics: createMetrics({ withProcess: false }),
        workerId: 'worker 2',
        ...change,
      }),
  }
}

/** Records statements sent to the store from now on. */
export function queriesOf(world: ReturnType<typeof openTickWorld>): {
  texts: readonly string[]
  end(): void
} {
  const texts: string[] = []
  const { query } = world.options.db
  world.options.db.query = ((text: string, values?: readonly unknown[]) => {
    texts.push(text)
    return query(text, values)
  }) as typeof query
  return {
    texts,
    end() {
      world.options.db.query = query
    },
  }
}
