import type { Hex } from '@pit/chain'
import { fail, type RefusalCode, type RefusalDetails } from '@pit/protocol'
import type { RelayOutcome } from './types.ts'

type Failed = Exclude<RelayOutcome, { kind: 'sent' | 'repeat' }>

/** Refuses with what became of the bytes. `sent`: the transactions before it, when there were several. */
export function refuseOutcome(outcome: Failed, sent: readonly Hex[] | null): never {
  const already = sent === null ? {} : { sent }
  if (outcome.kind !== 'rejected') {
    const details = { ...already, tx_hash: outcome.hash }
    return refuse('SEQUENCER_UNREACHABLE', UNREACHABLE[outcome.kind], details)
  }
  const { words } = outcome
  switch (outcome.reason) {
    case 'sequencer':
      return refuse('SUBMIT_REJECTED', `The sequencer refused the transaction: ${words}`, {
        why: words,
        ...already,
      })
    case 'dropped':
      return refuse(
        'SUBMIT_REJECTED',
        'It was relayed before and has not reached the chain; until its deadline it may still land. Sign any replacement with the same nonce, so that only one of the two can.',
        { why: words, ...already },
      )
    case 'fee_used':
      return refuse('FEE_FIRST', "A curve trade's fee goes first: that fee paid for another swap.", {
        sent: sent ?? [],
      })
    case 'late':
      return refuse('LIVE_UNAVAILABLE', 'Nothing was sent: the store is too slow now. Send the same again.', {
        ...already,
      })
  }
}

const UNREACHABLE = {
  unreachable: 'The sequencer did not answer; the transaction may have arrived.',
  in_flight: 'Another call is relaying the same bytes and has not ended; the transaction may have arrived.',
} as const

/** Not a literal at the call: `tx_hash` is beyond the extras that the table knows. */
function refuse(code: RefusalCode, message: string, extras: Record<string, unknown>): never {
  const details: RefusalDetails = { message, ...extras }
  return fail(code, details)
}
