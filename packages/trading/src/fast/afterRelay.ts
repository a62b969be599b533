import type { Address } from '@pit/chain'
import { askNonce, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { fail } from '@pit/protocol'
import type { RelayOutcome } from '@pit/relay'

const VIEW_BOUND_MS = 2_000

type Relayed = { repeat: boolean }

/** Maps the relay's outcome to a result or a refusal. From here on the sequencer may have the bytes. */
export async function relayedOrRefused(
  { rpc }: { rpc: Pick<Rpc, 'request'> },
  outcome: RelayOutcome,
  { signer, nonce }: { signer: string; nonce: number },
): Promise<Relayed> {
  switch (outcome.kind) {
    case 'sent':
      return { repeat: false }
    case 'repeat':
      return { repeat: true }
    case 'in_flight':
      return fail('IN_FLIGHT')
    case 'unreachable':
      return fail('SEQUENCER_UNREACHABLE')
    case 'rejected': {
      if (outcome.reason === 'late')
        fail('LIVE_UNAVAILABLE', { message: `Nothing was sent: ${outcome.words}.` })
      if (outcome.reason === 'dropped') {
        const message =
          'This transaction was relayed before and has not reached the chain. ' +
          'Look up its hash before you sign another one.'
        fail('SUBMIT_REJECTED', { message, why: outcome.words, retry: 'look_first' })
      }
      if (outcome.nonceRefused) fail('NONCE', { chain: await nonceOf(rpc, signer, nonce) })
      return fail('SUBMIT_REJECTED', {
        message: `The sequencer refused the transaction: ${outcome.words}.`,
        why: outcome.words,
        retry: 'look_first',
      })
    }
  }
}

/** Spent: another transaction used the nonce. Otherwise these bytes may still be mined. */
async function nonceOf(rpc: Pick<Rpc, 'request'>, signer: string, nonce: number) {
  try {
    const next = await readOne(rpc, askNonce(signer as Address), { timeoutMs: VIEW_BOUND_MS })
    return { spent: next > nonce, nonce: next }
  } catch {
    // Unknown: the caller has to check before it signs anything else.
    return { spent: false, nonce: null }
  }
}
