import type { BrainResult } from '@pit/brains'
import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import { type Answer, type ChainProfile, type GatewayProfile, maxOf, trimEnd, usdOf } from '@pit/protocol'
import type { ModelAgent } from './agent.ts'
import { type AiHold, aiHolds } from './aiHolds.ts'
import { type ConnectedKey, connectKey, disconnectKey, type KeyChange } from './connect.ts'
import type { CallDeps, DecisionInput, ModelDeps } from './deps.ts'
import { decideByModel } from './model/decideByModel.ts'
import { createModelList, type GatewayModel } from './model/modelList.ts'
import { readKey } from './money/keys.ts'
import { watchPool } from './money/pool.ts'
import type { PoolTerms } from './money/rules.ts'
import { readToday, sweepSpend } from './money/spendRows.ts'
import { AI } from './numbers.ts'
import { type AiOverview, readOverview } from './overview.ts'
import { type AiSpend, fundingOf, modelNameOf, readSpend } from './spend.ts'
import { brainTicks } from './ticks.ts'

export interface ModelsDeps extends Pick<ModelDeps, 'db' | 'clock' | 'seal' | 'networkOf'> {
  logger: Logger
  metrics: Metrics
  profile: { vendors: Pick<ChainProfile['vendors'], 'gateway'> }
  ai: Omit<PoolTerms, 'on'> & { poolKey: string | null }
  patienceMs?: number
}

export interface Models {
  /** The gateway's last model list; null if it was never read. */
  listed(): readonly GatewayModel[] | null
  /** Calls the agent's model if a payer is available. */
  decide(input: DecisionInput): Promise<BrainResult>
  /** Null: without an owner. */
  overview(wallet: Address | null): Promise<AiOverview>
  spendOf(agent: ModelAgent, page: { before?: number | undefined; limit: number }): Promise<AiSpend>
  /** `ai` of a created agent. */
  summaryOf(agent: ModelAgent): Promise<NonNullable<Answer<'hosted.create'>['ai']>>
  /** Reasons why an agent would not call its model. */
  holdsOf(agent: ModelAgent): Promise<AiHold[]>
  /** Stores an owner's key once the gateway accepts it. */
  connectKey(request: KeyChange & { key: string }): Promise<ConnectedKey>
  disconnectKey(request: KeyChange): Promise<void>
  /** `ai_pool` of the stats route; null while the pool is off or not read yet. */
  poolNow(): Answer<'stats'>['ai_pool']
  /** Throws an error with a readable message if the AI gateway does not respond. Null without a gateway. */
  checkGateway: (() => Promise<void>) | null
  /** Deletes old spending; called periodically. */
  sweep(): Promise<void>
  jobs: CapabilityJobs
}

export function openModels(deps: ModelsDeps): Models {
  const { db, clock, logger, seal, profile, networkOf } = deps
  const { poolKey, ...rest } = deps.ai
  const terms: PoolTerms = { ...rest, on: poolKey !== null }
  const profileGateway = profile.vendors.gateway
  // Without our own key and without a way to store owners' keys, no call could be paid for.
  const gateway =
    profileGateway === null || (poolKey === null && seal === null)
      ? null
      : openGateway(profileGateway, { poolKey, clock, logger })
  const ticks = brainTicks(deps.metrics)
  const own: ModelDeps = { db, clock, logger, seal, gateway, terms, networkOf }
  const callDeps: CallDeps = {
    ...own,
    ownKey: async (wallet) => {
      const storedKey = await readKey(db, seal, wallet)
      return storedKey.state === 'connected' ? { key: storedKey.key } : { code: storedKey.state }
    },
    rateLimited: createRestingKeys(clock),
    slots: createSlots(AI.callsAtOnce),
    count: (code) => ticks.inc({ brain: 'partner_llm', code }),
    patienceMs: deps.patienceMs ?? AI.patienceMs,
  }
  const pool = watchPool({ db, clock, logger })
  // Warm up, so that the first stats response includes it.
  if (gateway !== null && terms.on) pool()
  const sweep = () => sweepSpend(db, nowS(clock))
  return {
    listed: () => gateway?.models.last() ?? null,
    decide: (input) => decideByModel(callDeps, input),
    overview: (wallet) => readOverview(own, wallet),
    spendOf: (agent, page) => readSpend(own, agent, page),
    summaryOf: async (agent) => ({
      model: await modelNameOf({ gateway }, agent),
      funding: fundingOf(agent),
      today: { ...(await readToday(db, agent, clock.nowMs())) },
    }),
    holdsOf: (agent) => aiHolds(own, agent),
    connectKey: (request) => connectKey(own, request),
    disconnectKey: (request) => disconnectKey(own, request),
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
    checkGateway: gateway?.models.check ?? null,
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep AI spending', sweep)] },
  }
}

function openGateway(
  profileGateway: GatewayProfile,
  { poolKey, clock, logger }: Pick<ModelsDeps, 'clock' | 'logger'> & { poolKey: string | null },
): NonNullable<ModelDeps['gateway']> {
  const url = trimEnd(profileGateway.url, '/')
  const models = createModelList({ gatewayUrl: url, prices: profileGateway, key: poolKey, clock, logger })
  return { url, cost: profileGateway.cost, poolKey, models }
}

const MAX_RESTING_KEYS = 10_000
const MAX_REST_S = 300
const REST_S = 30

function createRestingKeys(clock: Clock): CallDeps['rateLimited'] {
  const pauses = createCache<string, number>({ max: MAX_RESTING_KEYS, clock, ttlMs: (restMs) => restMs })
  return {
    isPaused: (owner) => pauses.get(owner) !== undefined,
    pause: (owner, seconds) => pauses.set(owner, Math.min(seconds ?? REST_S, MAX_REST_S) * 1_000),
  }
}

function createSlots(max: number): CallDeps['slots'] {
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
