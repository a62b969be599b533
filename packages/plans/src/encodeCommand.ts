import { ACTION_BYTE, encodePermit, type RouterCommand, type RouterLayout, type V3Path } from '@pit/chain'
import {
  addressDigits,
  addressWord,
  arrayTail,
  bool,
  bytesDigits,
  bytesTail,
  MAX_UINT24,
  MAX_UINT160,
  size,
  uint,
  uintOfNumber,
} from '@pit/chain/words'
import { encodeAction } from './encodeAction.ts'

/** The input of one command, as digits. */
export function encodeCommand(command: RouterCommand, layout: RouterLayout): string {
  switch (command.command) {
    case 'V3_SWAP_EXACT_IN':
      return encodeSwap(command, bytesTail(encodeV3Path(command.path)), layout)
    case 'V2_SWAP_EXACT_IN': {
      if (command.path.length < 2) throw new RangeError('a path needs at least two tokens')
      let path = size(command.path.length)
      for (const token of command.path) path += addressWord(token)
      return encodeSwap(command, path, layout)
    }
    case 'V4_SWAP': {
      let actions = ''
      const params: string[] = []
      for (const action of command.actions) {
        actions += ACTION_BYTE[action.action]
        params.push(bytesTail(encodeAction(action, layout)))
      }
      const first = bytesTail(actions)
      return size(0x40) + size(0x40 + (first.length >> 1)) + first + arrayTail(params)
    }
    case 'PERMIT2_PERMIT':
      return encodePermit(command.permit) + size(0xe0) + bytesTail(bytesDigits(command.signature))
    case 'PERMIT2_TRANSFER_FROM':
      return addressWord(command.token) + addressWord(command.recipient) + uint(command.amount, MAX_UINT160)
    case 'SWEEP':
      // The router keeps only 160 bits of this minimum: a larger value would be truncated.
      return (
        addressWord(command.token) + addressWord(command.recipient) + uint(command.amountMin, MAX_UINT160)
      )
    case 'TRANSFER':
      return addressWord(command.token) + addressWord(command.recipient) + uint(command.amount)
    case 'PAY_PORTION':
      return addressWord(command.token) + addressWord(command.recipient) + uint(command.bips)
    case 'WRAP_ETH':
      return addressWord(command.recipient) + uint(command.amount)
    case 'UNWRAP_WETH':
      return addressWord(command.recipient) + uint(command.amountMin)
  }
}

type Swap = Extract<RouterCommand, { command: 'V3_SWAP_EXACT_IN' | 'V2_SWAP_EXACT_IN' }>

/** v2 and v3 swaps differ only in their path. 2.1.1 adds a list of price floors, always empty here. */
function encodeSwap(swap: Swap, path: string, layout: RouterLayout): string {
  const head =
    addressWord(swap.recipient) +
    uint(swap.amountIn) +
    uint(swap.amountOutMin) +
    size(layout !== '2.1.0' ? 0xc0 : 0xa0) +
    bool(swap.payerIsUser)
  if (layout === '2.1.0') return head + path
  return head + size(0xc0 + (path.length >> 1)) + path + size(0)
}

/** Packed: token, fee, token, fee, token. */
function encodeV3Path({ tokens, fees }: V3Path): string {
  if (fees.length < 1 || tokens.length !== fees.length + 1)
    throw new RangeError('a path needs a fee between tokens')
  let digits = addressDigits(tokens[0]!)
  for (let i = 0; i < fees.length; i++) {
    digits += uintOfNumber(fees[i]!, MAX_UINT24).slice(58) + addressDigits(tokens[i + 1]!)
  }
  return digits
}
