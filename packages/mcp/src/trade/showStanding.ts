import type { Hex } from '@pit/chain'
import type { Pins } from '@pit/client'
import type { Static } from '@sinclair/typebox'
import { Choice, Int, Num, OrNull, Output, Str } from '../shapes.ts'
import { showAmount } from '../untrusted.ts'
import type { Entry } from './journal.ts'

const STATUSES = ['mined', 'reverted', 'uncertain', 'in_progress', 'not_placed', 'unknown'] as const

/** One trade as tools answer it. */
export const TradeShown = Output({
  status: Choice(STATUSES),
  message: Str(),
  client_id: OrNull(Str()),
  tx_hash: OrNull(Str()),
  block: OrNull(Int()),
  token_in: OrNull(Str()),
  token_out: OrNull(Str()),
  notional_usd: OrNull(Num()),
  receive_amount: OrNull(Str('whole tokens')),
})
export type TradeShown = Static<typeof TradeShown>

const AFTER_DEADLINE_S = 30
const LOOK_FIRST =
  'It may have been placed: look first, with look_up_trade. Retry only with the same client_id, which ' +
  'never signs twice; a new client_id would be a second trade.'

export interface Look {
  clientId: string | null
  entry: Entry | undefined
  uncertain: string | null
  /** Of the transaction, on the own node; null where it is not mined. */
  receipt?: { status: Hex; blockNumber: Hex } | null
  hash?: Hex | null
  nowMs: number
}

export function showStanding(pins: Pins, look: Look): TradeShown {
  const { entry, clientId } = look
  const told = {
    client_id: clientId,
    tx_hash: entry && 'txHash' in entry ? entry.txHash : (look.hash ?? null),
    block: null,
    token_in: entry?.asked.sell ?? null,
    token_out: entry?.asked.buy ?? null,
    notional_usd: entry?.asked.usd ?? null,
    receive_amount: null,
  }
  if (entry?.state === 'mined')
    return {
      ...told,
      status: 'mined',
      message: 'Done: it is mined, and brought at least its minimum.',
      block: entry.block,
      receive_amount: showAmount(pins, entry.tokenOut, entry.amountOut),
    }
  const isReverted = entry?.state === 'reverted' || look.receipt?.status === '0x0'
  if (isReverted)
    return { ...told, status: 'reverted', message: 'It was mined and reverted; only gas was spent.' }
  if (look.receipt)
    return { ...told, status: 'mined', message: 'It is mined.', block: Number(look.receipt.blockNumber) }
  return { ...told, ...unmined(look) }
}

function unmined({ entry, uncertain, nowMs, hash }: Look): Pick<TradeShown, 'status' | 'message'> {
  switch (entry?.state) {
    case 'signed': {
      if (nowMs / 1000 > entry.signed.deadlineS + AFTER_DEADLINE_S)
        return {
          status: 'uncertain',
          message: entry.signed.undated
            ? 'It is not mined, and has no deadline: it can still be mined until another transaction takes ' +
              'its nonce. Its dollars stay counted. A new trade needs a new client_id.'
            : 'Its deadline has passed and it is not mined. Call again with the same client_id: once the chain ' +
              'proves that it cannot trade any more, its dollars are free again.',
        }
      return { status: 'uncertain', message: uncertain ? `${LOOK_FIRST} (${uncertain})` : LOOK_FIRST }
    }
    case 'reserved':
      return { status: 'in_progress', message: `Nothing is signed for it yet. ${LOOK_FIRST}` }
    case 'refused':
      return { status: 'not_placed', message: `It was refused (${entry.code}); nothing was traded.` }
    default:
      return {
        status: uncertain ? 'in_progress' : 'unknown',
        message: uncertain
          ? `It waits for its turn. ${LOOK_FIRST}`
          : hash
            ? 'The chain does not show this transaction.'
            : 'This server has never heard of this client_id.',
      }
  }
}
