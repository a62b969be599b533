import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import { openSessionsOf } from '@pit/sessions'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { executorsOf, markClosed, type StoredExecutor } from '../executors.ts'
import { writeLogs } from '../logs.ts'
import { askSigner } from '../signer.ts'
import { findOwnedOrDeleted, type StoredAgent } from '../store.ts'
import { readRefund } from './plainTransfer.ts'
import { readBalances } from './readExecutor.ts'
import { keepRefund, openOf, type Refund, refundsOf } from './refundStore.ts'
import { relayRefund } from './relayRefund.ts'

export interface Refunded {
  refund: Refund
  /** Whether it was signed for an earlier call. */
  already: boolean
}

/**
 * What is left on a stopped agent's executor goes to the owner that the signing service has on record. The
 * signed bytes are kept before they leave: asked again, the same come back, and the same are sent.
 */
export async function refundGas(deps: HostedDeps, request: AgentRequest): Promise<Refunded> {
  const agent = await findOwnedOrDeleted(deps.db, request)
  if (agent.mode === 'paper') fail('NO_EXECUTOR')
  if (agent.status !== 'stopped') fail('STOP_FIRST')
  if (deps.signer === null) fail('SIGNER_REQUIRED')
  if (!deps.submitEnabled) fail('SUBMIT_DISABLED', { status: 503 })
  const executors = await executorsOf(deps.db, agent.id)
  const refunds = await refundsOf(deps.db, agent.id)
  const chosen = await choose(deps, executors, refunds)
  if (chosen.kind === 'done') return { refund: chosen.refund, already: true }

  await refuseActive(deps, agent, chosen.executor)
  const kept = chosen.open
    ? await askAgain(deps, chosen.executor, chosen.open)
    : await sign(deps, chosen.executor)
  const refund = await relayRefund(deps, kept.refund)
  if (!kept.already || refund.status !== kept.refund.status) await logRefund(deps, refund)
  return { refund, already: kept.already }
}

type Chosen =
  | { kind: 'done'; refund: Refund }
  | { kind: 'refund'; executor: StoredExecutor; open: Refund | null }

/** One that is under way, else the first executor with anything on it, else what was refunded last. */
async function choose(
  deps: HostedDeps,
  executors: readonly StoredExecutor[],
  refunds: readonly Refund[],
): Promise<Chosen> {
  const [current] = executors
  if (!current) return fail('NO_EXECUTOR')
  const open = openOf(refunds)
  if (open) {
    return { kind: 'refund', executor: executors.find(({ executor }) => executor === open.executor)!, open }
  }
  const [last] = refunds
  const balances = await readBalances(deps, executors).catch(() => fail('CHAIN_UNAVAILABLE'))
  // After a refund dust stays: the gas its fee cap allowed and the chain did not take.
  const dust = (executor: Address): bigint => {
    const done = refunds.find((refund) => refund.executor === executor)
    return done ? BigInt(done.gas) * done.maxFeePerGasWei : 0n
  }
  const rich = executors.find(({ executor }) => (balances.get(executor) ?? 0n) > dust(executor))
  if (rich) return { kind: 'refund', executor: rich, open: null }
  return last ? { kind: 'done', refund: last } : { kind: 'refund', executor: current, open: null }
}

/** Nothing may be co-signed any more that would spend what is sent back. */
async function refuseActive(
  { db, clock }: HostedDeps,
  { wallet }: StoredAgent,
  { executor }: StoredExecutor,
): Promise<void> {
  const open = await openSessionsOf(db, { wallet, executors: [executor], nowS: nowS(clock) })
  // One that is being registered may be the co-signer's already.
  const active = open.find(({ status }) => status !== 'pending')
  if (active)
    fail('SESSION_ACTIVE', { message: `Session ${active.id} can still be co-signed: revoke it first.` })
}

/** The signing service closes the executor, then signs; what it answers is believed only byte by byte. */
async function sign(deps: HostedDeps, { executor, owner, agentId }: StoredExecutor): Promise<Refunded> {
  const answer = await askSigner(deps, 'hosted.refund_gas', (signer) => signer.refundGas({ executor }))
  const read = readRefund(deps.crypto, answer, { executor, owner })
  if (!read) {
    deps.logger.error({ executor, agentId }, 'the signer’s refund is no plain transfer to the owner')
    return fail('SIGNED_MISMATCH')
  }
  const { hash: txHash, to, valueWei, balanceWei, raw, nonce, gas, maxFeePerGasWei } = read
  const atS = nowS(deps.clock)
  return deps.db.transaction(async (sql) => {
    await markClosed(sql, executor, atS)
    const row = { executor, agentId, to, valueWei, balanceWei, txHash, raw, nonce, gas, maxFeePerGasWei }
    const kept = await keepRefund(sql, row, atS)
    return { refund: kept.refund, already: kept.already || answer.already }
  })
}

/** The signing service could not say: what it signed before still stands. */
const NO_ANSWER: ReadonlySet<string> = new Set(['SIGNER_UNAVAILABLE', 'BUSY', 'CHAIN_UNAVAILABLE'])

/** The same bytes, or newer ones where theirs can never be mined; without an answer those that are kept. */
async function askAgain(deps: HostedDeps, executor: StoredExecutor, open: Refund): Promise<Refunded> {
  try {
    const asked = await sign(deps, executor)
    return { ...asked, already: asked.already || asked.refund.txHash === open.txHash }
  } catch (error) {
    if (isPitError(error) && !NO_ANSWER.has(error.code)) throw error
    deps.logger.warn({ err: error, executor: executor.executor }, 'a refund is relayed again as it is kept')
    return { refund: open, already: true }
  }
}

async function logRefund({ db, clock }: HostedDeps, refund: Refund): Promise<void> {
  const { agentId, executor, to, valueWei, txHash, status, block } = refund
  await writeLogs(db, {
    agentId,
    tick: null,
    atMs: clock.nowMs(),
    kind: 'session',
    code: 'GAS_REFUND',
    message: `${valueWei} wei of ${executor} go back to ${to}: ${status}.`,
    data: { tx_hash: txHash, status, block },
  })
}
