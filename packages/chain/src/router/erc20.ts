import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord, uint } from './words.ts'

export function encodeErc20Approve(spender: Address, amount: bigint): Hex {
  return `0x095ea7b3${(addressWord(spender) + uint(amount)).toLowerCase()}`
}

export function encodeErc20Transfer(to: Address, amount: bigint): Hex {
  return `0xa9059cbb${(addressWord(to) + uint(amount)).toLowerCase()}`
}
