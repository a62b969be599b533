import type { Address, Hex } from '@pit/chain'

/** The co-signer's key, in a file or in a KMS. */
export interface SigningKey {
  address: Address
  /** 65 bytes: r, s in the lower half, v of 27 or 28. */
  sign(digest: Hex): Promise<Hex>
  /** Why the last signature failed; null if it succeeded. */
  trouble(): string | null
  close(): void
}
