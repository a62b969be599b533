import { isRuleBrain, RULE_BRAINS } from '@pit/brains'
import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import {
  type Answer,
  type Brain,
  type ChainProfile,
  fail,
  type GatewayProfile,
  maxOf,
  usdOf,
} from '@pit/protocol'
import { Counter } from 'prom-client'
import type { AgentBrains, AgentRequest } from '../deps.ts'
import type { HostedAgent } from '../types.ts'
import { aiHolds } from './aiHolds.ts'
import { connectKey } from './connect.ts'
import type { BrainDeps, Brained, BrainRequest, ModelDeps } from './deps.ts'
import { decideByModel } from './model/decideByModel.ts'
import { createModels } from './model/models.ts'
import { forgetKey, readKey } from './money/keys.ts'
import { watchPool } from './money/pool.ts'
import type { PoolTerms } from './money/rules.ts'
import { readToday, sweepSpend } from './money/spendRows.ts'
import { AI } from './numbers.ts'
import { type AiOverview, readOverview } from './overview.ts'
import { checkPairs, readParams } from './readParams.ts'
import { createSeal } from './seal.ts'
import { type AiSpend, fundingOf, modelNameOf, readSpend } from './spend.ts'
import { deliver } from './webhook/deliver.ts'
import { createResolve, type Reach, type Resolve } from './webhook/target.ts'

export interface BrainsDeps {
  db: Db
  clock: Clock
  logger: Logger
  metrics: Metrics
  profile: Pick<ChainProfile, 'kind'> & { vendors: Pick<ChainProfile['vendors'], 'gateway'> }
  randomBytes(size: number): Uint8Array
  /** 32 bytes; null if nothing can be sealed. */
  sealKey: Uint8Array | null
  ai: Omit<PoolTerms, 'on'> & { poolKey: string | null }
  /** DNS lookup; defaults to the system's name servers. */
  resolve?: Resolve
  webhookTimeoutMs?: number
  patienceMs?: number
}

export interface Brains extends AgentBrains {
  /** Null: without an owner. */
  overview(wallet: Address | null): Promise<AiOverview>
  spend(request: AgentRequest & { before?: number | undefined; limit: number }): Promise<AiSpend>
  /** Stores an owner's key once the gateway accepts it. */
  connectKey(request: { wallet: Address; key: string }): ReturnType<typeof connectKey>
  forgetKey(wallet: Address): Promise<void>
  decide(request: BrainRequest): Promise<Brained>
  /** How far back an agent's market history has to reach. */
  historyS(agent: Pick<HostedAgent, 'brain' | 'params'>): number
  /** `ai_pool` of the stats route; null while the pool is off or not read yet. */
  poolNow(): Answer<'stats'>['ai_pool']
  /** Throws an error with a readable message if the AI gateway does not respond. Null without a gateway. */
  checkGateway: (() => Promise<void>) | null
  /** Deletes old spending; called periodically. */
  sweep(): Promise<void>
  jobs: CapabilityJobs
}

/** 24 hours plus the tolerated age of the oldest mark. */
const OUTSIDE_HISTORY_S = 86_400 + 900
const SECRET_BYTES = 32

export function openBrains(deps: BrainsDeps): Brains {
  const { db, clock, logger, profile } = deps
  const seal = deps.sealKey === null ? null : createSeal(deps.sealKey, deps.randomBytes)
  const reach: Reach = profile.kind === 'devnet' ? 'public and loopback' : 'public'
  const { poolKey, ...rest } = deps.ai
  const terms: PoolTerms = { ...rest, on: poolKey !== null }
  const profileGateway = profile.vendors.gateway
  // Without our own key and without a way to store owners' keys, no call could be paid for.
  const gateway =
    profileGateway === null || (poolKey === null && seal === null)
      ? null
      : openGateway(profileGateway, { poolKey, clock, logger })
  const ended = new Counter({
    name: 'pit_brain_ticks_total',
    help: 'Ticks of webhook and model brains by outcome: ok or the code.',
    labelNames: ['brain', 'code'],
    registers: [deps.metrics.registry],
  })
  const own: BrainDeps = { db, clock, logger, seal, gateway, terms }
  const modelDeps: ModelDeps = {
    ...own,
    ownKey: async (wallet) => {
      const storedKey = await readKey(db, seal, wallet)
      return storedKey.state === 'connected' ? { key: storedKey.key } : { code: storedKey.state }
    },
    rateLimited: createRestingKeys(clock),
    slots: createSlots(AI.callsAtOnce),
    count: (code) => ended.inc({ brain: 'partner_llm', code }),
    patienceMs: deps.patienceMs ?? AI.patienceMs,
  }
  const pool = watchPool({ db, clock, logger })
  // Warm up, so that the first stats response includes it.
  if (gateway !== null && terms.on) pool()
  const sweep = () => sweepSpend(db, nowS(clock))
  const webhook = {
    clock,
    reach,
    resolve: deps.resolve ?? createResolve(),
    ...(deps.webhookTimeoutMs === undefined ? {} : { timeoutMs: deps.webhookTimeoutMs }),
  }

  async function decideByWebhook(request: BrainRequest): Promise<Brained> {
    const secret = await readSecret(request.agent)
    const result: Brained =
      secret === null
        ? {
            kind: 'error',
            code: 'WEBHOOK_SECRET',
            message: 'The webhook secret cannot be decrypted. Rotate it.',
          }
        : await deliver(webhook, request, secret)
    ended.inc({ brain: 'webhook', code: result.kind === 'decision' ? 'ok' : result.code })
    return result
  }

  async function readSecret(agent: HostedAgent): Promise<string | null> {
    const [row] = await db.query<{ webhook_secret: Uint8Array | null }>(
      'select webhook_secret from hosted_agents where id = $1',
      [agent.id],
    )
    if (seal === null || !row?.webhook_secret) return null
    try {
      return seal.open(row.webhook_secret, secretRow(agent.id))
    } catch {
      logger.warn({ agent: agent.id }, 'a webhook secret is sealed under another key')
      return null
    }
  }

  return {
    overview: (wallet) => readOverview(own, wallet),
    spend: (request) => readSpend(own, request),
    connectKey: (request) => connectKey(own, request),
    forgetKey: (wallet) => forgetKey(db, wallet, nowS(clock)),
    readParams: (brain: Brain, params, request) =>
      readParams({ reach, models: () => gateway?.models.last() ?? null }, brain, params, request),
    checkPairs,
    newWebhookSecret(agentId) {
      if (seal === null) {
        return fail('HOSTED_UNAVAILABLE', {
          message: 'This server cannot store webhook secrets: SEAL_KEY is not set.',
        })
      }
      const secret = `whsec_${Buffer.from(deps.randomBytes(SECRET_BYTES)).toString('base64url')}`
      return { secret, sealed: seal.seal(secret, secretRow(agentId)) }
    },
    aiSummary: async (agent) => ({
      model: await modelNameOf({ gateway }, agent),
      funding: fundingOf(agent),
      today: { ...(await readToday(db, agent.id, clock.nowMs())) },
    }),
    aiHolds: (agent) => aiHolds(own, agent),
    async decide(request) {
      const { brain, params, brainState: state, limits, intervalS } = request.agent
      if (brain === 'webhook') return decideByWebhook(request)
      if (brain === 'partner_llm') return decideByModel(modelDeps, request)
      if (!isRuleBrain(brain)) throw new Error(`unknown brain ${brain}`)
      const { market, book } = request
      const decision = RULE_BRAINS[brain].decide({ market, book, params, state, limits, intervalS })
      return { kind: 'decision', decision }
    },
    historyS: ({ brain, params }) =>
      isRuleBrain(brain) ? RULE_BRAINS[brain].historyS(params) : OUTSIDE_HISTORY_S,
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep AI spending', sweep)] },
    checkGateway: gateway?.models.check ?? null,
    poolNow() {
      const day = gateway === null || !terms.on || terms.dayMicroUsd === 0n ? null : pool()
      if (day === null) return null
      return {
        pool_usd: usdOf(terms.dayMicroUsd),
        left_usd: usdOf(maxOf(0n, terms.dayMicroUsd - day.usedMicroUsd)),
        owners_funded: day.owners,
        agents_funded: day.agents,
      }
    },
  }
}

function openGateway(
  profileGateway: GatewayProfile,
  { poolKey, clock, logger }: Pick<BrainsDeps, 'clock' | 'logger'> & { poolKey: string | null },
): NonNullable<BrainDeps['gateway']> {
  const url = profileGateway.url.replace(/\/+$/, '')
  const models = createModels({ gatewayUrl: url, prices: profileGateway, key: poolKey, clock, logger })
  return { url, cost: profileGateway.cost, poolKey, models }
}

const secretRow = (agentId: string): string => `hosted_agents.webhook_secret:${agentId}`

const MAX_RESTING_KEYS = 10_000
const MAX_REST_S = 300
const REST_S = 30

function createRestingKeys(clock: Clock): ModelDeps['rateLimited'] {
  const pauses = createCache<string, number>({ max: MAX_RESTING_KEYS, clock, ttlMs: (restMs) => restMs })
  return {
    isPaused: (owner) => pauses.get(owner) !== undefined,
    pause: (owner, seconds) => pauses.set(owner, Math.min(seconds ?? REST_S, MAX_REST_S) * 1_000),
  }
}

function createSlots(max: number): ModelDeps['slots'] {
  let free = max
  return {
    take() {
      if (free === 0) return false
      free -= 1
      return true
    },
    give() {
      free += 1
    },
  }
}
