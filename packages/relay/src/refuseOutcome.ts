import type { Hex } from '@pit/chain'
import { type Extras, fail, type RefusalCode } from '@pit/protocol'
import type { RelayOutcome } from './types.ts'

type Failed = Exclude<RelayOutcome, { kind: 'sent' | 'repeat' }>

/** Refuses with the outcome. `sent` lists the transactions relayed before it; null for a single one. */
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
        'It was relayed before and has not reached the chain; until its deadline it may still land. ' +
          'Sign any replacement with the same nonce, so that only one of the two can.',
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

function refuse(code: RefusalCode, message: string, extras: Extras): never {
  return fail(code, { message, ...extras })
}
