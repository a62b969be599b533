import { NATIVE } from '@pit/chain'
import { type Answer, CHAIN_ID } from '@pit/protocol'
import { txJson } from '@pit/trading'
import type { DisableStep, OwnerState } from './endOnChain.ts'
import type { ApprovalLeft, Revoked } from './revokeSession.ts'

/** Response of a revocation; with `resetCode` also how to clear the wallet's code. */
export function describeRevoked(
  { session, signerRevoked, receipt, owner, steps, tried, approvals }: Revoked,
  { resetCode = false } = {},
): Answer<'live.session.revoke'> {
  return {
    session_id: session.id,
    status: 'revoked',
    revoked_at: session.revokedAtS!,
    effective: effectiveText(signerRevoked, steps.length),
    signer_revoked: signerRevoked,
    on_chain: steps.map((step, i) => stepOf(step, tried?.gas[i], owner)),
    simulation: tried && {
      ok: tried.ok,
      error: tried.error,
      disables: steps.map(({ root: { name, hash } }, i) => ({
        root: name,
        delegation_hash: hash,
        disabled: tried.disabled[i] ?? false,
      })),
    },
    approvals: approvals.map(approvalJson),
    reset_code: resetCode ? resetJson(owner, steps.length) : null,
    receipt,
  }
}

const approvalJson = ({ token, symbol, spender, amount, permit }: ApprovalLeft) => ({
  token,
  symbol,
  spender,
  amount: amount.toString(),
  ...(permit && { through: permit.through, expiration: permit.expirationS }),
  ends_with: 'POST live/revoke',
})

function effectiveText(signerRevoked: boolean, steps: number): string {
  const here = signerRevoked
    ? 'This session is no longer planned or co-signed.'
    : 'This session is no longer planned; ' +
      'the co-signer has not confirmed the revocation yet and is retried until it does.'
  const chain =
    steps === 0
      ? 'Nothing is left to do on chain.'
      : 'A trade co-signed in the last 120 seconds can still be sent ' +
        'until `on_chain` is mined or its leaf expires.'
  return `${here} ${chain}`
}

function stepOf(
  { kind, why, tx, root }: DisableStep,
  gas: number | undefined,
  owner: OwnerState | null,
): Answer<'live.session.revoke'>['on_chain'][number] {
  const json = txJson(gas === undefined ? tx : { ...tx, gas })
  return {
    kind,
    why,
    // Without the chain the next nonce is unknown.
    tx: owner === null ? { ...json, nonce: null } : json,
    decoded: {
      function: 'disableDelegation(Delegation delegation)',
      root: root.name,
      delegation_hash: root.hash,
    },
  }
}

/** Clears the wallet's code. Not a revocation: setting the code again would revive old roots. */
function resetJson(owner: OwnerState | null, steps: number): Answer<'live.session.revoke'>['reset_code'] {
  const nonce = owner === null ? null : owner.nonce + steps
  return {
    authorization: {
      chain_id: CHAIN_ID,
      address: NATIVE,
      // The wallet's own transaction uses one nonce before its authorization is checked.
      nonce: nonce === null ? null : nonce + 1,
    },
    nonce_when_sent_by_another: nonce,
    wallet_code: owner?.code ?? null,
    how:
      'Sign the authorization (EIP-7702) and send it in a type 4 transaction of the wallet itself, ' +
      'after the steps of on_chain. If another account sends it, its nonce is one less. ' +
      'Send on_chain as well: setting the wallet’s code again ' +
      'would revive roots that were not disabled.',
  }
}
