import { type CurvePool, type Hex, launchpadOf } from '@pit/chain'
import type { ContractCall } from '@pit/platform/reads'

/** A launchpad's curve by its own getters. */

export const curveCalls = ({ id, launchpad }: CurvePool): ContractCall[] =>
  launchpadOf(launchpad).reserveCalls.map((data) => ({ to: id, data }))

/** The curve from its getters' results; undefined if one is missing. */
export function curveIn(curve: CurvePool, answers: readonly (Hex | null)[]): CurvePool | undefined {
  if (answers.includes(null)) return undefined
  const reserves = launchpadOf(curve.launchpad).reservesIn(answers as Hex[])
  return reserves ? { ...curve, ...reserves, graduated: false } : { ...curve, graduated: true }
}

/** Whether the curve was bought from and still trades: an untouched one is read with its first log. */
export const isCurveTraded = ({ graduated, y, yFloor, saleSupply }: CurvePool): boolean =>
  !graduated && y !== yFloor + saleSupply
