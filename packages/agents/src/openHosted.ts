import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { type ExecutorNow, readExecutor } from './gas/readExecutor.ts'
import { type Refunded, refundGas } from './gas/refundGas.ts'
import { finishRefunds } from './gas/relayRefund.ts'
import { attachSession } from './life/attach.ts'
import { type Created, type CreateParams, createAgent } from './life/create.ts'
import { pauseByOwner, resumeAgent } from './life/pause.ts'
import { rotateExecutor, rotateWebhookSecret } from './life/rotate.ts'
import { deleteAgent, leaveNow, stopAgent } from './life/stop.ts'
import { type Updated, type UpdateRequest, updateAgent } from './life/update.ts'
import { type LogsRequest, listLogs, sweepLogs } from './logs.ts'
import {
  type AgentDetail,
  getAgent,
  listOwned,
  listStanding,
  type ShownAgent,
  type StandingAgent,
} from './show/readDetail.ts'
import { sumTrades } from './show/sumTrades.ts'
import { attestStock, type StockRequest } from './stock/attest.ts'
import { revokeStock, tellStockRevocations } from './stock/revoke.ts'
import { agentsLeaving, readAgent, type StoredAgent, sweepMadeFrom } from './store.ts'
import type { HostedAgent } from './types.ts'

export interface Hosted {
  create(ask: CreateParams): Promise<Created>
  list(wallet: Address): Promise<ShownAgent[]>
  get(ask: AgentRequest): Promise<AgentDetail>
  update(ask: UpdateRequest): Promise<Updated>
  attachSession(ask: AgentRequest & { sessionId: string }): Promise<AgentDetail>
  pause(ask: AgentRequest): Promise<AgentDetail>
  resume(ask: AgentRequest): Promise<AgentDetail>
  stop(ask: AgentRequest): ReturnType<typeof stopAgent>
  delete(ask: AgentRequest): Promise<StoredAgent>
  rotateExecutor(ask: AgentRequest): ReturnType<typeof rotateExecutor>
  /** The new one, shown once. */
  rotateWebhookSecret(ask: AgentRequest): Promise<string>
  refundGas(ask: AgentRequest): Promise<Refunded>
  attestStock(ask: StockRequest): Promise<AgentDetail>
  revokeStock(ask: AgentRequest): ReturnType<typeof revokeStock>
  logs(ask: LogsRequest): ReturnType<typeof listLogs>
  executor(ask: AgentRequest): Promise<ExecutorNow>
  /** Deleted ones too. */
  agentOf(id: string): Promise<HostedAgent | null>
  /** The wallet's agents, and whether each trades. */
  standing(wallet: Address): Promise<StandingAgent[]>
  /** Retries what the league, the signer or the chain missed; sums old trades; deletes old logs. */
  sweep(): Promise<void>
  jobs: CapabilityJobs
}

const LEAVING_AT_ONCE = 100
const MADE_FROM_KEPT_S = 30 * 86_400

/** The life of agents that the service runs. Their ticks are another part's. */
export function openHosted(deps: HostedDeps): Hosted {
  async function sweep(): Promise<void> {
    for (const id of await agentsLeaving(deps.db, LEAVING_AT_ONCE)) await leaveNow(deps, id)
    await tellStockRevocations(deps)
    await finishRefunds(deps)
    await sumTrades(deps)
    await sweepLogs(deps)
    await sweepMadeFrom(deps.db, nowS(deps.clock) - MADE_FROM_KEPT_S)
  }
  return {
    create: (ask) => createAgent(deps, ask),
    list: (wallet) => listOwned(deps, wallet),
    get: (ask) => getAgent(deps, ask),
    update: (ask) => updateAgent(deps, ask),
    attachSession: (ask) => attachSession(deps, ask),
    pause: (ask) => pauseByOwner(deps, ask),
    resume: (ask) => resumeAgent(deps, ask),
    stop: (ask) => stopAgent(deps, ask),
    delete: (ask) => deleteAgent(deps, ask),
    rotateExecutor: (ask) => rotateExecutor(deps, ask),
    rotateWebhookSecret: (ask) => rotateWebhookSecret(deps, ask),
    refundGas: (ask) => refundGas(deps, ask),
    attestStock: (ask) => attestStock(deps, ask),
    revokeStock: (ask) => revokeStock(deps, ask),
    logs: (ask) => listLogs(deps, ask),
    executor: (ask) => readExecutor(deps, ask),
    agentOf: (id) => readAgent(deps.db, id),
    standing: (wallet) => listStanding(deps, wallet),
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep hosted agents', sweep)] },
  }
}
