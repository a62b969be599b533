import { type Crypto, type Delegation, rootDiffs, type SessionRoot } from '@pit/chain'
import { bindingHash, readBinding } from '@pit/protocol'
import type { SessionAddresses } from '../addresses.ts'
import type { Session } from '../types.ts'
import { rootOf } from './readRoots.ts'

/**
 * Why a stored session is not what its owner signed; null when it is. The roots carry the binding's hash, so whoever
 * changed the store changed nothing that counts: such a session only has to be granted again.
 */
export function whyUnbound(
  crypto: Crypto,
  { delegation }: SessionAddresses,
  session: Session,
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
    if (root?.kind !== kind) return 'A stored root is none this service builds there.'
    if (root.salt !== hash) return 'The stored binding does not hash to the root’s salt.'
    const diffs = rootDiffs(root, binding, hash)
    if (diffs.length > 0) return `A stored root says another ${diffs.join(', ')} than its binding.`
    if (kind === 'router' && root.hash !== session.rootHash) return 'The stored root has another hash.'
  }
  const { wallet, executor, expiresAtS } = session
  const isSame =
    wallet === binding.wallet && executor === binding.executor && expiresAtS === binding.expires_at
  return isSame ? null : 'The stored session names others than its binding.'
}
