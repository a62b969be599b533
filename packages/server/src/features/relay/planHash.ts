import { type Address, type Crypto, type Hex, hexToBytes } from '@pit/chain'

/** What must equal the plan. Nonce, gas and fees are the wallet's own to choose. */
export interface Built {
  from: Address
  to: Address
  valueWei: bigint
  data: Hex
}

/** keccak-256 of sender, target, value as a word, and calldata, back to back. */
export function planHash({ keccak256 }: Pick<Crypto, 'keccak256'>, { from, to, valueWei, data }: Built): Hex {
  const word = valueWei.toString(16).padStart(64, '0')
  return keccak256(hexToBytes(`0x${from.slice(2)}${to.slice(2)}${word}${data.slice(2)}`))
}
