import { type BrainResult, isRuleBrain, RULE_BRAINS } from '@pit/brains'
import { type AiSpend, brainTicks, type Models, type Seal } from '@pit/models'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import { type ChainProfile, fail } from '@pit/protocol'
import type { AgentBrains, AgentRequest } from '../deps.ts'
import { findOwned } from '../store.ts'
import type { HostedAgent } from '../types.ts'
import type { BrainRequest } from './deps.ts'
import { checkPairs, readParams } from './readParams.ts'
import { deliver } from './webhook/deliver.ts'
import { createResolve, type Reach, type Resolve } from './webhook/target.ts'

export interface BrainsDeps {
  db: Db
  clock: Clock
  logger: Logger
  metrics: Metrics
  profile: Pick<ChainProfile, 'kind'>
  models: Pick<
    Models,
    'listed' | 'decide' | 'spendOf' | 'summaryOf' | 'holdsOf' | 'connectKey' | 'disconnectKey'
  >
  randomBytes(size: number): Uint8Array
  /** Null if the server has no sealing key. */
  seal: Seal | null
  /** DNS lookup; defaults to the system's name servers. */
  resolve?: Resolve
  webhookTimeoutMs?: number
}

export interface Brains extends AgentBrains {
  /** Cost of a model agent's calls; throws NOT_AI for another brain. */
  spend(
    request: AgentRequest & { before?: number | undefined; limit: number },
  ): Promise<AiSpend & { agent: HostedAgent }>
  decide(request: BrainRequest): Promise<BrainResult>
  /** How far back an agent's market history has to reach. */
  historyS(agent: Pick<HostedAgent, 'brain' | 'params'>): number
}

/** 24 hours plus the tolerated age of the oldest mark. */
const OUTSIDE_HISTORY_S = 86_400 + 900
const SECRET_BYTES = 32

export function openBrains(deps: BrainsDeps): Brains {
  const { db, clock, logger, profile, models, seal } = deps
  const reach: Reach = profile.kind === 'devnet' ? 'public and loopback' : 'public'
  const ticks = brainTicks(deps.metrics)
  const webhook = {
    clock,
    reach,
    resolve: deps.resolve ?? createResolve(),
    ...(deps.webhookTimeoutMs === undefined ? {} : { timeoutMs: deps.webhookTimeoutMs }),
  }

  async function decideByWebhook(request: BrainRequest): Promise<BrainResult> {
    const secret = await readSecret(request.agent)
    const result: BrainResult =
      secret === null
        ? {
            kind: 'error',
            code: 'WEBHOOK_SECRET',
            message: 'The webhook secret cannot be decrypted. Rotate it.',
          }
        : await deliver(webhook, request, secret)
    ticks.inc({ brain: 'webhook', code: result.kind === 'decision' ? 'ok' : result.code })
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
    async spend({ before, limit, ...request }) {
      const agent = await findOwned(db, request)
      if (agent.brain !== 'partner_llm') return fail('NOT_AI')
      return { agent, ...(await models.spendOf(agent, { before, limit })) }
    },
    readParams: (brain, params, request) =>
      readParams({ reach, models: models.listed }, brain, params, request),
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
    aiSummary: models.summaryOf,
    aiHolds: models.holdsOf,
    connectKey: models.connectKey,
    disconnectKey: models.disconnectKey,
    async decide(request) {
      const { brain, params, brainState: state, limits, intervalS } = request.agent
      if (brain === 'webhook') return decideByWebhook(request)
      if (brain === 'partner_llm') return models.decide(request)
      if (!isRuleBrain(brain)) throw new Error(`unknown brain ${brain}`)
      const { market, book } = request
      const decision = RULE_BRAINS[brain].decide({ market, book, params, state, limits, intervalS })
      return { kind: 'decision', decision }
    },
    historyS: ({ brain, params }) =>
      isRuleBrain(brain) ? RULE_BRAINS[brain].historyS(params) : OUTSIDE_HISTORY_S,
  }
}

const secretRow = (agentId: string): string => `hosted_agents.webhook_secret:${agentId}`
