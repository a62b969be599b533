import type { Address, Hex } from '@pit/chain'

/** A stored executor of a hosted agent. Only its closing changes it. */
export interface Executor {
  address: Address
  agentId: string
  owner: Address
  sealedKey: Uint8Array
  attestationSignature: Hex
  createdAtMs: number
  /** Never reopened. */
  closedAtMs: number | null
}

/** The owner's latest attestation for stock tokens. */
export interface StockAttestation {
  sessionId: string | null
  rootHash: Hex | null
  issuedS: number | null
  expiresS: number | null
  revokedAtMs: number | null
}

/** A refund that was signed; its bytes never change. */
export interface Refund {
  executor: Address
  nonce: number
  to: Address
  valueWei: bigint
  balanceWei: bigint
  gas: number
  maxFeePerGasWei: bigint
  raw: Hex
  txHash: Hex
  signedAtMs: number
}
