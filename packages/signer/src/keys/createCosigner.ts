import {
  type Address,
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  delegationDomainHash,
  delegationHash,
  type Hex,
  type Receipt,
  receiptText,
} from '@pit/chain'
import { type ExecutorAttestation, executorAttestationText } from '@pit/protocol'
import type { SigningKey } from './signingKey.ts'

/** The co-signer signs delegations, attestations and receipts only; nothing else uses its key. */
export interface Cosigner {
  address: Address
  sign(addresses: DelegationAddresses, delegation: Delegation): Promise<{ signed: Delegation; hash: Hex }>
  /** Attests the owner of an executor's key. */
  attest(executor: ExecutorAttestation): Promise<{ text: string; signature: Hex }>
  /** Confirms a change of its ledger. */
  confirm(receipt: Receipt): Promise<Hex>
  /** Why the last signature failed; null if it succeeded. */
  trouble(): string | null
  /** Nothing can be signed afterwards. */
  close(): void
}

export function createCosigner({ key, crypto }: { key: SigningKey; crypto: Crypto }): Cosigner {
  // A process signs for one deployment, so the domain hash is computed once.
  let domain: { addresses: DelegationAddresses; digits: string } | undefined
  function domainOf(addresses: DelegationAddresses): string {
    if (domain?.addresses !== addresses)
      domain = { addresses, digits: delegationDomainHash(crypto, addresses).slice(2) }
    return domain.digits
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
    confirm: (receipt) => key.sign(crypto.hashMessage(receiptText(receipt))),
    trouble: () => key.trouble(),
    close: () => key.close(),
  }
}
