import type { Hex } from '@pit/chain'
import { lookUntil, nowS } from '@pit/platform/clock'
import { askReceipt, type Receipt, readAll, readOne } from '@pit/platform/reads'
import { fail } from '@pit/protocol'
import { saysKnown, sendRaw, viewChain } from '@pit/relay'
import type { HostedDeps } from '../deps.ts'
import { readTransfer } from './plainTransfer.ts'
import { markRefund, type Refund, takeOpenRefunds } from './refundStore.ts'

type Deps = Pick<HostedDeps, 'db' | 'rpc' | 'sequencer' | 'clock' | 'crypto' | 'refundWaitMs'>
type Fate = Pick<Refund, 'status' | 'block' | 'relayError'>

const LOOK_EVERY_MS = 150
const LOOK_BOUND_MS = 2_000

/** Sends the stored bytes and waits for their receipt. Only a transfer to the owner is sent. */
export async function relayRefund(deps: Deps, refund: Refund): Promise<Refund> {
  const transfer = readTransfer(deps.crypto, refund.raw)
  if (transfer?.from !== refund.executor || transfer.to !== refund.to || transfer.hash !== refund.txHash) {
    fail('NOT_A_REFUND')
  }
  const receipt = await findReceipt(deps, refund.txHash)
  if (receipt) return markRefund(deps.db, refund, receipt)
  const fate = await send(deps, refund)
  const marked = await markRefund(deps.db, refund, fate)
  const mined = await lookUntil(deps.clock, () => findReceipt(deps, refund.txHash), {
    holds: (receipt) => receipt !== null,
    withinMs: deps.refundWaitMs,
    everyMs: LOOK_EVERY_MS,
  })
  return mined ? markRefund(deps.db, refund, mined) : marked
}

async function send({ sequencer, rpc }: Deps, { raw, txHash, executor }: Refund): Promise<Fate> {
  const answer = await sendRaw(sequencer, raw)
  if (answer.kind === 'taken') return { status: 'sent', block: null, relayError: null }
  if (answer.kind !== 'refused') {
    return {
      status: 'uncertain',
      block: null,
      relayError:
        answer.kind === 'silent'
          ? 'the sequencer did not respond; the transaction may have arrived'
          : 'the sequencer gave no reason; the chain may filter the executor or the owner',
    }
  }
  const view = await viewChain(rpc, { hash: txHash, signer: executor })
  if (view?.known || saysKnown(answer.words)) return { status: 'sent', block: null, relayError: null }
  return { status: 'uncertain', block: null, relayError: answer.words }
}

async function findReceipt({ rpc }: Deps, hash: Hex): Promise<Fate | null> {
  const receipt = await readOne(rpc, askReceipt(hash), { timeoutMs: LOOK_BOUND_MS }).catch(() => null)
  return receipt && fateOf(receipt)
}

const fateOf = ({ ok, block }: Receipt): Fate => ({
  status: ok ? 'mined' : 'reverted',
  block,
  relayError: null,
})

const AT_ONCE = 50
const SWEEP_BOUND_MS = 10_000

/**
 * Updates refunds whose request did not wait for the receipt, in batches. Sends nothing: only the owner's
 * next request does.
 */
export async function finishRefunds(deps: Deps): Promise<void> {
  const open = await takeOpenRefunds(deps.db, nowS(deps.clock), AT_ONCE)
  const questions = open.map(({ txHash }) => askReceipt(txHash))
  const receipts = await readAll(deps.rpc, questions, { timeoutMs: SWEEP_BOUND_MS }).catch(() => [])
  for (const [i, refund] of open.entries()) {
    const receipt = receipts[i]
    if (receipt) await markRefund(deps.db, refund, fateOf(receipt))
  }
}
