import {
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  readRoot,
  rootDiffs,
  type SessionRoot,
} from '@pit/chain'
import { bindingHash, readBinding, type SessionBinding } from '@pit/protocol'
import type { SessionAddresses } from '../addresses.ts'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'

export type RootOf<Kind extends SessionRoot['kind']> = Extract<SessionRoot, { kind: Kind }>

/** Cache: a trade reads its session's roots several times, and hashing is slow. */
const rootCache = new WeakMap<Delegation, SessionRoot | null>()

/** Like `readRoot`, once per loaded root. */
export function rootOf(
  crypto: Crypto,
  framework: DelegationAddresses,
  delegation: Delegation,
): SessionRoot | undefined {
  let root = rootCache.get(delegation)
  if (root === undefined) {
    root = readRoot(crypto, framework, delegation) ?? null
    rootCache.set(delegation, root)
  }
  return root ?? undefined
}

/** The session's curve roots as signed by the owner; null without them. */
export function readRoots(
  { crypto, addresses }: Pick<SessionDeps, 'crypto' | 'addresses'>,
  { curveRoots }: Pick<Session, 'curveRoots'>,
): { curve: RootOf<'curve'>; fee: RootOf<'fee'> } | null {
  if (!curveRoots) return null
  const { delegation } = addresses()
  const curve = rootOf(crypto, delegation, curveRoots.curve)
  const fee = rootOf(crypto, delegation, curveRoots.fee)
  return curve?.kind === 'curve' && fee?.kind === 'fee' ? { curve, fee } : null
}

interface JudgedTerms {
  root: Delegation
  curveRoots: Session['curveRoots']
  fault: string | null
}
/** A stored binding is judged once with its roots: hashing it takes longer than the other rules together. */
const judgedTerms = new WeakMap<SessionBinding, JudgedTerms>()

/**
 * Why a stored session differs from what its owner signed; null if equal. The roots contain the binding's
 * hash, so a manipulated store has no effect except that the session has to be granted again.
 */
export function whyUnbound(crypto: Crypto, addresses: SessionAddresses, session: Session): string | null {
  const { binding, root, curveRoots } = session
  let judged = judgedTerms.get(binding)
  if (!judged || judged.root !== root || judged.curveRoots !== curveRoots) {
    judged = { root, curveRoots, fault: termsFault(crypto, addresses, session) }
    judgedTerms.set(binding, judged)
  }
  if (judged.fault !== null) return judged.fault
  if (rootOf(crypto, addresses.delegation, root)?.hash !== session.rootHash)
    return 'The stored root has another hash.'
  const { wallet, executor, expiresAtS } = session
  const isSame =
    wallet === binding.wallet && executor === binding.executor && expiresAtS === binding.expires_at
  return isSame ? null : 'The stored session’s wallet or executor differs from its binding.'
}

function termsFault(
  crypto: Crypto,
  { delegation }: SessionAddresses,
  session: Pick<Session, 'binding' | 'root' | 'curveRoots'>,
): string | null {
  const read = readBinding(session.binding)
  if (!read.ok) return `The stored binding’s ${read.field || 'shape'} ${read.message}.`
  const { binding } = read
  const hash = bindingHash(crypto.keccakText, binding)
  const { curveRoots } = session
  const roots: [SessionRoot['kind'], Delegation][] = [['router', session.root]]
  if (curveRoots) roots.push(['curve', curveRoots.curve], ['fee', curveRoots.fee])
  for (const [kind, stored] of roots) {
    const root = rootOf(crypto, delegation, stored)
    if (root?.kind !== kind) return 'A stored root has an unknown form.'
    if (root.salt !== hash) return 'The stored binding does not hash to the root’s salt.'
    const diffs = rootDiffs(root, binding, hash)
    if (diffs.length > 0) return `A stored root differs from its binding in ${diffs.join(', ')}.`
  }
  return null
}
