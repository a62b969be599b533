import { createHash } from 'node:crypto'
import {
  type Crypto,
  curveLeaf,
  type Delegation,
  type Execution,
  feeLeaf,
  type Hex,
  LEAF_TTL_S,
  sessionLeaf,
} from '@pit/chain'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Cosigned } from '@pit/platform/signerCalls'
import { fail } from '@pit/protocol'
import { failuresOf, tradeRefusal } from '../checks.ts'
import type { Cosigner } from '../keys/openCosigner.ts'
import type { Ledger } from '../ledger/openLedger.ts'
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
 * committed before the key is used: every signature that leaves is counted, and a crash counts at most one
 * that did not leave.
 */
export async function cosignTrade(deps: CosignDeps, request: CosignRequest): Promise<Cosigned> {
  const { ledger, sessions } = deps
  const found = sessions.find(request.rootHash)
  const session = found instanceof Promise ? await found : found
  if (session === null) fail('NO_SESSION', { message: 'No such root is registered here.' })
  const { facts, touchesStock } = await factsOf(deps, session, request)
  const verdict = await ledger.countLeaf({
    rootHash: session.rootHash,
    limits: session.binding.limits,
    microUsd: spentMicroUsd(facts),
    touchesStock,
    failures: failuresOf(leafRules, facts),
    sequence: request.sequence,
    executionHash: hashOf(request.execution),
    callNonce: request.callNonce,
  })
  if (!verdict.ok) throw tradeRefusal(verdict.failures, verdict.carrier)
  const { sequence, spend } = verdict
  const signedAtS = Math.floor(verdict.atMs / 1000)
  return { ...signLeaves(deps, { session, request, sequence, signedAtS }), sequence, spend }
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
    priceOf: (token) => priceOf(token, priced),
    isSanctioned,
  }
  return { facts, touchesStock: ends?.hasStock ?? false }
}

/** Identifies the signed call in the ledger, for later investigation. */
const hashOf = ({ target, valueWei, data }: Execution): string =>
  createHash('sha256').update(`${target} ${valueWei} ${data}`).digest('hex')

interface Granted {
  session: Session
  request: CosignRequest
  sequence: number
  signedAtS: number
}

function signLeaves(
  { crypto, pins: { addresses }, cosigner }: CosignDeps,
  { session, request, sequence, signedAtS: nowS }: Granted,
): Pick<Cosigned, 'leaf' | 'leaf_hash' | 'fee_leaf' | 'expires_at'> {
  const { execution, curveFeeWei } = request
  const sign = (delegation: Delegation) => cosigner.sign(addresses, delegation)
  const expires_at = nowS + LEAF_TTL_S
  if (curveFeeWei === null) {
    const { signed, hash } = sign(sessionLeaf(addresses, { root: session.root, execution, sequence, nowS }))
    return { leaf: signed, leaf_hash: hash, expires_at }
  }
  if (!session.curve) throw new Error('a curve trade passed without curve roots')
  const { root, fee: feeRoot } = session.curve
  const leaf = sign(curveLeaf(addresses, { root, feeRoot, feeWei: curveFeeWei, execution, sequence, nowS }))
  const fee = sign(feeLeaf(crypto, addresses, { feeRoot, leaf: leaf.signed, nowS }))
  return { leaf: leaf.signed, leaf_hash: leaf.hash, fee_leaf: fee.signed, expires_at }
}
