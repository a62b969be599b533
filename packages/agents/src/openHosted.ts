import type { Handlers } from '@pit/platform/call'
import type { Answer } from '@pit/protocol'
import type { HostedDeps } from './deps.ts'
import { readExecutor } from './gas/readExecutor.ts'
import { refundGas } from './gas/refundGas.ts'
import { finishRefunds } from './gas/relayRefund.ts'
import { attachSession } from './life/attach.ts'
import { createAgent } from './life/create.ts'
import { pauseByOwner, resumeAgent } from './life/pause.ts'
import { rotateExecutor, rotateWebhookSecret } from './life/rotate.ts'
import { deleteAgent, leaveNow, stopAgent } from './life/stop.ts'
import { updateAgent } from './life/update.ts'
import { listLogs, sweepLogs } from './logs.ts'
import { getAgent, listOwned, readMine } from './show/readDetail.ts'
import { sumTrades } from './show/sumTrades.ts'
import { attestStock } from './stock/attest.ts'
import { revokeStock, tellStockRevocations } from './stock/revoke.ts'
import { agentsLeaving, readAgent } from './store.ts'
import type { HostedAgent } from './types.ts'

export type LifeRoute =
  | 'hosted.create'
  | 'hosted.list'
  | 'hosted.get'
  | 'hosted.update'
  | 'hosted.session'
  | 'hosted.pause'
  | 'hosted.resume'
  | 'hosted.stop'
  | 'hosted.delete'
  | 'hosted.rotate_executor'
  | 'hosted.rotate_webhook_secret'
  | 'hosted.refund_gas'
  | 'hosted.stock_attestation'
  | 'hosted.stock_attestation.revoke'
  | 'hosted.logs'
  | 'hosted.executor'

export interface Hosted {
  handlers: Pick<Handlers, LifeRoute>
  /** Deleted ones too. */
  agentOf(id: string): Promise<HostedAgent | null>
  /** As me/sessions lists them. */
  mine(wallet: `0x${string}`): Promise<Answer<'me.sessions'>['hosted']>
  /** What the league, the signer and the chain have still to hear or to tell; what is summed; logs past their time. */
  sweep(): Promise<void>
}

const LEAVING_AT_ONCE = 100

/** The life of agents that the service runs. Their ticks are another part's. */
export function openHosted(deps: HostedDeps): Hosted {
  return {
    handlers: {
      'hosted.create': (call) => createAgent(deps, call),
      'hosted.list': (call) => listOwned(deps, call),
      'hosted.get': (call) => getAgent(deps, call),
      'hosted.update': (call) => updateAgent(deps, call),
      'hosted.session': (call) => attachSession(deps, call),
      'hosted.pause': (call) => pauseByOwner(deps, call),
      'hosted.resume': (call) => resumeAgent(deps, call),
      'hosted.stop': (call) => stopAgent(deps, call),
      'hosted.delete': (call) => deleteAgent(deps, call),
      'hosted.rotate_executor': (call) => rotateExecutor(deps, call),
      'hosted.rotate_webhook_secret': (call) => rotateWebhookSecret(deps, call),
      'hosted.refund_gas': (call) => refundGas(deps, call),
      'hosted.stock_attestation': (call) => attestStock(deps, call),
      'hosted.stock_attestation.revoke': (call) => revokeStock(deps, call),
      'hosted.logs': (call) => listLogs(deps, call),
      'hosted.executor': (call) => readExecutor(deps, call),
    },
    agentOf: (id) => readAgent(deps.db, id),
    mine: (wallet) => readMine(deps, wallet),
    async sweep() {
      for (const id of await agentsLeaving(deps.db, LEAVING_AT_ONCE)) await leaveNow(deps, id)
      await tellStockRevocations(deps)
      await finishRefunds(deps)
      await sumTrades(deps)
      await sweepLogs(deps)
    },
  }
}
