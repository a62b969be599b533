import { type Address, NATIVE } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail, isPitError } from '@pit/protocol'
import { txJson } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import { readWallet, type TokenApprovals } from '../readWallet.ts'
import { findSession, forgetUnsigned, markRevoked, markSignerTold } from '../store.ts'
import { readRoots } from '../trade/readRoots.ts'
import type { Session } from '../types.ts'
import {
  type DisableStep,
  disableSteps,
  type OwnerState,
  readOwner,
  signedRoots,
  tryDisabling,
} from './endOnChain.ts'

type Revoked = Answer<'live.session.revoke'>

/**
 * live/session/revoke: here and at the co-signer it ends at once, whatever else fails; what ends it on chain is the
 * main key's to send. Asked again it answers the same, with what is still left to do.
 */
export async function revokeSession(
  deps: SessionDeps,
  { body, caller }: Call<'live.session.revoke'>,
): Promise<Revoked> {
  const { keyId, wallet } = caller.key ?? fail('WALLET_NOT_BOUND')
  return revokeOwn(deps, {
    keyId,
    wallet: wallet ?? fail('WALLET_NOT_BOUND'),
    sessionId: body.session_id,
    resetCode: body.reset_code,
  })
}

export interface RevokeAsk {
  /** What ends it on chain can be relayed for this key; null: for none. */
  keyId: number | null
  wallet: Address
  sessionId: string
  resetCode: boolean
}

/** The same for whoever speaks for the wallet. */
export async function revokeOwn(
  deps: SessionDeps,
  { keyId, wallet, sessionId, resetCode }: RevokeAsk,
): Promise<Revoked> {
  const found = await findSession(deps.db, sessionId)
  if (!found || (found.wallet !== wallet && found.executor !== wallet)) {
    return fail('NO_SESSION', { field: 'session_id' })
  }
  if (found.wallet !== wallet) {
    fail('WALLET_MISMATCH', { message: 'Only the wallet that granted a session revokes it.' })
  }
  const { session, told } = await endSession(deps, found)

  const roots = signedRoots(deps, session)
  const state = await readOwner(deps, session.wallet, roots)
  const steps = disableSteps(deps, { wallet: session.wallet, roots, state })
  const [tried, approvals] = await Promise.all([
    steps.length === 0 || state === null ? null : tryDisabling(deps, steps),
    approvalsLeft(deps, session),
    steps.length === 0 || keyId === null
      ? undefined
      : deps
          .storeOwnerTxs({ keyId, wallet: session.wallet, txs: steps })
          .catch((error) =>
            deps.logger.warn(
              { err: error },
              'what ends a session on chain was not stored: it cannot be relayed here',
            ),
          ),
  ])
  return {
    session_id: session.id,
    status: 'revoked',
    revoked_at: session.revokedAtS!,
    effective: effectiveText(told, steps.length),
    signer_revoked: told,
    on_chain: steps.map((step, i) => stepOf(step, tried?.gas[i], state)),
    simulation: tried && {
      ok: tried.ok,
      error: tried.error,
      disables: steps.map(({ root: { name, hash } }, i) => ({
        root: name,
        delegation_hash: hash,
        disabled: tried.disabled[i] ?? false,
      })),
    },
    approvals,
    reset_code: resetCode ? resetJson(deps, state, steps.length) : null,
  }
}

/** Also what other features call: forgotten here first, then told to the co-signer. */
export async function endSession(
  deps: Pick<SessionDeps, 'db' | 'clock' | 'cosigner'>,
  { id, rootHash }: Pick<Session, 'id' | 'rootHash'>,
): Promise<{ session: Session; told: boolean }> {
  const { db, clock, cosigner } = deps
  const session = (await markRevoked(db, id, nowS(clock))) ?? fail('NO_SESSION', { field: 'session_id' })
  if (session.signerRevokedAtS !== null) return { session, told: true }
  const told = await cosigner.revoke(rootHash)
  if (told) {
    await markSignerTold(db, id, nowS(clock))
    await forgetUnsigned(db, id)
  }
  return { session, told }
}

function effectiveText(told: boolean, steps: number): string {
  const here = told
    ? 'The service plans and the co-signer signs nothing more for this session.'
    : 'The service asks for nothing more for this session; the co-signer has not confirmed yet and is told again until it does.'
  const chain =
    steps === 0
      ? 'Nothing of it is left on chain.'
      : 'A trade co-signed in the last 120 seconds can still be sent until `on_chain` is mined or its leaf ends.'
  return `${here} ${chain}`
}

function stepOf(
  { kind, why, tx, root }: DisableStep,
  gas: number | undefined,
  state: OwnerState | null,
): Record<string, unknown> {
  const json = txJson(gas === undefined ? tx : { ...tx, gas })
  return {
    kind,
    why,
    // Without the chain nobody knows the next nonce.
    tx: state === null ? { ...json, nonce: null } : json,
    decoded: {
      function: 'disableDelegation(Delegation delegation)',
      root: root.name,
      delegation_hash: root.hash,
    },
  }
}

/** What the session's setup approved and nothing took back. Empty too when it cannot be read: live/revoke tells. */
async function approvalsLeft(deps: SessionDeps, session: Session): Promise<Record<string, unknown>[]> {
  const { permit2, router } = deps.place()
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
    const row = (spender: string, amount: bigint, more = {}) => ({
      token: address,
      symbol,
      spender,
      amount: amount.toString(),
      ...more,
      ends_with: 'POST live/revoke',
    })
    const { permit } = left
    return [
      ...(left.permit2 > 0n ? [row(permit2, left.permit2)] : []),
      ...(permit.amount > 0n && permit.expirationS > nowS(clock)
        ? [row(router, permit.amount, { through: permit2, expiration: permit.expirationS })]
        : []),
      ...(curve && left.curve > 0n ? [row(curve, left.curve)] : []),
    ]
  })
}

/** Clears the wallet's code. No revocation by itself: a wallet that takes the code again revives its old roots. */
function resetJson(
  deps: Pick<SessionDeps, 'place'>,
  state: OwnerState | null,
  steps: number,
): Record<string, unknown> {
  const nonce = state === null ? null : state.nonce + steps
  return {
    authorization: {
      chain_id: deps.place().delegation.chainId,
      address: NATIVE,
      /** The wallet's own transaction has used up a nonce before its authorization counts. */
      nonce: nonce === null ? null : nonce + 1,
    },
    nonce_when_sent_by_another: nonce,
    wallet_code: state?.code ?? null,
    how: 'Sign the authorization (EIP-7702) and send it in a type 4 transaction of the wallet itself, after the steps of on_chain; sent by another account its nonce is one less. Send on_chain all the same: giving the wallet its code again would revive roots that were not disabled.',
  }
}
