import { type Address, BEACON_SLOT, type Hex, permit2Abi } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import { must } from '../errors.ts'
import type { OwnReading, PlanFacts, UnsignedStep } from '../verify/facts.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { askCurves, curvesIn } from './curves.ts'
import { readImpactBps } from './impact.ts'
import { askMarks } from './marks.ts'
import { given, type Rpc, type RpcCall, RpcFailure } from './rpc.ts'
import { askTrial } from './trial.ts'

/** Reads all that a plan is held against in one exchange with the client's own node. */
export async function readOwn(
  rpc: Rpc,
  facts: Pick<PlanFacts, 'pins' | 'wallet' | 'tokenIn' | 'tokenOut'> & {
    /** Who signs and pays the gas, where it is not the wallet. */
    sender?: Address
    /** The wallet takes this code in the same transaction (EIP-7702). */
    takesCode?: Address | null
  },
  reading: PlanReading,
  { nowMs, signal }: { nowMs: number; signal?: AbortSignal | undefined },
): Promise<OwnReading> {
  const { pins, wallet, tokenIn, tokenOut, sender = wallet, takesCode = null } = facts
  const marks = askMarks(pins, [tokenIn, tokenOut], nowMs)
  const watched = [{ holder: wallet, token: tokenOut }]
  const trial = askTrial(sender, triedSteps(pins, reading), watched, {
    multicall3: pins.multicall3,
    code: takesCode === null ? {} : { [wallet]: takesCode },
  })
  const stocks = [tokenIn, tokenOut].filter((token) => {
    const known = pins.tokens.get(token)
    return known?.stock && known.core === null
  })
  const calls: RpcCall[] = [
    marks.call,
    trial.call,
    { method: 'eth_getTransactionCount', params: [sender, 'pending'] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getBalance', params: [sender, 'latest'] },
    ...stocks.map((token) => ({ method: 'eth_getStorageAt', params: [token, BEACON_SLOT, 'latest'] })),
    ...(reading.curve ? askCurves(pins, curveToken(facts)) : []),
  ]
  const isPinned = pins.tokens.has(tokenIn) && pins.tokens.has(tokenOut)
  const [answers, impactBps] = await Promise.all([
    rpc.all(calls, signal),
    isPinned ? null : readImpactBps(rpc, pins, reading, signal),
  ])
  const [marksAnswer, trialAnswer, nonce, block, ether, ...rest] = answers
  if (reading.curve) checkCurve(pins, reading.curve, rest.slice(stocks.length))
  const onBeacon = new Set(
    stocks.filter((_, i) => {
      const word = rest[i]
      return (
        !(word instanceof RpcFailure) &&
        pins.stockBeacon !== null &&
        BigInt(word as Hex) === BigInt(pins.stockBeacon)
      )
    }),
  )
  return {
    marks: marksAnswer instanceof RpcFailure ? new Map() : marks.read(marksAnswer as Hex),
    trial: trial.read(trialAnswer),
    standsOnBeacon: (token) => onBeacon.has(token),
    impactBps,
    nonce: Number(BigInt(given(nonce))),
    baseFeeWei: BigInt(given<{ baseFeePerGas?: Hex }>(block).baseFeePerGas ?? '0x0'),
    etherWei: BigInt(given(ether)),
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
  must(isKnown, 'RECIPIENT', 'the curve is none of the pinned launchpads’', { curve: id })
}
