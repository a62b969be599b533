import {
  type Address,
  type Crypto,
  curveRoots,
  type Delegation,
  delegationHash,
  delegationSigner,
  encodeDelegations,
  type Hex,
  NATIVE,
  readRoot,
  type SessionRoot,
  sessionRoot,
} from '@pit/chain'
import { bindingHash, fail, type SessionBinding } from '@pit/protocol'
import type { StoredRoot } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'

type Of<Kind extends SessionRoot['kind']> = Extract<SessionRoot, { kind: Kind }>

/** A verified session: every part is recomputed from the data the owner signed. */
export interface Session {
  rootHash: Hex
  binding: SessionBinding
  root: Of<'router'>
  curve: { root: Of<'curve'>; fee: Of<'fee'>; tokens: ReadonlyMap<Address, Address> } | null
  /** The roots as the owner signed them. */
  signed: { root: Delegation; curve: Delegation | null; fee: Delegation | null }
}

/** The decoded roots, and whether they equal those built from the binding. */
export interface RootsReading {
  /** Undefined if the co-signer would not build it. */
  root: Of<'router'> | undefined
  curve: { root: Of<'curve'>; fee: Of<'fee'> } | null | undefined
  /** Why the roots do not bind the limits; null if they do. */
  fault: string | null
  /** Whether the wallet signed each of them. */
  signed: boolean
}

type Roots = Pick<StoredRoot, 'binding' | 'root' | 'curveRoots'>

/** Builds the roots from the binding and compares them with the signed ones, byte for byte. */
export function readRoots(
  crypto: Crypto,
  { addresses }: Pick<Pins, 'addresses'>,
  roots: Roots,
): RootsReading {
  const { binding, root: signedRoot, curveRoots: signedCurves } = roots
  const all = [signedRoot, ...signedCurves]
  const read = all.map((delegation) => readRoot(crypto, addresses, delegation))
  const root = only(read, 'router')
  const [curve, fee] = [only(read, 'curve'), only(read, 'fee')]
  const curvePart = signedCurves.length === 0 ? null : curve && fee && { root: curve, fee }
  return {
    root,
    curve: curvePart,
    fault: faultOf(),
    signed: all.every((delegation) => delegationSigner(crypto, addresses, delegation) === binding.wallet),
  }

  function faultOf(): string | null {
    if (!root || readRoot(crypto, addresses, signedRoot)?.kind !== 'router')
      return 'The root is not one the co-signer builds.'
    if (signedCurves.length !== 0 && signedCurves.length !== 2) return 'Curve roots come in pairs.'
    if (curvePart === undefined) return 'The curve roots are not ones the co-signer builds.'
    const salt = bindingHash(crypto.keccakText, binding)
    if (root.salt !== salt) return 'The root’s salt is not the hash of the binding.'
    if ((root.eth === null) === binding.tokens.includes(NATIVE))
      return 'ETH caps go with ETH among the tokens.'
    const request = {
      binding,
      bindingHash: salt,
      eth: root.eth && { dayWei: root.eth.dayWei, tradeWei: root.eth.tradeWei },
      nonce: root.nonce,
      nowS: (root.eth?.startS ?? 0) + START_BEFORE_S,
    }
    try {
      if (!same(sessionRoot(addresses, request), signedRoot)) return 'The root differs from its binding.'
      if (!curvePart) return null
      const { curves, launchpads } = curvePart.root
      const made = curveRoots(addresses, { ...request, curves, launchpads })
      const pair = [made.curve, made.fee]
      const bound = pair.every((one) => signedCurves.some((other) => same(one, other)))
      return bound ? null : 'The curve roots differ from their binding.'
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) return error.message
      throw error
    }
  }
}

/** As sessionRoot places it. */
const START_BEFORE_S = 60

function only<Kind extends SessionRoot['kind']>(
  read: readonly (SessionRoot | undefined)[],
  kind: Kind,
): Of<Kind> | undefined {
  const matches = read.filter((root) => root?.kind === kind)
  return matches.length === 1 ? (matches[0] as Of<Kind>) : undefined
}

function same(a: Delegation, b: Delegation): boolean {
  const bytes = (delegation: Delegation) => encodeDelegations([{ ...delegation, signature: '0x' }])
  return bytes(a) === bytes(b)
}

/** The first value of a binding that differs from this co-signer's pins; null if none does. */
export function unpinned(
  { chain_id, cosigner, router, fee }: SessionBinding,
  pins: Pick<Pins, 'addresses' | 'cosigner' | 'router' | 'feeRecipient'>,
): { name: string; value: string | number; limit: string | number } | null {
  const pinned: [string, string | number, string | number][] = [
    ['chain_id', chain_id, pins.addresses.chainId],
    ['cosigner', cosigner, pins.cosigner],
    ['router', router, pins.router],
    ['fee.recipient', fee.recipient, pins.feeRecipient],
  ]
  const other = pinned.find(([, value, limit]) => value !== limit)
  return other ? { name: other[0], value: other[1], limit: other[2] } : null
}

/**
 * A stored root as a session, if the store still holds the signed data and its pins are still the
 * co-signer's.
 */
export function reviveSession(crypto: Crypto, pins: Pins, stored: StoredRoot): Session {
  const other = unpinned(stored.binding, pins)
  if (other) {
    fail('BINDING_TERMS', {
      message: `The session was granted with another ${other.name} than the co-signer’s: grant again.`,
    })
  }
  const { root, curve, fault, signed } = readRoots(crypto, pins, stored)
  if (!root || curve === undefined || fault !== null || !signed || root.hash !== stored.hash) {
    fail('ROOT_BINDS_LIMITS', { message: 'The stored session is not what its owner signed.' })
  }
  const tokens = new Map(Object.entries(stored.curveTokens) as [Address, Address][])
  const signedOf = (hash: Hex | undefined): Delegation | null =>
    stored.curveRoots.find((one) => hash !== undefined && delegationHash(crypto, one) === hash) ?? null
  return {
    rootHash: root.hash,
    binding: stored.binding,
    root,
    curve: curve && { ...curve, tokens },
    signed: { root: stored.root, curve: signedOf(curve?.root.hash), fee: signedOf(curve?.fee.hash) },
  }
}
