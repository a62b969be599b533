import {
  type Address,
  BEACON_SLOT,
  DYNAMIC_FEE,
  type Hex,
  type PoolKey,
  permit2Abi,
  v4StateViewAbi,
} from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { must } from '../errors.ts'
import { isCore } from '../pins.ts'
import type { PlanFacts, UnsignedStep } from '../verify/facts.ts'
import type { OwnReading } from '../verify/ownReading.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { askCurves, curvesIn, type OwnCurve } from './curves.ts'
import { readRoute } from './impact.ts'
import { readMarket } from './market.ts'
import { marksRequest } from './marks.ts'
import type { FreshNode } from './node.ts'
import { ethCall, type RpcCall } from './rpc.ts'
import { askSale } from './saleBack.ts'
import { askTrial } from './trial.ts'
import { payersOf, slot0Call } from './venues.ts'

/**
 * Reads from the client's own node everything that a plan is checked against: one exchange for tokens with a
 * mark, one or two more for each token without.
 */
export async function readOwn(
  node: FreshNode,
  facts: Pick<PlanFacts, 'pins' | 'wallet' | 'tokenIn' | 'tokenOut'> & {
    /** Who signs and pays the gas, where it is not the wallet. */
    sender?: Address
    /** The wallet takes this code in the same transaction (EIP-7702). */
    takesCode?: Address | null
    /** The caller's own words, never the service's. */
    request: Pick<PlanFacts['request'], 'accept_risks'>
    plan: Pick<PlanFacts['plan'], 'amount_out_min'>
  },
  reading: PlanReading,
  { nowMs, signal }: { nowMs: number; signal?: AbortSignal | undefined },
): Promise<OwnReading> {
  const { pins, wallet, tokenIn, tokenOut, sender = wallet, takesCode = null, request, plan } = facts
  const marks = marksRequest(pins, [tokenIn, tokenOut, ...payersOf(pins)], nowMs)
  const watched = [{ holder: wallet, token: tokenOut }]
  const isPurchase = !pins.tokens.has(tokenOut)
  const sale = isPurchase
    ? askSale(pins, { wallet, tokenOut, bought: BigInt(plan.amount_out_min) }, reading)
    : null
  const trial = askTrial(sender, triedSteps(pins, reading), watched, {
    multicall3: pins.multicall3,
    code: takesCode === null ? {} : { [wallet]: takesCode },
    later: sale,
  })
  const nonce: RpcCall = { method: 'eth_getTransactionCount', params: [sender, 'pending'] }
  const ether: RpcCall = { method: 'eth_getBalance', params: [sender, 'latest'] }
  const beacons = new Map<Address, RpcCall>(
    [tokenIn, tokenOut]
      .filter((token) => !isCore(pins, token))
      .map((token) => [token, { method: 'eth_getStorageAt', params: [token, BEACON_SLOT, 'latest'] }]),
  )
  const slots = dynamicPools(reading).map((key) =>
    ethCall(pins.profile.contracts.v4_state_view as Address, slot0Call(key)),
  )
  const launched = reading.curve ? askCurves(pins, curveToken(facts)) : []
  const calls = [marks.call, trial.call, nonce, ether, ...beacons.values(), ...slots, ...launched]
  const isPinned = pins.tokens.has(tokenIn) && pins.tokens.has(tokenOut)
  const unmarked = [tokenIn, tokenOut].filter((token) => !pins.marks.has(token))
  const [state, early, ...venues] = await Promise.all([
    node.read(calls, signal),
    isPinned ? null : readRoute(node, pins, reading, signal),
    ...unmarked.map((token) => node.findVenues(token, signal)),
  ])
  if (reading.curve) checkCurve(reading.curve, curvesIn(pins, state, launched))
  const ownMarks = marks.read(state)
  const tried = trial.read(state)
  const isQuoted = !isPinned || tried.ok || !tried.unsupported
  const route = isQuoted ? early : await readRoute(node, pins, reading, signal)
  const market = await readMarket(
    node,
    {
      pins,
      tokenIn,
      tokenOut,
      reading,
      marks: ownMarks,
      acceptsUnknownHooks: request.accept_risks?.includes('UNKNOWN_HOOK') ?? false,
      venues: new Map(unmarked.map((token, i) => [token, venues[i]!])),
    },
    signal,
  )
  return {
    marks: ownMarks,
    market,
    route,
    trial: tried,
    sale: sale && tried.ok ? sale.read(tried.later) : null,
    dynamicFeesPips: slots.map((call) => feeIn(state.value(call))),
    standsOnBeacon: (token) => {
      const call = beacons.get(token)
      return (
        pins.stockBeacon !== null &&
        call !== undefined &&
        BigInt(state.value(call)) === BigInt(pins.stockBeacon)
      )
    },
    nonce: Number(BigInt(state.value(nonce))),
    baseFeeWei: state.head.baseFeeWei,
    etherWei: BigInt(state.value(ether)),
  }
}

/** A plan that waits for its permit is tried with the allowance that the permit will give. */
function triedSteps(pins: PlanFacts['pins'], { transactions, permit }: PlanReading): readonly UnsignedStep[] {
  if (permit?.signature !== '0x') return transactions
  return [...transactions.slice(0, -1), permitStep(pins, permit.permit), transactions.at(-1)!]
}

/** The allowance that a permit will give, as the wallet's own call: a trial cannot carry its signature yet. */
function permitStep(
  { permit2 }: PlanFacts['pins'],
  { details, spender }: NonNullable<PlanReading['permit']>['permit'],
): UnsignedStep {
  const { token, amount, expiration } = details
  const data = encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [token, spender, amount, expiration],
  })
  return { to: permit2, value: 0n, data }
}

const dynamicPools = ({ legs }: PlanReading): PoolKey[] =>
  legs.flatMap(({ hops }) =>
    hops.flatMap((hop) => (hop.version === 'v4' && hop.key.fee === DYNAMIC_FEE ? [hop.key] : [])),
  )

const feeIn = (answer: Hex): number =>
  decodeFunctionResult({ abi: v4StateViewAbi, functionName: 'getSlot0', data: answer })[3]

const curveToken = ({
  pins,
  tokenIn,
  tokenOut,
}: Pick<PlanFacts, 'pins' | 'tokenIn' | 'tokenOut'>): Address =>
  pins.tokens.has(tokenIn) ? tokenOut : tokenIn

/** A contract that only looks like a curve could keep what it is sent. */
function checkCurve({ id, launchpad }: NonNullable<PlanReading['curve']>, known: readonly OwnCurve[]): void {
  const isKnown = known.some((one) => one.id === id && one.launchpad === launchpad)
  must(isKnown, 'RECIPIENT', 'the curve does not belong to a pinned launchpad', { curve: id })
}
