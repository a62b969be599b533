import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { maxOf } from '@pit/protocol'
import type { ModelDeps } from './deps.ts'
import type { GatewayModel } from './model/modelList.ts'
import { readKey } from './money/keys.ts'
import { readDayFacts } from './money/ledger.ts'
import { readPoolDay } from './money/pool.ts'
import { isCheap, mayBeginTrial, type PoolTerms, trialEndsS, trialPoolOf } from './money/rules.ts'

/** The gateway counts as unreachable if its last response is older. */
const MAX_AGE_MS = 30_000
const NOBODY = '0x0000000000000000000000000000000000000000' as Address

/** Available models, their prices and the payers. */
export interface AiOverview {
  /** Whether a model can be called: the gateway lists one with structured output. */
  enabled: boolean
  models: { model: GatewayModel; available: boolean; inPool: boolean }[]
  own: {
    available: boolean
    connected: { hint: string; connectedAtS: number } | null
    todayMicroUsd: bigint
  }
  pool: {
    on: boolean
    terms: PoolTerms
    leftMicroUsd: bigint
    /** Whether an owner without a trial could start one now. */
    trialsOpen: boolean
    owners: number
    agents: number
    /** Null before the owner's trial started. */
    trialEndsS: number | null
    todayMicroUsd: bigint
  }
}

export async function readOverview(deps: ModelDeps, wallet: Address | null): Promise<AiOverview> {
  const { gateway, terms, clock, db } = deps
  const atS = nowS(clock)
  const [listed, day, facts, own] = await Promise.all([
    gateway?.models.read({ maxAgeMs: MAX_AGE_MS }) ?? null,
    readPoolDay(db, atS),
    readDayFacts(db, { wallet: wallet ?? NOBODY, agentId: '', network: null, atS }),
    wallet === null ? null : readKey(db, deps.seal, wallet),
  ])
  const models = listed ?? gateway?.models.last() ?? []
  const on = gateway !== null && terms.on && terms.dayMicroUsd > 0n
  const { trialStartedAtS } = facts
  return {
    enabled: listed?.some(({ structured }) => structured) ?? false,
    models: models.map((model) => ({
      model,
      available: listed !== null && model.structured,
      inPool: on && isCheap(model, terms),
    })),
    own: {
      available: gateway !== null && deps.seal !== null,
      connected: own?.state === 'connected' ? { hint: own.hint, connectedAtS: own.connectedAtS } : null,
      todayMicroUsd: facts.ownerOwnUsedMicroUsd,
    },
    pool: {
      on,
      terms,
      leftMicroUsd: maxOf(0n, terms.dayMicroUsd - day.usedMicroUsd),
      trialsOpen: on && mayBeginTrial(facts, terms) && facts.trialsUsedMicroUsd < trialPoolOf(terms),
      owners: day.owners,
      agents: day.agents,
      trialEndsS: trialStartedAtS === null ? null : trialEndsS(trialStartedAtS, terms),
      todayMicroUsd: facts.ownerPoolUsedMicroUsd,
    },
  }
}
