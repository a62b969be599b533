import { type Hex, readLeaf, redemptionIn } from '@pit/chain'
import type { Job } from '@pit/platform/jobs'
import { boundControls } from '@pit/protocol'
import type { MinedTrade } from '@pit/relay'
import type { SettleParams } from '@pit/signer-wire'
import type { SessionDeps } from './deps.ts'
import { findSession } from './store.ts'

/** The co-signer's nodes may be behind ours: it is asked again so many times, at doubling intervals. */
const MAX_TRIES = 9
const FIRST_AGAIN_MS = 200
const IDLE_MS = 10_000
const MAX_WAITING = 1_000

interface Waiting {
  trade: MinedTrade
  tries: number
  nextMs: number
}

export interface LeafSettler {
  /** Names mined transactions to the co-signer, which reads on the chain which leaves they used. */
  mined(trades: readonly MinedTrade[]): void
  job: Job
}

/**
 * Settles leaves of sessions with controls as soon as their transaction is mined, whoever the executor is.
 * Best effort: the co-signer settles the others after they expire.
 */
export function createLeafSettler(
  deps: Pick<SessionDeps, 'db' | 'clock' | 'cosigner' | 'addresses' | 'logger'>,
): LeafSettler {
  const { clock, logger } = deps
  const waiting = new Map<Hex, Waiting>()
  let wake = () => {}

  async function settleOne(one: Waiting): Promise<void> {
    one.tries++
    one.nextMs = clock.nowMs() + FIRST_AGAIN_MS * 2 ** (one.tries - 1)
    const isDone = await settle(deps, one.trade).catch((error: unknown) => {
      logger.warn({ err: error, tx: one.trade.txHash }, 'failed to settle a leaf at the co-signer')
      return false
    })
    if (isDone || one.tries >= MAX_TRIES) waiting.delete(one.trade.txHash)
  }

  return {
    mined(trades) {
      for (const trade of trades)
        if (waiting.size < MAX_WAITING) waiting.set(trade.txHash, { trade, tries: 0, nextMs: 0 })
      wake()
    },
    job: {
      name: 'settle mined leaves',
      intervalMs: () => (waiting.size > 0 ? FIRST_AGAIN_MS / 2 : IDLE_MS),
      idleMs: () => (waiting.size > 0 ? 0 : IDLE_MS),
      wakeOn(wakeJob) {
        wake = wakeJob
        return () => {
          wake = () => {}
        }
      },
      async run() {
        const nowMs = clock.nowMs()
        for (const one of [...waiting.values()].filter(({ nextMs }) => nextMs <= nowMs)) await settleOne(one)
      },
    },
  }
}

/** Whether nothing is left to settle. */
async function settle(
  { db, cosigner, addresses }: Pick<SessionDeps, 'db' | 'cosigner' | 'addresses'>,
  { sessionId, txHash, logs }: MinedTrade,
): Promise<boolean> {
  const session = await findSession(db, sessionId)
  if (!session || !boundControls(session.binding)) return true
  const { delegation } = addresses()
  const requests = logs.flatMap((log): SettleParams[] => {
    const redeemed = redemptionIn(delegation, log)
    const leaf = redeemed?.wallet === session.wallet && readLeaf(delegation, redeemed.delegation)
    if (!leaf || leaf.kind === 'fee' || leaf.cosigner !== session.binding.cosigner) return []
    return [{ root_hash: session.rootHash, sequence: leaf.sequence, tx_hash: txHash }]
  })
  const settled = await Promise.all(requests.map((request) => cosigner.settleLeaf(request)))
  return settled.every(({ state }) => state !== 'open')
}
