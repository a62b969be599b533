import { type Address, type Hex, launchpadAbi, NATIVE } from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import type { RpcCall } from './rpc.ts'

/** Asks the pinned launchpad for a token's curve. */
export const askCurveOf = ({ launchpad }: Pick<Pins, 'launchpad'>, token: Address): RpcCall => ({
  method: 'eth_call',
  params: [
    {
      to: launchpad ?? NATIVE,
      data: encodeFunctionData({ abi: launchpadAbi, functionName: 'curveOf', args: [token] }),
    },
    'latest',
  ],
})

/** The curve in the answer; null where the launchpad knows none. */
export function curveIn(answer: unknown): Address | null {
  if (typeof answer !== 'string' || answer === '0x') return null
  const data = answer as Hex
  const curve = decodeFunctionResult({ abi: launchpadAbi, functionName: 'curveOf', data })
  const lower = curve.toLowerCase() as Address
  return lower === NATIVE ? null : lower
}
