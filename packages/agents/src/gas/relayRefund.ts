import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import { saysKnown, sendRaw, viewChain } from '@pit/relay'
import type { HostedDeps } from '../deps.ts'
import { readTransfer } from './plainTransfer.ts'
import { markRefund, type Refund, takeOpenRefunds } from './refundStore.ts'

type Deps = Pick<HostedDeps, 'db' | 'rpc' | 'sequencer' | 'crypto' | 'refundWaitMs'>
type Fate = Pick<Refund, 'status' | 'block' | 'relayError'>

const LOOK_EVERY_MS = 150
const LOOK_BOUND_MS = 2_000

/** Sends the stored bytes and waits for their receipt. Only a transfer to the owner leaves this way. */
export async function relayRefund(deps: Deps, refund: Refund): Promise<Refund> {
  const transfer = readTransfer(deps.crypto, refund.raw)
  if (transfer?.from !== refund.executor || transfer.to !== refund.to || transfer.hash !== refund.txHash) {
    fail('NOT_A_REFUND')
  }
  const seen = await findReceipt(deps, refund.txHash)
  if (seen) return markRefund(deps.db, refund, seen)
  const fate = await send(deps, refund)
  const marked = await markRefund(deps.db, refund, fate)
  const mined = await waitForReceipt(deps, refund.txHash)
  return mined ? markRefund(deps.db, refund, mined) : marked
}

async function send({ sequencer, rpc }: Deps, { raw, txHash, executor }: Refund): Promise<Fate> {
  const answer = await sendRaw(sequencer, raw)
  if (answer.kind === 'taken') return { status: 'sent', block: null, relayError: null }
  if (answer.kind === 'silent') {
    return {
      status: 'uncertain',
      block: null,
      relayError: 'the sequencer did not answer; it may have arrived',
    }
  }
  const view = await viewChain(rpc, { hash: txHash, signer: executor })
  if (view?.known || saysKnown(answer.words)) return { status: 'sent', block: null, relayError: null }
  return { status: 'uncertain', block: null, relayError: answer.words }
}

async function waitForReceipt(deps: Deps, hash: Hex): Promise<Fate | null> {
  const until = performance.now() + deps.refundWaitMs
  for (;;) {
    const found = await findReceipt(deps, hash)
    if (found || performance.now() > until) return found
    await sleep(LOOK_EVERY_MS)
  }
}

type Receipt = { status?: Hex; blockNumber?: Hex } | null

async function findReceipt({ rpc }: Deps, hash: Hex): Promise<Fate | null> {
  const receipt = await rpc
    .request<Receipt>('eth_getTransactionReceipt', [hash], { timeoutMs: LOOK_BOUND_MS })
    .catch(() => null)
  return fateOf(receipt)
}

function fateOf(receipt: Receipt): Fate | null {
  if (!receipt?.blockNumber) return null
  const status = receipt.status === '0x1' ? 'mined' : 'reverted'
  return { status, block: Number(receipt.blockNumber), relayError: null }
}

const AT_ONCE = 50
const SWEEP_BOUND_MS = 10_000

/**
 * Finishes what a call did not wait for, some at a time and all in turn. Nothing is sent: only the owner's
 * asking again does that.
 */
export async function finishRefunds(deps: Deps & Pick<HostedDeps, 'clock'>): Promise<void> {
  const open = await takeOpenRefunds(deps.db, nowS(deps.clock), AT_ONCE)
  const answers = await deps.rpc
    .batch(
      open.map(({ txHash }) => ['eth_getTransactionReceipt', [txHash]] as const),
      { timeoutMs: SWEEP_BOUND_MS },
    )
    .catch(() => [])
  for (const [i, refund] of open.entries()) {
    const answer = answers[i]
    const found = answer?.ok ? fateOf(answer.result as Receipt) : null
    if (found) await markRefund(deps.db, refund, found)
  }
}
