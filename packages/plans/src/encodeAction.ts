import { encodePoolKey, type PathKey, type RouterLayout, type V4Action } from '@pit/chain'
import {
  addressWord,
  arrayTail,
  bool,
  bytesDigits,
  bytesTail,
  int24,
  MAX_UINT24,
  MAX_UINT128,
  size,
  uint,
  uintOfNumber,
} from '@pit/chain/words'

const WORD_20 = size(0x20)
const NO_ITEMS = size(0)
/** 2.1.1 reads a price floor here; 0 disables it. */
const NO_HOP_PRICE = size(0)
const HOOK_DATA_OFFSET = { '2.1.0': size(0x120), '2.1.1': size(0x140), '2.1.2': size(0x140) }

/** Parameters of one v4 action, as digits. */
export function encodeAction(action: V4Action, layout: RouterLayout): string {
  switch (action.action) {
    case 'SWAP_EXACT_IN_SINGLE':
      return (
        WORD_20 +
        encodePoolKey(action.poolKey) +
        bool(action.zeroForOne) +
        uint(action.amountIn, MAX_UINT128) +
        uint(action.amountOutMin, MAX_UINT128) +
        (layout !== '2.1.0' ? NO_HOP_PRICE : '') +
        HOOK_DATA_OFFSET[layout] +
        bytesTail(bytesDigits(action.hookData))
      )
    case 'SWAP_EXACT_IN': {
      if (action.path.length === 0) throw new RangeError('a path needs at least one hop')
      const path = arrayTail(action.path.map(encodePathKey))
      return (
        WORD_20 +
        addressWord(action.currencyIn) +
        size(0xa0) +
        // The price floors per hop, always an empty list, come between path and amounts in both layouts.
        size(0xa0 + (path.length >> 1)) +
        uint(action.amountIn, MAX_UINT128) +
        uint(action.amountOutMin, MAX_UINT128) +
        path +
        NO_ITEMS
      )
    }
    case 'SETTLE':
      return addressWord(action.currency) + uint(action.amount) + bool(action.payerIsUser)
    case 'SETTLE_ALL':
      return addressWord(action.currency) + uint(action.amountMax)
    case 'TAKE':
      return addressWord(action.currency) + addressWord(action.recipient) + uint(action.amount)
    case 'TAKE_ALL':
      return addressWord(action.currency) + uint(action.amountMin)
    case 'TAKE_PORTION':
      return addressWord(action.currency) + addressWord(action.recipient) + uint(action.bips)
  }
}

function encodePathKey(hop: PathKey): string {
  return (
    addressWord(hop.intermediateCurrency) +
    uintOfNumber(hop.fee, MAX_UINT24) +
    int24(hop.tickSpacing) +
    addressWord(hop.hooks) +
    size(0xa0) +
    bytesTail(bytesDigits(hop.hookData))
  )
}
