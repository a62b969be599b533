import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { PairNow } from '@pit/brains'
import { createSeal, type Models, type ModelsDeps, openModels } from '@pit/models'
import { type AgentSketch, gatewayAt, TERMS, wallet } from '@pit/models/test/modelsWorld'
import { openDb } from '@pit/platform/db'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { networkOf } from '../../packages/agents/src/agentReads.ts'
import { type Brains, openBrains } from '../../packages/agents/src/brains/index.ts'
import type { StoredAgent } from '../../packages/agents/src/store.ts'
import { addAgent } from '../../packages/agents/test/brainsWorld.ts'
import { startVendors, type Vendors } from '../../packages/devnet/src/vendors/index.ts'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import type { Handler } from '../../packages/server/src/http/types.ts'
import { migrateStore } from '../../packages/server/src/migrateStore.ts'
import { hostedAiRoutes } from '../../packages/server/src/routes/hostedAi.ts'

export type AiBrains = Models & Brains

export const POOL_KEY = 'pk-devnet-service'
const E18 = 10n ** 18n

/** The brains on a real store, with the devnet's stand-in for the gateway. */
export async function openAiWorld() {
  const dataDir = await newServerDirectory()
  const db = await openDb({ dataDir, databaseUrl: null })
  await migrateStore(db)
  const vendors = await startVendors({
    host: '127.0.0.1',
    port: 0,
    nowMs: Date.now,
    seed: 'ai',
    quote: () => null as never,
  })
  const logged: string[] = []
  const logger = createLogger({
    level: 'trace',
    destination: { write: (line: string) => void logged.push(line) },
  })
  const clock = { offsetMs: 0, nowMs: () => Date.now() + clock.offsetMs }
  const seal = createSeal(randomBytes(32), randomBytes)
  const { on: _, ...terms } = TERMS
  let agents = 0

  const open = (
    more: Partial<Omit<ModelsDeps, 'ai'>> & { ai?: Partial<ModelsDeps['ai']> } = {},
  ): AiBrains => {
    const deps = {
      db,
      clock,
      logger,
      metrics: createMetrics({ withProcess: false }),
      seal,
      patienceMs: 10_000,
      networkOf: (id: string) => networkOf(db, id),
      ...more,
      profile: {
        kind: 'devnet',
        vendors: { gateway: gatewayAt(`${vendors.url}/v1`) },
        ...more.profile,
      } as const,
      ai: { ...terms, poolKey: POOL_KEY, ...more.ai },
    }
    const models = openModels(deps)
    return { ...models, ...openBrains({ ...deps, randomBytes, models }) }
  }

  /** Creates an agent; its owner is new unless given. */
  const newAgent = (
    params: Record<string, unknown> = {},
    sketch: Partial<AgentSketch> = {},
  ): Promise<StoredAgent> => {
    agents += 1
    return addAgent(db, { id: `ai${agents}`, wallet: wallet(0x1000 + agents), params, ...sketch })
  }

  const tick = (brains: AiBrains, agent: StoredAgent, more: { symbol?: string; leftMs?: number } = {}) =>
    brains.decide({
      agent,
      tick: 1,
      market: {
        atS: Math.floor(clock.nowMs() / 1_000),
        pairs: agent.pairs.map((pair) => pairOf(pair, more.symbol)),
      },
      book: {
        cashMicroUsd: 1_000_000_000n,
        equityMicroUsd: 1_000_000_000n,
        positions: [{ token: 'ETH', symbol: more.symbol ?? 'ETH', atoms: 5n * E18, microUsd: 90_000_000n }],
        dayUsedMicroUsd: 0n,
      },
      deadlineMs: clock.nowMs() + (more.leftMs ?? 30_000),
    })

  /** Cost counted for an agent, in dollars. */
  async function countedUsd(agent: StoredAgent): Promise<number> {
    const [row] = await db.query<{ sum: string | null }>(
      'select sum(cost_micro_usd) as sum from ai_spend where agent_id = $1',
      [agent.id],
    )
    return Number(row?.sum ?? 0) / 1e6
  }
  const chargedUsd = (key = POOL_KEY): number => vendors.ledger()[key]?.costUsd ?? 0

  return {
    db,
    vendors,
    clock,
    logged,
    open,
    newAgent,
    tick,
    countedUsd,
    chargedUsd,
    async close() {
      await vendors.close()
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
export type AiWorld = Awaited<ReturnType<typeof openAiWorld>> & { vendors: Vendors }

function pairOf(pair: string, symbol?: string): PairNow {
  const [base = '', quote = ''] = pair.split('/')
  const atS = Math.floor(Date.now() / 1_000)
  return {
    pair,
    base,
    quote,
    baseSymbol: symbol ?? base,
    quoteSymbol: quote,
    priceE18: 2_000n * E18,
    stale: false,
    history: Array.from({ length: 120 }, (_, i) => ({
      atS: atS - (120 - i) * 60,
      priceE18: BigInt(1_900 + i) * E18,
    })),
  }
}

/** Calls a route's handler as the HTTP edge would. */
export const call = async <Id extends keyof ReturnType<typeof hostedAiRoutes>>(
  brains: AiBrains,
  id: Id,
  request: { wallet: `0x${string}` | null; body?: unknown; params?: unknown; query?: unknown },
) => {
  // No live agents here, whose sessions a key would detach.
  const onChange = async () => {}
  const hosted: Parameters<typeof hostedAiRoutes>[0]['hosted'] = {
    connectModelKey: async (own) => ({ ...(await brains.connectKey({ ...own, onChange })), detached: [] }),
    async disconnectModelKey(wallet) {
      await brains.disconnectKey({ wallet, onChange })
      return { detached: [] }
    },
  }
  const handler = hostedAiRoutes({ brains, models: brains, hosted })[id] as Handler<Id>
  const key = { keyId: 1, accountId: 1, wallet: request.wallet, expiresAtS: 9_999_999_999 }
  return handler({
    params: request.params ?? {},
    query: request.query ?? { limit: 50 },
    body: request.body ?? {},
    caller: { requestId: 'test', address: '127.0.0.1', key },
  } as never)
}
