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
  /** Whether an earlier request already signed it. */
  already: boolean
}

/**
 * Sends the remaining ETH of a stopped agent's executor to the owner recorded by the signing service. The
 * signed bytes are stored before they are sent, so a retry returns and sends the same ones.
 */
export async function refundGas(deps: HostedDeps, request: AgentRequest): Promise<Refunded> {
  const agent = await findOwnedOrDeleted(deps.db, request)
  if (agent.mode === 'paper') fail('NO_EXECUTOR')
  if (agent.status !== 'stopped') fail('STOP_FIRST')
  if (deps.signer === null) fail('SIGNER_REQUIRED')
  if (!deps.submitEnabled) fail('SUBMIT_DISABLED', { status: 503 })
  const executors = await executorsOf(deps.db, agent.id)
  const refunds = await refundsOf(deps.db, agent.id)
  const choice = await choose(deps, executors, refunds)
  if (choice.kind === 'done') return { refund: choice.refund, already: true }

  await refuseActive(deps, agent, choice.executor)
  const signed = choice.open
    ? await signAgain(deps, choice.executor, choice.open)
    : await sign(deps, choice.executor)
  const refund = await relayRefund(deps, signed.refund)
  if (!signed.already || refund.status !== signed.refund.status) await logRefund(deps, refund)
  return { refund, already: signed.already }
}

type Chosen =
  | { kind: 'done'; refund: Refund }
  | { kind: 'refund'; executor: StoredExecutor; open: Refund | null }

/** An open refund, else the first executor with a balance, else the last refund. */
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
  // A refund leaves dust: the difference between its fee cap and the actual gas cost.
  const dust = (executor: Address): bigint => {
    const earlier = refunds.find((refund) => refund.executor === executor)
    return earlier ? BigInt(earlier.gas) * earlier.maxFeePerGasWei : 0n
  }
  const rich = executors.find(({ executor }) => (balances.get(executor) ?? 0n) > dust(executor))
  if (rich) return { kind: 'refund', executor: rich, open: null }
  return last ? { kind: 'done', refund: last } : { kind: 'refund', executor: current, open: null }
}

/** Refuses while a session could still be co-signed and spend the ETH that is sent back. */
async function refuseActive(
  { db, clock }: HostedDeps,
  { wallet }: StoredAgent,
  { executor }: StoredExecutor,
): Promise<void> {
  const open = await openSessionsOf(db, { wallet, executors: [executor], nowS: nowS(clock) })
  // A session that is being registered may already be known to the co-signer.
  const active = open.find(({ status }) => status !== 'pending')
  if (active)
    fail('SESSION_ACTIVE', { message: `Session ${active.id} can still be co-signed. Revoke it first.` })
}

/** The signing service closes the executor, then signs; its answer is verified byte by byte. */
async function sign(deps: HostedDeps, { executor, owner, agentId }: StoredExecutor): Promise<Refunded> {
  const answer = await askSigner(deps, 'hosted.refund_gas', (signer) => signer.refundGas({ executor }))
  const read = readRefund(deps.crypto, answer, { executor, owner })
  if (!read) {
    deps.logger.error({ executor, agentId }, 'the signer’s refund is not a plain transfer to the owner')
    return fail('SIGNED_MISMATCH')
  }
  const { hash: txHash, to, valueWei, balanceWei, raw, nonce, gas, maxFeePerGasWei } = read
  const atS = nowS(deps.clock)
  return deps.db.transaction(async (sql) => {
    await markClosed(sql, executor, atS)
    const row = { executor, agentId, to, valueWei, balanceWei, txHash, raw, nonce, gas, maxFeePerGasWei }
    const stored = await keepRefund(sql, row, atS)
    return { refund: stored.refund, already: stored.already || answer.already }
  })
}

/** The signing service gave no definite answer; the stored bytes remain valid. */
const NO_ANSWER: ReadonlySet<string> = new Set(['SIGNER_UNAVAILABLE', 'BUSY', 'CHAIN_UNAVAILABLE'])

/**
 * The same bytes, or newer ones if the stored ones can no longer be mined; without an answer, the stored
 * ones.
 */
async function signAgain(deps: HostedDeps, executor: StoredExecutor, open: Refund): Promise<Refunded> {
  try {
    const signed = await sign(deps, executor)
    return { ...signed, already: signed.already || signed.refund.txHash === open.txHash }
  } catch (error) {
    if (isPitError(error) && !NO_ANSWER.has(error.code)) throw error
    deps.logger.warn({ err: error, executor: executor.executor }, 'relaying the stored refund again')
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
    message: `Refund of ${valueWei} wei from ${executor} to ${to}: ${status}.`,
    data: { tx_hash: txHash, status, block },
  })
}
