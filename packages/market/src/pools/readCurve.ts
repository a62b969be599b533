import { type CurvePool, curveAbi, type Hex } from '@pit/chain'
import { type ContractCall, flagIn, wordIn } from '@pit/platform/reads'
import { encodeFunctionData } from 'viem'

/** A launchpad's curve by its own getters. */

const STATE = encodeFunctionData({ abi: curveAbi, functionName: 'state' })

export const curveCall = ({ id }: CurvePool): ContractCall => ({ to: id, data: STATE })

/** The curve as its answer says; undefined when that is none. */
export function curveIn(curve: CurvePool, answer: Hex | null): CurvePool | undefined {
  const [x, y] = [wordIn(answer, 0), wordIn(answer, 1)]
  const graduated = answer === null ? null : flagIn(`0x${answer.slice(2 + 4 * 64, 2 + 5 * 64)}`)
  return x === null || y === null || graduated === null ? undefined : { ...curve, x, y, graduated }
}

/** Whether somebody bought and can still trade: what nobody touched is read when a log of it comes. */
export const isCurveTraded = ({ graduated, y, yFloor, saleSupply }: CurvePool): boolean =>
  !graduated && y !== yFloor + saleSupply
