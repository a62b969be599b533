import type { Address, Delegation, Hex } from '@pit/chain'
import type { SessionBinding } from '@pit/protocol'
import type { SignerCheck, Spend } from '@pit/signer-wire'
import type { Carrier } from '../checks.ts'

/** What is kept of a root that was registered; it never changes. */
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
  /** Null when it could not be valued. */
  microUsd: bigint | null
  /** Whether an end is a stock token: a hosted executor needs its owner's word for it. */
  touchesStock: boolean
  /** What the rules before the ledger's found; with any of it nothing is counted. */
  failures: readonly SignerCheck[]
  /** The one the caller expects; any when absent. */
  sequence: number | undefined
  executionHash: string
  callNonce: string
  /** What its caller named it; a name counts once under its root. */
  clientId?: string | undefined
}
/** A leaf that was counted under its caller's name, and how its root stands now. */
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
  /** Of the last leaf. */
  sequence: number
  dayMicroUsd: bigint
  /** The hosted executor's state; null when the signer does not hold the executor's key. */
  hosted: { closed: boolean; stockAttested: boolean } | null
}
