import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { SignedReceipt } from '@pit/signer-wire'
import type { AgentRequest, HostedDeps } from './deps.ts'
import { type ExecutorNow, readExecutor } from './gas/readExecutor.ts'
import { type Refunded, refundGas } from './gas/refundGas.ts'
import { finishRefunds } from './gas/relayRefund.ts'
import { attachSession } from './life/attach.ts'
import { type Created, type CreateParams, createAgent } from './life/create.ts'
import { connectModelKey, disconnectModelKey } from './life/modelKey.ts'
import { pauseByOwner, resumeAgent } from './life/pause.ts'
import { rotateExecutor, rotateWebhookSecret } from './life/rotate.ts'
import { deleteAgent, leaveNow, stopAgent } from './life/stop.ts'
import { type Updated, updateAgent } from './life/update.ts'
import type { UpdateRequest } from './life/updatePatch.ts'
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
import { type Cancelled, type CancelRequest, cancelOrders } from './signed/cancel.ts'
import { type AgentOrders, listOrders } from './signed/listOrders.ts'
import { type Placed, type PlaceRequest, placeOrders } from './signed/place.ts'
import { confirmStates, type StatesRequest } from './signed/states.ts'
import { attestStock, type StockRequest } from './stock/attest.ts'
import { revokeStock, tellStockRevocations } from './stock/revoke.ts'
import { agentsLeaving, readAgent, type StoredAgent, sweepMadeFrom } from './store.ts'
import type { HostedAgent } from './types.ts'

export interface Hosted {
  create(request: CreateParams): Promise<Created>
  list(wallet: Address): Promise<ShownAgent[]>
  get(request: Parameters<typeof getAgent>[1]): Promise<AgentDetail>
  update(request: UpdateRequest): Promise<Updated>
  attachSession(request: AgentRequest & { sessionId: string }): Promise<AgentDetail>
  pause(request: AgentRequest): Promise<AgentDetail>
  resume(request: AgentRequest): Promise<AgentDetail>
  stop(request: AgentRequest): ReturnType<typeof stopAgent>
  delete(request: AgentRequest): Promise<StoredAgent>
  rotateExecutor(request: AgentRequest): ReturnType<typeof rotateExecutor>
  rotateWebhookSecret(request: AgentRequest): ReturnType<typeof rotateWebhookSecret>
  connectModelKey(request: { wallet: Address; key: string }): ReturnType<typeof connectModelKey>
  disconnectModelKey(wallet: Address): ReturnType<typeof disconnectModelKey>
  refundGas(request: AgentRequest): Promise<Refunded>
  attestStock(request: StockRequest): Promise<AgentDetail>
  revokeStock(request: AgentRequest): ReturnType<typeof revokeStock>
  logs(request: LogsRequest): ReturnType<typeof listLogs>
  executor(request: AgentRequest): Promise<ExecutorNow>
  placeOrders(request: PlaceRequest): Promise<Placed>
  listOrders(request: Parameters<typeof listOrders>[1]): Promise<AgentOrders>
  cancelOrders(request: CancelRequest): Promise<Cancelled>
  confirmStates(request: StatesRequest): Promise<SignedReceipt[]>
  /** Includes deleted agents. */
  agentOf(id: string): Promise<HostedAgent | null>
  /** The wallet's agents, and whether each one trades. */
  standing(wallet: Address): Promise<StandingAgent[]>
  /**
   * Retries failed notifications of the league, the signer and the chain; sums old trades; deletes old logs.
   */
  sweep(): Promise<void>
  jobs: CapabilityJobs
}

const LEAVING_AT_ONCE = 100
const MADE_FROM_KEPT_S = 30 * 86_400

/** The life of hosted agents; `run/` executes their ticks. */
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
    create: (request) => createAgent(deps, request),
    list: (wallet) => listOwned(deps, wallet),
    get: (request) => getAgent(deps, request),
    update: (request) => updateAgent(deps, request),
    attachSession: (request) => attachSession(deps, request),
    pause: (request) => pauseByOwner(deps, request),
    resume: (request) => resumeAgent(deps, request),
    stop: (request) => stopAgent(deps, request),
    delete: (request) => deleteAgent(deps, request),
    rotateExecutor: (request) => rotateExecutor(deps, request),
    rotateWebhookSecret: (request) => rotateWebhookSecret(deps, request),
    connectModelKey: (request) => connectModelKey(deps, request),
    disconnectModelKey: (wallet) => disconnectModelKey(deps, wallet),
    refundGas: (request) => refundGas(deps, request),
    attestStock: (request) => attestStock(deps, request),
    revokeStock: (request) => revokeStock(deps, request),
    logs: (request) => listLogs(deps, request),
    executor: (request) => readExecutor(deps, request),
    placeOrders: (request) => placeOrders(deps, request),
    listOrders: (request) => listOrders(deps, request),
    cancelOrders: (request) => cancelOrders(deps, request),
    confirmStates: (request) => confirmStates(deps, request),
    agentOf: (id) => readAgent(deps.db, id),
    standing: (wallet) => listStanding(deps, wallet),
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep hosted agents', sweep)] },
  }
}
