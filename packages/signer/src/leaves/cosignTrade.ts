import { createHash } from 'node:crypto'
import {
  type Crypto,
  curveLeaf,
  type Delegation,
  feeLeaf,
  type Hex,
  LEAF_TTL_S,
  sessionLeaf,
} from '@pit/chain'
import { type Clock, nowS } from '@pit/platform/clock'
import { boundControls, fail, refusal } from '@pit/protocol'
import type { Cosigned, SignerCheck } from '@pit/signer-wire'
import { failuresOf, tradeRefusal } from '../checks.ts'
import type { Cosigner } from '../keys/createCosigner.ts'
import { NAMED } from '../ledger/countLeaves.ts'
import type { Ledger } from '../ledger/openLedger.ts'
import type { LeafRequest, NamedLeaf } from '../ledger/types.ts'
import { type ControlDeps, countControlled } from '../orders/countControlled.ts'
import { findOrderLeaf } from '../orders/store.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import { priceOf } from '../prices/priceOf.ts'
import type { NonceReader } from '../roots/readNonce.ts'
import type { Session } from '../roots/readRoots.ts'
import type { FeeClassReader } from './readFeeClass.ts'
import { readTrade } from './readTrade.ts'
import { type LeafFacts, leafRules, spentMicroUsd } from './rules.ts'
import type { CosignRequest } from './types.ts'

export interface CosignDeps {
  crypto: Crypto
  clock: Clock
  pins: Pins
  prices: Prices
  ledger: Ledger
  cosigner: Cosigner
  feeClasses: FeeClassReader
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
  /** For sessions with controls. */
  controls: ControlDeps
  walletNonce: NonceReader
  isSanctioned(address: string): boolean
}

/**
 * Co-signs one trade, judged by the signer's own reading first and by the ledger last. The ledger's row is
 * committed before the key is used: every returned signature is counted, and a crash counts at most one that
 * was not returned.
 */
export async function cosignTrade(deps: CosignDeps, request: CosignRequest): Promise<Cosigned> {
  const { ledger } = deps
  const lookup = findSession(deps, request)
  const session = lookup instanceof Promise ? await lookup : lookup
  const { facts, touchesStock } = await factsOf(deps, session, request)
  const failures = failuresOf(leafRules, facts)
  const before = await findNamed(deps, session, request)
  if (before) return signAgain(deps, { session, request, leaf: before, failures })
  const leaf = leafRequestOf({ facts, touchesStock, failures })
  const verdict = boundControls(session.binding)
    ? await countControlled(deps.controls, { session, facts, request: leaf })
    : await ledger.countLeaf(leaf)
  if (verdict.ok) return signCounted(deps, { session, request, leaf: verdict })
  // A concurrent call was first.
  const first = verdict.failures.includes(NAMED) && (await findNamed(deps, session, request))
  if (first) return signAgain(deps, { session, request, leaf: first, failures })
  throw tradeRefusal(verdict.failures, verdict.carrier)
}

/** Throws NO_SESSION. Synchronous for a cached session. */
export function findSession(
  { sessions }: Pick<CosignDeps, 'sessions'>,
  { rootHash }: Pick<CosignRequest, 'rootHash'>,
): Session | Promise<Session> {
  const need = (session: Session | null): Session =>
    session ?? fail('NO_SESSION', { message: 'The root is not registered.' })
  const lookup = sessions.find(rootHash)
  return lookup instanceof Promise ? lookup.then(need) : need(lookup)
}

export function leafRequestOf({
  facts,
  touchesStock,
  failures,
}: {
  facts: LeafFacts
  touchesStock: boolean
  failures: readonly SignerCheck[]
}): LeafRequest {
  const { request, session } = facts
  return {
    rootHash: session.rootHash,
    limits: session.binding.limits,
    microUsd: spentMicroUsd(facts),
    touchesStock,
    failures,
    sequence: request.sequence,
    executionHash: hashOf(request),
    callNonce: request.callNonce,
    clientId: request.clientId,
  }
}

interface Counted<Leaf> {
  session: Session
  request: CosignRequest
  leaf: Leaf
}

const findNamed = ({ ledger }: CosignDeps, session: Session, { clientId }: CosignRequest) =>
  clientId === undefined ? null : ledger.findLeaf(session, clientId)

/**
 * Signs the leaf that was already counted under this client_id; it is valid for the same call only. The
 * trade's rules are not checked again, only sanctions, freeze, revocation and its order's end.
 */
async function signAgain(
  deps: CosignDeps,
  { failures, ...counted }: Counted<NamedLeaf> & { failures: readonly SignerCheck[] },
): Promise<Cosigned> {
  const { leaf, request } = counted
  const refuse = (one: SignerCheck) => tradeRefusal([one], 'own executor')
  const ended = failures.find(({ rule }) => CHECKED_AGAIN.includes(rule))
  if (ended) throw refuse(ended)
  if (leaf.frozen) throw refusal('SIGNER_FROZEN')
  if (leaf.revoked) throw refuse({ rule: 'SESSION_REVOKED', ok: false, message: 'The session was revoked.' })
  if (leaf.executionHash !== hashOf(request)) throw refuse(NAMED)
  if (!boundControls(counted.session.binding)) return signCounted(deps, counted)
  const signed = await findOrderLeaf(deps.controls.db, counted.session.rootHash, leaf.sequence)
  if (signed?.ended)
    throw refuse({ rule: 'ORDER_ENDED', ok: false, message: `The order was ${signed.ended}.` })
  return signCounted(deps, { ...counted, leaf: { ...leaf, expiresS: signed?.expiresS } })
}

const CHECKED_AGAIN = ['SANCTIONED', 'SESSION_NONCE']

async function signCounted(
  deps: CosignDeps,
  {
    leaf: { sequence, atMs, spend, expiresS },
    ...rest
  }: Counted<Pick<NamedLeaf, 'sequence' | 'atMs' | 'spend'> & { expiresS?: number | undefined }>,
): Promise<Cosigned> {
  const signedAtS = Math.floor(atMs / 1000)
  return { ...(await signLeaves(deps, { ...rest, sequence, signedAtS, expiresS })), sequence, spend }
}

export async function factsOf(
  deps: CosignDeps,
  session: Session,
  request: CosignRequest,
): Promise<{ facts: LeafFacts; touchesStock: boolean }> {
  const { pins, prices, clock, feeClasses, isSanctioned } = deps
  const trade = readTrade(pins, session, request)
  const nonceReading = boundControls(session.binding) && deps.walletNonce(session.binding.wallet)
  const reading = 'rule' in trade ? undefined : feeClasses.read([trade.tokenIn, trade.tokenOut])
  const ends = reading instanceof Promise ? await reading : reading
  const walletNonce = nonceReading instanceof Promise ? await nonceReading : undefined
  const priced = { pins, prices, binding: session.binding }
  const facts: LeafFacts = {
    nowS: nowS(clock),
    pins,
    session,
    request,
    trade,
    feeClass: ends?.feeClass,
    ...(walletNonce !== undefined && { walletNonce }),
    isChainRead: prices.isChainRead(),
    whyUnread: prices.whyUnread?.() ?? null,
    priceOf: (token) => priceOf(token, priced),
    isSanctioned,
  }
  return { facts, touchesStock: ends?.hasStock ?? false }
}

/** Identifies the signed call, and the separate fee of a curve's leaf. */
const hashOf = ({ execution: { target, valueWei, data }, curveFeeWei }: CosignRequest): string =>
  createHash('sha256')
    .update([target, valueWei, data, ...(curveFeeWei === null ? [] : [curveFeeWei])].join(' '))
    .digest('hex')

interface Granted {
  session: Session
  request: CosignRequest
  sequence: number
  signedAtS: number
  expiresS?: number | undefined
}

async function signLeaves(
  { crypto, pins: { addresses }, cosigner }: CosignDeps,
  { session, request, sequence, signedAtS: nowS, expiresS }: Granted,
): Promise<Pick<Cosigned, 'leaf' | 'leaf_hash' | 'fee_leaf' | 'expires_at'>> {
  const { execution, curveFeeWei } = request
  const sign = (delegation: Delegation) => cosigner.sign(addresses, delegation)
  const expires_at = expiresS ?? nowS + LEAF_TTL_S
  if (curveFeeWei === null) {
    const { signed, hash } = await sign(
      sessionLeaf(addresses, { root: session.root, execution, sequence, nowS, expiresS }),
    )
    return { leaf: signed, leaf_hash: hash, expires_at }
  }
  if (!session.curve) throw new Error('a curve trade passed without curve roots')
  const { root, fee: feeRoot } = session.curve
  const leaf = await sign(
    curveLeaf(addresses, { root, feeRoot, feeWei: curveFeeWei, execution, sequence, nowS, expiresS }),
  )
  const fee = await sign(feeLeaf(crypto, addresses, { feeRoot, leaf: leaf.signed, nowS, expiresS }))
  return { leaf: leaf.signed, leaf_hash: leaf.hash, fee_leaf: fee.signed, expires_at }
}
