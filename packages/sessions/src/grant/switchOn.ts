import {
  type Address,
  type Authorization,
  authorityOf,
  type Delegation,
  delegationHash,
  delegationSigner,
  normalizeSignature,
  refuseMalformed,
  type SignedAuthorization,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { SessionDeps } from '../deps.ts'
import { authorizationAt, readWallet } from '../readWallet.ts'
import { endSession } from '../revoke/revokeSession.ts'
import { findSession, markActive, markPending, markRegistering, setAuthorization } from '../store.ts'
import type { CurveRoots, Session } from '../types.ts'

/** The owner's signatures as text; invalid ones are rejected with their field. */
export interface Signatures {
  sessionId: string
  wallet: Address
  /** Activates the session; an active one accepts a new authorization without it. */
  delegation?: string
  authorization?: string
  /** By root hash. */
  curveRoots?: Readonly<Record<string, string>>
}

/**
 * Checks every signature, then registers the root with the co-signer. An active session accepts a new
 * authorization, because the old one is valid at one nonce only.
 */
export async function switchOn(deps: SessionDeps, request: Signatures): Promise<Session> {
  const { wallet, delegation, authorization, curveRoots = {} } = request
  if (delegation !== undefined) refuseMalformed('delegation_signature', delegation)
  if (authorization !== undefined) refuseMalformed('authorization_signature', authorization)
  for (const text of Object.values(curveRoots)) refuseMalformed('curve_root_signatures', text)
  const session = await findSession(deps.db, request.sessionId)
  if (!session || session.wallet !== wallet) return fail('NO_SESSION', { field: 'session_id' })
  if (session.status === 'revoked') fail('SESSION_REVOKED')
  if (nowS(deps.clock) >= session.expiresAtS) fail('SESSION_EXPIRED')
  if (session.status === 'active') return takeAuthorization(deps, session, authorization)

  const signed = session.status === 'registering' ? session : await takeSignatures(deps, session, request)
  await register(deps, signed).catch(async (error) => {
    // Reset only if the co-signer definitely did not register the root.
    if (session.status === 'pending' && isRefusal(error)) await markPending(deps.db, session)
    throw error
  })
  if (await markActive(deps.db, session.id)) return signed
  // A concurrent request was first, or the session was revoked: the co-signer must not keep the root.
  const now = await findSession(deps.db, session.id)
  if (now?.status === 'active') return now
  // Or a concurrent request was refused and reset the signatures: the same root cannot be registered again.
  if (now) await endSession(deps, now)
  else await deps.cosigner.revoke(session.rootHash)
  return fail('SESSION_REVOKED')
}

/** Checks and stores the signatures; a concurrent request may have been first. */
async function takeSignatures(deps: SessionDeps, session: Session, request: Signatures): Promise<Session> {
  const field = 'delegation_signature'
  const delegation =
    request.delegation ??
    fail('BAD_REQUEST', { field, message: `\`${field}\` is required to activate a session.` })
  const signed: Session = {
    ...session,
    root: signedRoot(deps, session, session.root, delegation, field),
    curveRoots: signedCurveRoots(deps, session, request.curveRoots),
    authorization: await readAuthorization(deps, session, request.authorization),
  }
  if (await markRegistering(deps.db, signed, nowS(deps.clock))) return signed
  const now = await findSession(deps.db, session.id)
  return now?.status === 'registering' || now?.status === 'active' ? now : fail('SESSION_REVOKED')
}

/** A definite refusal: neither a missing answer nor an already registered root. */
const isRefusal = (error: unknown): boolean =>
  isPitError(error) && error.code !== 'SIGNER_UNAVAILABLE' && error.code !== 'ROOT_REUSED'

/** If the co-signer already knows the root, an earlier or concurrent request registered it. */
async function register({ cosigner }: SessionDeps, session: Session): Promise<void> {
  const { id, binding, root, rootHash, curveRoots: roots } = session
  try {
    const curve_roots = roots ? [roots.curve, roots.fee] : []
    await cosigner.register({ session_id: id, binding, root, curve_roots })
  } catch (error) {
    if (!isPitError(error) || error.code !== 'ROOT_REUSED') throw error
    const registered = await cosigner.root(rootHash)
    if (registered?.session_id !== id || registered.status !== 'active') throw error
  }
}

function signedRoot(
  { crypto, addresses }: Pick<SessionDeps, 'crypto' | 'addresses'>,
  { wallet }: Pick<Session, 'wallet'>,
  root: Delegation,
  text: string,
  field: string,
): Delegation {
  const signed = { ...root, signature: normalizeSignature(text)! }
  if (delegationSigner(crypto, addresses().delegation, signed) !== wallet) {
    fail('BAD_SIGNATURE', {
      status: 422,
      field,
      message: `\`${field}\` does not recover to the wallet. Sign the typed data exactly as returned.`,
    })
  }
  return signed
}

/** Both or none: without them a session trades only through pools. */
function signedCurveRoots(
  deps: Pick<SessionDeps, 'crypto' | 'addresses'>,
  session: Session,
  signatures: Readonly<Record<string, string>> = {},
): CurveRoots | null {
  const byHash = new Map(Object.entries(signatures).map(([hash, text]) => [hash.toLowerCase(), text]))
  const field = 'curve_root_signatures'
  const roots = session.curveRoots
  const take = (root: Delegation): Delegation => {
    const hash = delegationHash(deps.crypto, root)
    const text = byHash.get(hash)
    byHash.delete(hash)
    if (text === undefined) fail('BAD_REQUEST', { field, message: `\`${field}\` lacks ${hash}.` })
    return signedRoot(deps, session, root, text, field)
  }
  const signed = roots && byHash.size > 0 ? { curve: take(roots.curve), fee: take(roots.fee) } : null
  const [stray] = byHash.keys()
  if (stray !== undefined)
    fail('BAD_REQUEST', { field, message: `\`${field}\`: ${stray} is not a root of this grant.` })
  return signed
}

/** For an active session. Without a new authorization the session is returned unchanged, as in a retry. */
async function takeAuthorization(
  deps: SessionDeps,
  session: Session,
  text: string | undefined,
): Promise<Session> {
  const authorization = text === undefined ? null : await readAuthorization(deps, session, text)
  if (authorization === null) return session
  if (await setAuthorization(deps.db, session.id, authorization)) return { ...session, authorization }
  return fail('SESSION_REVOKED')
}

/**
 * The authorization a plain wallet signed for its first trade, or has to sign again because its nonce
 * changed; null if the wallet already runs the delegator.
 */
async function readAuthorization(
  deps: SessionDeps,
  { wallet, authorization: before }: Session,
  text: string | undefined,
): Promise<Session['authorization']> {
  if (before === null && text === undefined) return null
  const { code, nonce } = await readWallet(deps, { wallet, tokens: [] })
  if (code === 'other') fail('WALLET_CODE')
  if (code === 'delegator') return null
  const field = 'authorization_signature'
  if (text === undefined) {
    fail('BAD_REQUEST', {
      field,
      message: `\`${field}\` is required: the wallet has no code yet. Sign \`sign.authorization\`.`,
    })
  }
  const nonces = [
    nonce,
    before?.nonce ?? nonce,
    (before && 'afterSetup' in before && before.afterSetup) || nonce,
  ]
  for (const at of new Set(nonces)) {
    const signed = signedAt(authorizationAt(deps.addresses(), at), text)
    if (authorityOf(deps.crypto, signed) !== wallet) continue
    return at < nonce ? authorizationAt(deps.addresses(), nonce) : signed
  }
  return fail('BAD_SIGNATURE', {
    status: 422,
    field,
    message:
      `\`${field}\` does not recover to the wallet. Sign exactly \`sign.authorization\`, ` +
      `or the same with the wallet’s next nonce, ${nonce}.`,
  })
}

function signedAt(authorization: Authorization, text: string): SignedAuthorization {
  const normal = normalizeSignature(text)!
  return {
    ...authorization,
    r: `0x${normal.slice(2, 66)}`,
    s: `0x${normal.slice(66, 130)}`,
    yParity: normal.endsWith('1c') ? 1 : 0,
  }
}
