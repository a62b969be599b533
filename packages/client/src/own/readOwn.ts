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
import { askCurves, curvesIn } from './curves.ts'
import { readRoute } from './impact.ts'
import { readMarket } from './market.ts'
import { marksRequest } from './marks.ts'
import type { OwnNode } from './price.ts'
import { ethCall, type RpcCall, RpcFailure, resultOf } from './rpc.ts'
import { askSale } from './saleBack.ts'
import { askTrial } from './trial.ts'
import { payersOf, slot0Call } from './venues.ts'

/**
 * Reads from the client's own node everything that a plan is checked against: one exchange for tokens with a
 * mark, one or two more for each token without.
 */
export async function readOwn(
  node: OwnNode,
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
  const byAddress = [tokenIn, tokenOut].filter((token) => !isCore(pins, token))
  const dynamic = dynamicPools(reading)
  const calls: RpcCall[] = [
    marks.call,
    trial.call,
    { method: 'eth_getTransactionCount', params: [sender, 'pending'] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    ...byAddress.map((token) => ({ method: 'eth_getStorageAt', params: [token, BEACON_SLOT, 'latest'] })),
    ...dynamic.map((key) => ethCall(pins.profile.contracts.v4_state_view as Address, slot0Call(key))),
    ...(reading.curve ? askCurves(pins, curveToken(facts)) : []),
  ]
  const isPinned = pins.tokens.has(tokenIn) && pins.tokens.has(tokenOut)
  const unmarked = [tokenIn, tokenOut].filter((token) => !pins.marks.has(token))
  const [answers, route, ...venues] = await Promise.all([
    node.all(calls, signal),
    isPinned ? null : readRoute(node, pins, reading, signal),
    ...unmarked.map((token) => node.findVenues(token, signal)),
  ])
  const [marksAnswer, trialAnswer, nonce, block, ether, ...rest] = answers
  const beacons = rest.splice(0, byAddress.length)
  const slots = rest.splice(0, dynamic.length)
  if (reading.curve) checkCurve(pins, reading.curve, rest)
  const ownMarks = marksAnswer instanceof RpcFailure ? new Map() : marks.read(marksAnswer as Hex)
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
  const tried = trial.read(trialAnswer)
  return {
    marks: ownMarks,
    market,
    route,
    trial: tried,
    sale: sale && tried.ok ? sale.read(tried.later) : null,
    dynamicFeesPips: slots.map(feeIn),
    standsOnBeacon: (token) =>
      pins.stockBeacon !== null && isWord(beacons[byAddress.indexOf(token)], BigInt(pins.stockBeacon)),
    nonce: Number(BigInt(resultOf(nonce))),
    baseFeeWei: BigInt(resultOf<{ baseFeePerGas?: Hex }>(block).baseFeePerGas ?? '0x0'),
    etherWei: BigInt(resultOf(ether)),
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

const isWord = (answer: unknown, word: bigint): boolean =>
  typeof answer === 'string' && BigInt(answer) === word

const dynamicPools = ({ legs }: PlanReading): PoolKey[] =>
  legs.flatMap(({ hops }) =>
    hops.flatMap((hop) => (hop.version === 'v4' && hop.key.fee === DYNAMIC_FEE ? [hop.key] : [])),
  )

const feeIn = (answer: unknown): number | null =>
  typeof answer === 'string' && answer !== '0x'
    ? decodeFunctionResult({ abi: v4StateViewAbi, functionName: 'getSlot0', data: answer as Hex })[3]
    : null

const curveToken = ({
  pins,
  tokenIn,
  tokenOut,
}: Pick<PlanFacts, 'pins' | 'tokenIn' | 'tokenOut'>): Address =>
  pins.tokens.has(tokenIn) ? tokenOut : tokenIn

/** A contract that only looks like a curve could keep what it is sent. */
function checkCurve(
  pins: PlanFacts['pins'],
  { id, launchpad }: NonNullable<PlanReading['curve']>,
  answers: readonly unknown[],
): void {
  const isKnown = curvesIn(pins, answers).some((one) => one.id === id && one.launchpad === launchpad)
  must(isKnown, 'RECIPIENT', 'the curve does not belong to a pinned launchpad', { curve: id })
}
