import { type Address, type Crypto, type Hex, hexToBytes, type SignedAuthorization } from '@pit/chain'

/** The fields that must equal the plan. Nonce, gas and gas fees are the wallet's choice. */
export interface Built {
  from: Address
  to: Address
  valueWei: bigint
  data: Hex
  /** Present only in a set-code transaction (EIP-7702). */
  authorizations?: readonly SignedAuthorization[]
}

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')

/** keccak-256 of sender, target, value word and calldata; hashed again with the authorizations. */
export function planHash({ keccak256 }: Pick<Crypto, 'keccak256'>, built: Built): Hex {
  const { from, to, valueWei, data, authorizations } = built
  const hash = keccak256(hexToBytes(`0x${from.slice(2)}${to.slice(2)}${word(valueWei)}${data.slice(2)}`))
  return authorizations ? keccak256(hexToBytes(`${hash}${packed(authorizations).slice(2)}`)) : hash
}

/** Each in 180 bytes: chain, delegate, nonce, r, s and parity. */
export const packed = (authorizations: readonly SignedAuthorization[]): Hex =>
  `0x${authorizations
    .map(
      ({ chainId, address, nonce, r, s, yParity }) =>
        `${word(chainId)}${address.slice(2)}${word(nonce)}` +
        `${word(BigInt(r))}${word(BigInt(s))}${word(yParity)}`,
    )
    .join('')}`.toLowerCase() as Hex

const EACH = 2 * (5 * 32 + 20)

/** The inverse of `packed`. */
export function unpacked(bytes: Hex): SignedAuthorization[] {
  const digits = bytes.slice(2)
  return Array.from({ length: digits.length / EACH }, (_, i) => {
    const own = digits.slice(i * EACH, (i + 1) * EACH)
    const part = (start: number, chars: number): Hex => `0x${own.slice(start, start + chars)}`
    return {
      chainId: Number(part(0, 64)),
      address: part(64, 40),
      nonce: Number(part(104, 64)),
      r: part(168, 64),
      s: part(232, 64),
      yParity: Number(part(296, 64)) as 0 | 1,
    }
  })
}
