import type { Address, Delegation, Hex } from '@pit/chain'
import type { SessionBinding } from '@pit/protocol'
import type { SignerCheck, Spend } from '@pit/signer-wire'
import type { Carrier } from '../checks.ts'

/** A registered root as stored; it never changes. */
export interface StoredRoot {
  hash: Hex
  sessionId: string
  binding: SessionBinding
  root: Delegation
  /** The root of the curves' calls and the one that pays their fees; empty for a session without curves. */
  curveRoots: readonly Delegation[]
  /** The token of each curve. */
  curveTokens: Readonly<Record<Address, Address>>
}

/** A leaf to be counted. */
export interface LeafRequest {
  rootHash: Hex
  limits: SessionBinding['limits']
  /** Null if it could not be valued. */
  microUsd: bigint | null
  /** Whether an end is a stock token: a hosted executor needs its owner's attestation for it. */
  touchesStock: boolean
  /** Failures of the rules before the ledger's; with any of them nothing is counted. */
  failures: readonly SignerCheck[]
  /** The sequence the caller expects; any if absent. */
  sequence: number | undefined
  executionHash: string
  callNonce: string
  /** The caller's id; it counts once per root. */
  clientId?: string | undefined
}
/** A leaf that was counted with a client_id, and the current state of its root. */
export interface NamedLeaf {
  sequence: number
  atMs: number
  executionHash: string
  frozen: boolean
  revoked: boolean
  spend: Spend & { this_micro_usd: number }
}

export type LeafVerdict =
  | { ok: true; sequence: number; atMs: number; spend: Spend & { this_micro_usd: number } }
  | { ok: false; failures: SignerCheck[]; carrier: Carrier }

export type RegisterOutcome = 'registered' | 'frozen' | 'closed' | 'reused' | 'revoked' | 'nonce used'

/** A root's counters while its row is locked. */
export interface Standing {
  frozen: boolean
  revoked: boolean
  /** Sequence of the last leaf. */
  sequence: number
  dayMicroUsd: bigint
  /** The hosted executor's state; null when the signer does not hold the executor's key. */
  hosted: { closed: boolean; stockAttested: boolean } | null
}
