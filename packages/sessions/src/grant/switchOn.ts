import {
  type Address,
  type Authorization,
  authorityOf,
  type Delegation,
  delegationHash,
  delegationSigner,
  normalizeSignature,
  type SignedAuthorization,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { SessionDeps } from '../deps.ts'
import { readWallet } from '../readWallet.ts'
import { endSession } from '../revoke/revokeSession.ts'
import { findSession, markActive, markPending, markRegistering } from '../store.ts'
import type { CurveRoots, Session } from '../types.ts'

/** What the owner signed of a pending session, as texts: what is no signature is refused by name. */
export interface Signatures {
  sessionId: string
  wallet: Address
  delegation: string
  authorization?: string
  /** By the hash of the root. */
  curveRoots?: Readonly<Record<string, string>>
}

/** Checks every signature, then the co-signer takes the root. */
export async function switchOn(deps: SessionDeps, ask: Signatures): Promise<Session> {
  const { wallet } = ask
  const session = await findSession(deps.db, ask.sessionId)
  if (!session || session.wallet !== wallet) return fail('NO_SESSION', { field: 'session_id' })
  if (session.status === 'revoked') fail('SESSION_REVOKED')
  if (nowS(deps.clock) >= session.expiresAtS) fail('SESSION_EXPIRED')
  // Asked again after an answer that got lost.
  if (session.status === 'active') return session

  const signed = session.status === 'registering' ? session : await takeSignatures(deps, session, ask)
  await register(deps, signed).catch(async (error) => {
    // Only where it surely took nothing may it be forgotten that it was asked.
    if (session.status === 'pending' && isRefusal(error)) await markPending(deps.db, session)
    throw error
  })
  if (await markActive(deps.db, session.id)) return signed
  // Another call was first, or it was revoked in between: then the co-signer must not keep it either.
  const now = await findSession(deps.db, session.id)
  if (now?.status === 'active') return now
  // Or a call beside this one was refused and took the signatures back: the same root is never taken again.
  if (now) await endSession(deps, now)
  else await deps.cosigner.revoke(session.rootHash)
  return fail('SESSION_REVOKED')
}

/** Checks and keeps them; a call beside this one may have been first. */
async function takeSignatures(deps: SessionDeps, session: Session, ask: Signatures): Promise<Session> {
  const signed: Session = {
    ...session,
    root: signedRoot(deps, session, session.root, ask.delegation, 'delegation_signature'),
    curveRoots: signedCurveRoots(deps, session, ask.curveRoots),
    authorization: await signedAuthorization(deps, session, ask.authorization),
  }
  if (await markRegistering(deps.db, signed, nowS(deps.clock))) return signed
  const now = await findSession(deps.db, session.id)
  return now?.status === 'registering' || now?.status === 'active' ? now : fail('SESSION_REVOKED')
}

/** The co-signer's no, and neither its silence nor that it has the root already. */
const isRefusal = (error: unknown): boolean =>
  isPitError(error) && error.code !== 'SIGNER_UNAVAILABLE' && error.code !== 'ROOT_REUSED'

/** A co-signer that knows the root took it from a call whose answer was lost, or one beside this. */
async function register({ cosigner }: SessionDeps, session: Session): Promise<void> {
  const { id, binding, root, rootHash, curveRoots: roots } = session
  try {
    const curve_roots = roots ? [roots.curve, roots.fee] : []
    await cosigner.register({ session_id: id, binding, root, curve_roots })
  } catch (error) {
    if (!isPitError(error) || error.code !== 'ROOT_REUSED') throw error
    const known = await cosigner.root(rootHash)
    if (known?.session_id !== id || known.status !== 'active') throw error
  }
}

function signedRoot(
  { crypto, addresses }: Pick<SessionDeps, 'crypto' | 'addresses'>,
  { wallet }: Pick<Session, 'wallet'>,
  root: Delegation,
  text: string,
  field: string,
): Delegation {
  const signature = normalizeSignature(text)
  if (!signature)
    return fail('BAD_SIGNATURE', { status: 400, message: `\`${field}\` is no 65-byte signature.` })
  const signed = { ...root, signature }
  if (delegationSigner(crypto, addresses().delegation, signed) !== wallet) {
    fail('BAD_SIGNATURE', {
      status: 422,
      message: `\`${field}\` does not recover to the wallet: sign the typed data as it was answered.`,
    })
  }
  return signed
}

/** Both or none: a session without them trades through pools only. */
function signedCurveRoots(
  deps: Pick<SessionDeps, 'crypto' | 'addresses'>,
  session: Session,
  signatures: Readonly<Record<string, string>> = {},
): CurveRoots | null {
  const given = new Map(Object.entries(signatures).map(([hash, text]) => [hash.toLowerCase(), text]))
  const field = 'curve_root_signatures'
  const roots = session.curveRoots
  const take = (root: Delegation): Delegation => {
    const hash = delegationHash(deps.crypto, root)
    const text = given.get(hash)
    given.delete(hash)
    if (text === undefined) fail('BAD_REQUEST', { field, message: `\`${field}\` lacks ${hash}.` })
    return signedRoot(deps, session, root, text, field)
  }
  const signed = roots && given.size > 0 ? { curve: take(roots.curve), fee: take(roots.fee) } : null
  const [stray] = given.keys()
  if (stray !== undefined)
    fail('BAD_REQUEST', { field, message: `\`${field}\`: ${stray} is no root of this grant.` })
  return signed
}

/** What a plain wallet signs for its first trade; none where it runs the delegator by now. */
async function signedAuthorization(
  deps: SessionDeps,
  { wallet, authorization }: Session,
  text: string | undefined,
): Promise<SignedAuthorization | null> {
  if (authorization === null) return null
  const { code, nonce } = await readWallet(deps, { wallet, tokens: [] })
  if (code === 'other') fail('WALLET_CODE')
  if (code === 'delegator') return null
  const field = 'authorization_signature'
  if (text === undefined) {
    fail('BAD_REQUEST', { field, message: `\`${field}\`: a plain wallet signs \`sign.authorization\` too.` })
  }
  const signed = authorizationOf(deps, authorization, text, wallet)
  if (nonce > authorization.nonce) {
    fail('WALLET_CODE', {
      message:
        'The wallet has sent more than the setup since the grant, ' +
        'so its authorization no longer counts: grant again.',
    })
  }
  return signed
}

function authorizationOf(
  { crypto }: Pick<SessionDeps, 'crypto'>,
  { chainId, address, nonce }: Authorization,
  text: string,
  wallet: Address,
): SignedAuthorization {
  const normal = normalizeSignature(text)
  if (!normal)
    return fail('BAD_SIGNATURE', {
      status: 400,
      message: '`authorization_signature` is no 65-byte signature.',
    })
  const signed: SignedAuthorization = {
    chainId,
    address,
    nonce,
    r: `0x${normal.slice(2, 66)}`,
    s: `0x${normal.slice(66, 130)}`,
    yParity: normal.endsWith('1c') ? 1 : 0,
  }
  if (authorityOf(crypto, signed) === wallet) return signed
  return fail('BAD_SIGNATURE', {
    status: 422,
    message: '`authorization_signature` does not recover to the wallet: sign exactly `sign.authorization`.',
  })
}
