import {
  type Address,
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  delegationDomainHash,
  delegationHash,
  type Hex,
} from '@pit/chain'
import { type ExecutorAttestation, executorAttestationText } from '@pit/protocol'
import type { SigningKey } from './signingKey.ts'

/** The co-signer signs delegations and attestations only; its key is reached by nothing else. */
export interface Cosigner {
  address: Address
  sign(addresses: DelegationAddresses, delegation: Delegation): Promise<{ signed: Delegation; hash: Hex }>
  /** Attests whose key an executor's is. No other text is signed. */
  attest(executor: ExecutorAttestation): Promise<{ text: string; signature: Hex }>
  /** Why its key could not sign when it was last asked; null when it could. */
  trouble(): string | null
  /** Nothing can be signed afterwards. */
  close(): void
}

export function createCosigner({ key, crypto }: { key: SigningKey; crypto: Crypto }): Cosigner {
  // A process signs for one deployment all its life: the domain's hash is worked out once.
  let known: { addresses: DelegationAddresses; digits: string } | undefined
  function domainOf(addresses: DelegationAddresses): string {
    if (known?.addresses !== addresses)
      known = { addresses, digits: delegationDomainHash(crypto, addresses).slice(2) }
    return known.digits
  }
  return {
    address: key.address,
    async sign(addresses, delegation) {
      const hash = delegationHash(crypto, delegation)
      const digest = crypto.keccak256(`0x1901${domainOf(addresses)}${hash.slice(2)}`)
      return { signed: { ...delegation, signature: await key.sign(digest) }, hash }
    },
    async attest(executor) {
      const text = executorAttestationText(executor)
      return { text, signature: await key.sign(crypto.hashMessage(text)) }
    },
    trouble: () => key.trouble(),
    close: () => key.close(),
  }
}
