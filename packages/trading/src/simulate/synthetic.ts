import {
  type Address,
  type Crypto,
  type Hex,
  hashPermit,
  type PermitSingle,
  serializeSignature,
} from '@pit/chain'

/** A wallet of this process for plans without one: holds nothing and signs only for simulations. */
export interface SyntheticWallet {
  wallet: Address
  signPermit(permit: PermitSingle): Hex
}

/** The key never leaves this function: its signatures are worthless outside a simulation. */
export function createSynthetic(deps: {
  crypto: Crypto
  randomBytes(size: number): Uint8Array
  chainId: number
  permit2: Address
}): SyntheticWallet {
  const { crypto, randomBytes, chainId, permit2 } = deps
  const key = newKey(crypto, randomBytes)
  return {
    wallet: crypto.addressOf(key),
    signPermit: (permit) =>
      serializeSignature(crypto.sign(hashPermit(crypto, { chainId, permit2 }, permit), key)),
  }
}

/** Nearly every 32 bytes are a valid key; those above the curve's order are not. */
function newKey(crypto: Crypto, randomBytes: (size: number) => Uint8Array): Uint8Array {
  for (let tries = 0; tries < 8; tries++) {
    const key = randomBytes(32)
    try {
      crypto.addressOf(key)
      return key
    } catch {
      // Draw again.
    }
  }
  throw new Error('no usable key in eight draws: the source of randomness is broken')
}
