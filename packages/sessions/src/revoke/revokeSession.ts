import { type Address, type Hex, NATIVE } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import type { SessionDeps } from '../deps.ts'
import { readWallet, type TokenApprovals } from '../readWallet.ts'
import { deleteIfUnsigned, markRevoked, markSignerRevoked } from '../store.ts'
import { readRoots } from '../trade/readRoots.ts'
import type { Session } from '../types.ts'
import {
  type DisableStep,
  disableSteps,
  type OwnerState,
  readOwner,
  signedRoots,
  type Tried,
  tryDisabling,
} from './endOnChain.ts'
import { ownSession } from './ownSession.ts'

/** A remaining approval of one of the session's tokens. */
export interface ApprovalLeft {
  token: Address
  symbol: string
  spender: Address
  amount: bigint
  /** Through Permit2, and until when. */
  permit?: { through: Address; expirationS: number }
}

/** An ended session, and the remaining on-chain steps. */
export interface Revoked {
  session: Session
  /** Whether the co-signer confirmed the revocation. */
  signerRevoked: boolean
  /** The co-signer's; null without a challenge. */
  receipt: SignedReceipt | null
  /** Null if the chain did not answer. */
  owner: OwnerState | null
  steps: DisableStep[]
  /** Null if nothing has to be disabled, or the simulation failed. */
  tried: Tried | null
  approvals: ApprovalLeft[]
}

export interface RevokeParams {
  sessionId: string
  wallet: Address
  /** Key that may relay the on-chain steps; null for none. */
  keyId: number | null
  /** Repeated by the co-signer's receipt. */
  challenge?: Hex
}

/**
 * Ends the session here and at the co-signer, even if other steps fail; the main key has to send the on-chain
 * steps. Idempotent: a retry returns the steps still left.
 */
export async function revokeSession(
  deps: SessionDeps,
  { keyId, wallet, sessionId, challenge }: RevokeParams,
): Promise<Revoked> {
  const stored = await ownSession(deps, { sessionId, wallet })
  const { session, signerRevoked, receipt } = await endSession(deps, stored, challenge)

  const roots = signedRoots(deps, session)
  const owner = await readOwner(deps, session.wallet, roots)
  const steps = disableSteps(deps, { wallet: session.wallet, roots, state: owner })
  const [tried, approvals] = await Promise.all([
    steps.length === 0 || owner === null ? null : tryDisabling(deps, steps),
    approvalsLeft(deps, session),
    steps.length === 0 || keyId === null
      ? undefined
      : deps
          .storeOwnerTxs({ keyId, wallet: session.wallet, txs: steps })
          .catch((error) =>
            deps.logger.warn(
              { err: error },
              'failed to store the on-chain steps of a revocation; they cannot be relayed',
            ),
          ),
  ])
  return { session, signerRevoked, receipt, owner, steps, tried, approvals }
}

/** Marks the session as revoked first, then notifies the co-signer. Also used by other packages. */
export async function endSession(
  deps: Pick<SessionDeps, 'db' | 'clock' | 'cosigner'>,
  { id, rootHash }: Pick<Session, 'id' | 'rootHash'>,
  challenge?: Hex,
): Promise<Pick<Revoked, 'session' | 'signerRevoked' | 'receipt'>> {
  const { db, clock, cosigner } = deps
  const session = (await markRevoked(db, id, nowS(clock))) ?? fail('NO_SESSION', { field: 'session_id' })
  const isConfirmed = session.signerRevokedAtS !== null
  if (isConfirmed && challenge === undefined) return { session, signerRevoked: true, receipt: null }
  // A confirmed revocation is repeated for its receipt only.
  const revoked = await cosigner.revoke(rootHash, challenge)
  if (revoked && !isConfirmed) {
    await markSignerRevoked(db, id, nowS(clock))
    await deleteIfUnsigned(db, id)
  }
  return { session, signerRevoked: isConfirmed || revoked !== null, receipt: revoked?.receipt ?? null }
}

/** Remaining approvals of the setup. Also empty if unreadable; live/revoke lists them. */
async function approvalsLeft(deps: SessionDeps, session: Session): Promise<ApprovalLeft[]> {
  const { permit2, router } = deps.addresses()
  const { profile, clock } = deps
  const curves = readRoots(deps, session)?.curve.curves ?? []
  const tokens = session.binding.tokens
    .filter((token) => token !== NATIVE)
    .map((address) => {
      const core = profile.core_tokens.find((token) => token.address.toLowerCase() === address)
      const curve = deps.market.curveOf(address)
      return {
        address,
        symbol: core?.symbol ?? address,
        curve: curve?.version === 'curve' && curves.includes(curve.id) ? curve.id : null,
      }
    })
  let approvals: (TokenApprovals | null)[]
  try {
    approvals = (await readWallet(deps, { wallet: session.wallet, tokens })).approvals
  } catch (error) {
    if (isPitError(error)) return []
    throw error
  }
  return tokens.flatMap(({ address, symbol, curve }, i) => {
    const left = approvals[i]
    if (!left) return []
    const row = (spender: Address, amount: bigint): ApprovalLeft => ({
      token: address,
      symbol,
      spender,
      amount,
    })
    const { permit } = left
    return [
      ...(left.permit2 > 0n ? [row(permit2, left.permit2)] : []),
      ...(permit.amount > 0n && permit.expirationS > nowS(clock)
        ? [{ ...row(router, permit.amount), permit: { through: permit2, expirationS: permit.expirationS } }]
        : []),
      ...(curve && left.curve > 0n ? [row(curve, left.curve)] : []),
    ]
  })
}
