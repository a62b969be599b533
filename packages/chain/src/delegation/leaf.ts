import { lower } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import { sameAddress } from '../crypto/address.ts'
import type { Hashing } from '../crypto/createCrypto.ts'
import { type CaveatTerms, decodeCaveat, encodeCaveat } from './caveats.ts'
import { decodeDelegations, encodeDelegations } from './encode.ts'
import { delegationHash } from './hash.ts'
import { bytesOf, type SessionRoot } from './root.ts'
import type { Delegation, DelegationAddresses, Execution } from './types.ts'

export const LEAF_TTL_S = 120
const SEQUENCE_BITS = 32n
const SEQUENCES = 1n << SEQUENCE_BITS

type TradeRoot = Exclude<SessionRoot, { kind: 'fee' }>
type FeeRoot = Extract<SessionRoot, { kind: 'fee' }>

/** The co-signer's delegation for one trade: exactly this call, once, in the next two minutes. */
export type LeafTerms = { cosigner: Address; rootHash: Hex; expiresS: number } & (
  | { kind: 'router'; executor: Address; execution: Execution; sequence: number }
  | {
      kind: 'curve'
      executor: Address
      execution: Execution
      sequence: number
      /** Paid out of the wallet in the same redemption, or all of it reverts. */
      fee: { recipient: Address; amountWei: bigint }
    }
  /** Pays that fee, for that one leaf redeemed by that executor. */
  | { kind: 'fee'; executor: Address; paidFor: Hex }
)

type TradeParams = {
  execution: Execution
  sequence: number
  nowS: number
  /** When it ends; LEAF_TTL_S from now if absent, and never later. */
  expiresS?: number | undefined
}

/** A router trade under its root. */
export function sessionLeaf(
  addresses: DelegationAddresses,
  { root, ...request }: TradeParams & { root: Extract<SessionRoot, { kind: 'router' }> },
): Delegation {
  return buildLeaf(addresses, { kind: 'router', ...tradeTerms(root, request, [root.router]) })
}

/** A curve trade under its root, unsigned and without what pays its fee: see `payFee`. */
export function curveLeaf(
  addresses: DelegationAddresses,
  {
    root,
    feeRoot,
    feeWei,
    ...request
  }: TradeParams & { root: Extract<SessionRoot, { kind: 'curve' }>; feeRoot: FeeRoot; feeWei: bigint },
): Delegation {
  const fee = { recipient: feeRoot.recipient, amountWei: feeWei }
  return buildLeaf(addresses, { kind: 'curve', ...tradeTerms(root, request, root.curves), fee })
}

/** Pays the fee of one curve leaf; the co-signer signs both. */
export function feeLeaf(
  crypto: Hashing,
  addresses: DelegationAddresses,
  {
    feeRoot,
    leaf,
    nowS,
    expiresS,
  }: { feeRoot: FeeRoot; leaf: Delegation } & Pick<TradeParams, 'nowS' | 'expiresS'>,
): Delegation {
  return buildLeaf(addresses, {
    kind: 'fee',
    cosigner: feeRoot.cosigner,
    rootHash: feeRoot.hash,
    expiresS: endOf({ nowS, expiresS }),
    executor: leaf.delegate,
    paidFor: delegationHash(crypto, leaf),
  })
}

/**
 * The curve leaf with its payment laid in: `[feeLeaf, feeRoot]`, both signed. Neither hash nor signature
 * changes.
 */
export function payFee(
  addresses: DelegationAddresses,
  leaf: Delegation,
  payment: readonly Delegation[],
): Delegation {
  const args = encodeDelegations(payment)
  const caveats = leaf.caveats.map((caveat) =>
    sameAddress(caveat.enforcer, addresses.enforcers.NativeTokenPayment) ? { ...caveat, args } : caveat,
  )
  return { ...leaf, caveats }
}

/**
 * Strict inverse of the leaves above, signatures aside; undefined for any other delegation. `payment` is what
 * was laid into a curve leaf, which stands outside what was signed.
 */
export function readLeaf(
  addresses: DelegationAddresses,
  delegation: Delegation,
): (LeafTerms & { payment: Delegation[] | null }) | undefined {
  try {
    const terms = termsOf(addresses, delegation)
    if (!terms) return undefined
    const args = terms.kind === 'curve' ? (delegation.caveats.at(-1)?.args ?? '0x') : '0x'
    const payment = args === '0x' ? null : decodeDelegations(args)
    if (payment === undefined) return undefined
    const again = buildLeaf(addresses, terms)
    const whole = payment === null ? again : payFee(addresses, again, payment)
    return bytesOf(whole) === bytesOf(delegation) ? { ...terms, payment } : undefined
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

/**
 * An id works once for each delegator, and the co-signer is the delegator of every leaf of every session: the
 * root's hash keeps their ids apart. Neighbouring sequences share a storage word, which makes all but the
 * first cheap.
 */
export function leafId(rootHash: Hex, sequence: number): bigint {
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= SEQUENCES) {
    throw new RangeError(`${sequence} is not a valid sequence`)
  }
  return ((BigInt(rootHash) >> SEQUENCE_BITS) << SEQUENCE_BITS) | BigInt(sequence)
}

function tradeTerms(
  root: TradeRoot,
  { execution, sequence, nowS, expiresS }: TradeParams,
  targets: readonly Address[],
) {
  if (!targets.some((target) => sameAddress(target, execution.target))) {
    throw new TypeError('the root does not allow this target')
  }
  return {
    cosigner: root.cosigner,
    rootHash: root.hash,
    expiresS: endOf({ nowS, expiresS }),
    executor: root.executor,
    execution,
    sequence,
  }
}

function endOf({ nowS, expiresS = nowS + LEAF_TTL_S }: Pick<TradeParams, 'nowS' | 'expiresS'>): number {
  if (expiresS > nowS + LEAF_TTL_S) throw new RangeError('a leaf lasts too long')
  return expiresS
}

function buildLeaf(addresses: DelegationAddresses, terms: LeafTerms): Delegation {
  const delegate = terms.kind === 'fee' ? addresses.enforcers.NativeTokenPayment : terms.executor
  return {
    delegate: lower(delegate),
    delegator: lower(terms.cosigner),
    authority: terms.rootHash.toLowerCase() as Hex,
    caveats: leafCaveats(terms).map((caveat) => encodeCaveat(addresses, caveat)),
    salt: 0n,
    signature: '0x',
  }
}

function leafCaveats(terms: LeafTerms): CaveatTerms[] {
  const expiry: CaveatTerms = { enforcer: 'Timestamp', afterS: 0, beforeS: terms.expiresS }
  if (terms.kind === 'fee') {
    // First, because the payment enforcer looks for it there.
    const paid: CaveatTerms = {
      enforcer: 'ArgsEqualityCheck',
      delegationHash: terms.paidFor,
      redeemer: terms.executor,
    }
    return [paid, expiry]
  }
  const once: CaveatTerms = { enforcer: 'Id', id: leafId(terms.rootHash, terms.sequence) }
  const exact: CaveatTerms[] = [{ enforcer: 'ExactExecution', execution: terms.execution }, expiry, once]
  return terms.kind === 'router' ? exact : [...exact, { enforcer: 'NativeTokenPayment', ...terms.fee }]
}

function termsOf(addresses: DelegationAddresses, delegation: Delegation): LeafTerms | undefined {
  const [first, second, third, fourth] = delegation.caveats.map((caveat) => decodeCaveat(addresses, caveat))
  if (second?.enforcer !== 'Timestamp') return undefined
  const shared = {
    cosigner: lower(delegation.delegator),
    rootHash: delegation.authority.toLowerCase() as Hex,
    expiresS: second.beforeS,
  }
  if (first?.enforcer === 'ArgsEqualityCheck') {
    return { ...shared, kind: 'fee', executor: first.redeemer, paidFor: first.delegationHash }
  }
  if (first?.enforcer !== 'ExactExecution' || third?.enforcer !== 'Id') return undefined
  const trade = {
    ...shared,
    executor: lower(delegation.delegate),
    execution: first.execution,
    sequence: Number(third.id & (SEQUENCES - 1n)),
  }
  if (fourth === undefined) return { ...trade, kind: 'router' }
  if (fourth.enforcer !== 'NativeTokenPayment') return undefined
  return { ...trade, kind: 'curve', fee: { recipient: fourth.recipient, amountWei: fourth.amountWei } }
}
