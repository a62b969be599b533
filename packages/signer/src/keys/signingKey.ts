import type { Address, Hex } from '@pit/chain'

/** The one face of the co-signer's key, wherever it is kept. */
export interface SigningKey {
  address: Address
  /** 65 bytes: r, s in the lower half, v of 27 or 28. */
  sign(digest: Hex): Promise<Hex>
  /** Why it could not sign when it was last asked; null when it could. */
  trouble(): string | null
  close(): void
}
