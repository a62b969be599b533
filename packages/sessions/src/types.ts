import type { Address, Authorization, Delegation, Hex, SignedAuthorization } from '@pit/chain'
import type { SessionBinding, SessionStatus } from '@pit/protocol'

/** A session as it is stored. Whether its binding is what the owner signed is judged by whoever uses it. */
export interface Session {
  id: string
  wallet: Address
  executor: Address
  /** Registering: the co-signer was asked to take it, and has not said yes as far as is known. */
  status: 'pending' | 'registering' | 'active' | 'revoked'
  binding: SessionBinding
  /** Unsigned while pending. */
  root: Delegation
  rootHash: Hex
  curveRoots: CurveRoots | null
  /**
   * What a plain wallet is to sign for its first trade, or signed; null for one that ran the delegator when
   * it was granted.
   */
  authorization: AskedAuthorization | SignedAuthorization | null
  createdAtS: number
  expiresAtS: number
  revokedAtS: number | null
  signerRevokedAtS: number | null
}
/** For the wallet's next nonce. Where it sends its setup first, for the one that leaves behind. */
export type AskedAuthorization = Authorization & { afterSetup?: number }
export interface CurveRoots {
  curve: Delegation
  fee: Delegation
}

/** What counts against a session's limits. */
export interface Used {
  trades: number
  dayMicroUsd: bigint
}

/** As it is shown: what ran out is expired unless it was revoked; until it is active it is pending. */
export function statusOf(
  { status, expiresAtS }: Pick<Session, 'status' | 'expiresAtS'>,
  nowS: number,
): SessionStatus {
  if (status === 'revoked') return status
  if (nowS >= expiresAtS) return 'expired'
  return status === 'registering' ? 'pending' : status
}

export const isSigned = (authorization: Session['authorization']): authorization is SignedAuthorization =>
  authorization !== null && 'yParity' in authorization
