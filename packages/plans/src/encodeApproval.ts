import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord, uint } from './words.ts'

export function encodeErc20Approve(spender: Address, amount: bigint): Hex {
  return `0x095ea7b3${(addressWord(spender) + uint(amount)).toLowerCase()}`
}

export function encodeErc20Transfer(to: Address, amount: bigint): Hex {
  return `0xa9059cbb${(addressWord(to) + uint(amount)).toLowerCase()}`
}

/** `Transfer(address indexed from, address indexed to, uint256 value)`. */
export const ERC20_TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
