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
import { fail, refusal } from '@pit/protocol'
import type { Cosigned, SignerCheck } from '@pit/signer-wire'
import { failuresOf, tradeRefusal } from '../checks.ts'
import type { Cosigner } from '../keys/createCosigner.ts'
import { NAMED } from '../ledger/countLeaves.ts'
import type { Ledger } from '../ledger/openLedger.ts'
import type { NamedLeaf } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import { priceOf } from '../prices/priceOf.ts'
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
  isSanctioned(address: string): boolean
}

/**
 * Co-signs one trade, judged by the signer's own reading first and by the ledger last. The ledger's row is
 * committed before the key is used: every returned signature is counted, and a crash counts at most one that
 * was not returned.
 */
export async function cosignTrade(deps: CosignDeps, request: CosignRequest): Promise<Cosigned> {
  const { ledger, sessions } = deps
  const lookup = sessions.find(request.rootHash)
  const session = lookup instanceof Promise ? await lookup : lookup
  if (session === null) fail('NO_SESSION', { message: 'The root is not registered.' })
  const { facts, touchesStock } = await factsOf(deps, session, request)
  const failures = failuresOf(leafRules, facts)
  const before = await findNamed(deps, session, request)
  if (before) return signAgain(deps, { session, request, leaf: before, failures })
  const verdict = await ledger.countLeaf({
    rootHash: session.rootHash,
    limits: session.binding.limits,
    microUsd: spentMicroUsd(facts),
    touchesStock,
    failures,
    sequence: request.sequence,
    executionHash: hashOf(request),
    callNonce: request.callNonce,
    clientId: request.clientId,
  })
  if (verdict.ok) return signCounted(deps, { session, request, leaf: verdict })
  // A concurrent call was first.
  const first = verdict.failures.includes(NAMED) && (await findNamed(deps, session, request))
  if (first) return signAgain(deps, { session, request, leaf: first, failures })
  throw tradeRefusal(verdict.failures, verdict.carrier)
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
 * trade's rules are not checked again, only sanctions, freeze and revocation.
 */
async function signAgain(
  deps: CosignDeps,
  { failures, ...counted }: Counted<NamedLeaf> & { failures: readonly SignerCheck[] },
): Promise<Cosigned> {
  const { leaf, request } = counted
  const refuse = (one: SignerCheck) => tradeRefusal([one], 'own executor')
  const sanctioned = failures.find(({ rule }) => rule === 'SANCTIONED')
  if (sanctioned) throw refuse(sanctioned)
  if (leaf.frozen) throw refusal('SIGNER_FROZEN')
  if (leaf.revoked) throw refuse({ rule: 'SESSION_REVOKED', ok: false, message: 'The session was revoked.' })
  if (leaf.executionHash !== hashOf(request)) throw refuse(NAMED)
  return signCounted(deps, counted)
}

async function signCounted(
  deps: CosignDeps,
  { leaf: { sequence, atMs, spend }, ...rest }: Counted<Pick<NamedLeaf, 'sequence' | 'atMs' | 'spend'>>,
): Promise<Cosigned> {
  const signedAtS = Math.floor(atMs / 1000)
  return { ...(await signLeaves(deps, { ...rest, sequence, signedAtS })), sequence, spend }
}

async function factsOf(
  deps: CosignDeps,
  session: Session,
  request: CosignRequest,
): Promise<{ facts: LeafFacts; touchesStock: boolean }> {
  const { pins, prices, clock, feeClasses, isSanctioned } = deps
  const trade = readTrade(pins, session, request)
  const reading = 'rule' in trade ? undefined : feeClasses.read([trade.tokenIn, trade.tokenOut])
  const ends = reading instanceof Promise ? await reading : reading
  const priced = { pins, prices, binding: session.binding }
  const facts: LeafFacts = {
    nowS: nowS(clock),
    pins,
    session,
    request,
    trade,
    feeClass: ends?.feeClass,
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
}

async function signLeaves(
  { crypto, pins: { addresses }, cosigner }: CosignDeps,
  { session, request, sequence, signedAtS: nowS }: Granted,
): Promise<Pick<Cosigned, 'leaf' | 'leaf_hash' | 'fee_leaf' | 'expires_at'>> {
  const { execution, curveFeeWei } = request
  const sign = (delegation: Delegation) => cosigner.sign(addresses, delegation)
  const expires_at = nowS + LEAF_TTL_S
  if (curveFeeWei === null) {
    const { signed, hash } = await sign(
      sessionLeaf(addresses, { root: session.root, execution, sequence, nowS }),
    )
    return { leaf: signed, leaf_hash: hash, expires_at }
  }
  if (!session.curve) throw new Error('a curve trade passed without curve roots')
  const { root, fee: feeRoot } = session.curve
  const leaf = await sign(
    curveLeaf(addresses, { root, feeRoot, feeWei: curveFeeWei, execution, sequence, nowS }),
  )
  const fee = await sign(feeLeaf(crypto, addresses, { feeRoot, leaf: leaf.signed, nowS }))
  return { leaf: leaf.signed, leaf_hash: leaf.hash, fee_leaf: fee.signed, expires_at }
}
