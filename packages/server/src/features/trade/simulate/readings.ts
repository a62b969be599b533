import { type Address, erc20Abi, type Hex, multicall3Abi } from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { isEth } from './deps.ts'

/** One call of many that are answered together, of one state. */
export interface Reading {
  to: Address
  data: Hex
}

/** What answers of a hostile token may cost: past it they count as unread. */
export const READING_GAS = 3_000_000

export const encodeReadings = (readings: readonly Reading[]): Hex =>
  encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [readings.map(({ to, data }) => ({ target: to, callData: data, allowFailure: true }))],
  })

/** In the order asked; null for one that failed. All null when the answer is none. */
export function decodeReadings(answer: Hex, count: number): (Hex | null)[] {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
    if (results.length === count)
      return results.map(({ success, returnData }) => (success ? returnData : null))
  } catch {
    // Falls through: whatever this is, it is no answer of Multicall3's.
  }
  return Array.from({ length: count }, () => null)
}

/** An answer's first word, as a contract would read it; null when it is shorter. */
export const wordIn = (answer: Hex | null | undefined): bigint | null =>
  answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : null

export const flagIn = (answer: Hex | null | undefined): boolean | null => {
  const word = wordIn(answer)
  return word === 0n ? false : word === 1n ? true : null
}

/** What an account holds of a token, or of ETH. */
export const holding = (token: Address, owner: Address, multicall3: Address): Reading =>
  isEth(token)
    ? {
        to: multicall3,
        data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [owner] }),
      }
    : { to: token, data: balanceOf(owner) }

export const balanceOf = (owner: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

export const allowance = (token: Address, owner: Address, spender: Address): Reading => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }),
})
