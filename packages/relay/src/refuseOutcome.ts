import type { Hex } from '@pit/chain'
import { fail, type RefusalCode, type RefusalDetails } from '@pit/protocol'
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
        'It was relayed before and has not reached the chain. It may still be mined until its deadline. ' +
          'Sign a replacement with the same nonce, so that only one of the two can be mined.',
        { why: words, retry: 'look_first', ...already },
      )
    case 'fee_used':
      return refuse(
        'FEE_FIRST',
        'The fee of a curve trade must be sent first: this fee already paid for another swap.',
        {
          sent: sent ?? [],
        },
      )
    case 'late':
      return refuse(
        'LIVE_UNAVAILABLE',
        'Nothing was sent because the store is too slow. Retry the same request.',
        {
          ...already,
        },
      )
  }
}

const UNREACHABLE = {
  unreachable: 'The sequencer did not respond. The transaction may have arrived.',
  in_flight: 'Another call is still relaying the same bytes. The transaction may have arrived.',
} as const

function refuse(code: RefusalCode, message: string, details: RefusalDetails): never {
  return fail(code, { message, ...details })
}
