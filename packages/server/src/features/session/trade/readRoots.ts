import { readRoot, type SessionRoot } from '@pit/chain'
import type { SessionDeps } from '../deps.ts'
import type { Session } from '../types.ts'

export type RootOf<Kind extends SessionRoot['kind']> = Extract<SessionRoot, { kind: Kind }>

/** The curve roots of a session, read from what its owner signed; null when it has none. */
export function readRoots(
  { crypto, place }: Pick<SessionDeps, 'crypto' | 'place'>,
  { curveRoots }: Pick<Session, 'curveRoots'>,
): { curve: RootOf<'curve'>; fee: RootOf<'fee'> } | null {
  if (!curveRoots) return null
  const { delegation } = place()
  const curve = readRoot(crypto, delegation, curveRoots.curve)
  const fee = readRoot(crypto, delegation, curveRoots.fee)
  return curve?.kind === 'curve' && fee?.kind === 'fee' ? { curve, fee } : null
}
