import type { Hex } from '@pit/chain'
import type { Pins } from '@pit/client'
import type { Static } from '@sinclair/typebox'
import { Choice, Int, Num, OrNull, Output, Str } from '../shapes.ts'
import { showAmount } from '../showToken.ts'
import type { Entry } from './journal.ts'

const STATUSES = ['mined', 'reverted', 'uncertain', 'in_progress', 'not_placed', 'unknown'] as const

/** One trade in a tool's result. */
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
  'The trade may have been placed: call look_up_trade first. Retry only with the same client_id, which ' +
  'never signs twice; a new client_id would be a second trade.'

export interface Look {
  clientId: string | null
  entry: Entry | undefined
  uncertain: string | null
  /** The transaction's receipt from the client's own node; null if it is not mined. */
  receipt?: { status: Hex; blockNumber: Hex } | null
  hash?: Hex | null
  nowMs: number
}

export function showStanding(pins: Pins, look: Look): TradeShown {
  const { entry, clientId } = look
  const base = {
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
      ...base,
      status: 'mined',
      message: 'The trade was mined and delivered at least its minimum output.',
      block: entry.block,
      receive_amount: showAmount(pins.tokens, entry.tokenOut, entry.amountOut),
    }
  const isReverted = entry?.state === 'reverted' || look.receipt?.status === '0x0'
  if (isReverted)
    return { ...base, status: 'reverted', message: 'The trade was mined and reverted; only gas was spent.' }
  if (look.receipt)
    return {
      ...base,
      status: 'mined',
      message: 'The transaction was mined.',
      block: Number(look.receipt.blockNumber),
    }
  return { ...base, ...unmined(look) }
}

function unmined({ entry, uncertain, nowMs, hash }: Look): Pick<TradeShown, 'status' | 'message'> {
  switch (entry?.state) {
    case 'signed': {
      if (nowMs / 1000 > entry.signed.deadlineS + AFTER_DEADLINE_S)
        return {
          status: 'uncertain',
          message: entry.signed.undated
            ? 'The trade is not mined and has no deadline: it can still be mined until another transaction uses ' +
              'its nonce. It still counts against the limits. A new trade needs a new client_id.'
            : 'The trade is not mined and its deadline has passed. Call again with the same client_id: once the ' +
              'chain proves that it can no longer execute, it stops counting against the limits.',
        }
      return { status: 'uncertain', message: uncertain ? `${LOOK_FIRST} (${uncertain})` : LOOK_FIRST }
    }
    case 'ordered':
      return {
        status: entry.ids ? 'in_progress' : 'uncertain',
        message: entry.ids
          ? 'This client_id placed a signed order: see list_orders.'
          : 'The order may be registered: call place_order again with the same client_id.',
      }
    case 'reserved':
      return { status: 'in_progress', message: `Nothing has been signed yet. ${LOOK_FIRST}` }
    case 'refused':
      return { status: 'not_placed', message: `The trade was refused (${entry.code}); nothing was traded.` }
    default:
      return {
        status: uncertain ? 'in_progress' : 'unknown',
        message: uncertain
          ? `The trade is waiting for an earlier one. ${LOOK_FIRST}`
          : hash
            ? 'The chain does not show this transaction.'
            : 'This server has no trade with this client_id.',
      }
  }
}
