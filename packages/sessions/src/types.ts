import type { Address, Authorization, Delegation, Hex, SignedAuthorization } from '@pit/chain'
import type { SessionBinding, SessionStatus } from '@pit/protocol'

/** A session as stored. Callers must check that its binding is what the owner signed. */
export interface Session {
  id: string
  wallet: Address
  executor: Address
  /** registering: sent to the co-signer, no confirmation stored yet. */
  status: 'pending' | 'registering' | 'active' | 'revoked'
  binding: SessionBinding
  /** Unsigned while pending. */
  root: Delegation
  rootHash: Hex
  curveRoots: CurveRoots | null
  /**
   * Authorization to be signed or signed by a plain wallet for its first trade; null if the wallet ran the
   * delegator when it was granted.
   */
  authorization: UnsignedAuthorization | SignedAuthorization | null
  createdAtS: number
  expiresAtS: number
  revokedAtS: number | null
  signerRevokedAtS: number | null
}
/** For the wallet's next nonce; `afterSetup` is the nonce after the setup transactions. */
export type UnsignedAuthorization = Authorization & { afterSetup?: number }
export interface CurveRoots {
  curve: Delegation
  fee: Delegation
}

/** Usage that counts against a session's limits. */
export interface Used {
  trades: number
  dayMicroUsd: bigint
}

/** Displayed status: expired if past its end and not revoked; pending until active. */
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
