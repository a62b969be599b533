import { type CurvePool, type Hex, launchpadOf } from '@pit/chain'
import type { ContractCall } from '@pit/platform/reads'

/** A launchpad's curve by its own getters. */

export const curveCalls = ({ id, launchpad }: CurvePool): ContractCall[] =>
  launchpadOf(launchpad).reserveCalls.map((data) => ({ to: id, data }))

/** The curve as its answers say; undefined when one is missing. */
export function curveIn(curve: CurvePool, answers: readonly (Hex | null)[]): CurvePool | undefined {
  if (answers.includes(null)) return undefined
  const reserves = launchpadOf(curve.launchpad).reservesIn(answers as Hex[])
  return reserves ? { ...curve, ...reserves, graduated: false } : { ...curve, graduated: true }
}

/** Whether somebody bought and can still trade: what nobody touched is read when a log of it comes. */
export const isCurveTraded = ({ graduated, y, yFloor, saleSupply }: CurvePool): boolean =>
  !graduated && y !== yFloor + saleSupply
