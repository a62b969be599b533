import {
  type Crypto,
  type Delegation,
  type DelegationAddresses,
  readRoot,
  type SessionRoot,
} from '@pit/chain'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'

export type RootOf<Kind extends SessionRoot['kind']> = Extract<SessionRoot, { kind: Kind }>

/** A trade looks at its session's roots from several sides, and hashing one takes longer than most of them. */
const known = new WeakMap<Delegation, SessionRoot | null>()

/** As `readRoot`, once for each root that was loaded. */
export function rootOf(
  crypto: Crypto,
  framework: DelegationAddresses,
  delegation: Delegation,
): SessionRoot | undefined {
  let root = known.get(delegation)
  if (root === undefined) {
    root = readRoot(crypto, framework, delegation) ?? null
    known.set(delegation, root)
  }
  return root ?? undefined
}

/** The curve roots of a session, read from what its owner signed; null when it has none. */
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
