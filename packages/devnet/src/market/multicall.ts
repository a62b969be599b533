import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from 'viem'
import type { Chain, Hex } from '../engine/types.ts'

export interface ReadCall {
  target: Hex
  data: Hex
}

/** Many reads in one eth_call; a read that reverts is undefined. */
export async function readMany(
  chain: Chain,
  multicall3: Hex,
  calls: ReadCall[],
): Promise<(Hex | undefined)[]> {
  if (calls.length === 0) return []
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls.map(({ target, data }) => ({ target, callData: data, allowFailure: true }))],
  })
  const answer = await chain.request<Hex>('eth_call', [{ to: multicall3, data }, 'latest'])
  const rows = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  return rows.map(({ success, returnData }) => (success && returnData.length > 2 ? returnData : undefined))
}

const SELECTOR = {
  getReserves: '0x0902f1ac',
  slot0: '0x3850c7bd',
  liquidity: '0x1a686502',
  balanceOf: '0x70a08231',
  allowance: '0xdd62ed3e',
  latestRoundData: '0xfeaf968c',
  getSlot0: '0xc815641c',
  getLiquidity: '0xfa6793d5',
  curveState: '0xc19d93fb',
  sellableTokens: '0x808bcddc',
  getEthBalance: '0x4d2301cc',
  permit2Allowance: '0x927da105',
} as const

const padded = (word: string) => word.replace(/^0x/, '').toLowerCase().padStart(64, '0')

export const call = (target: Hex, name: keyof typeof SELECTOR, ...words: string[]): ReadCall => ({
  target,
  data: `${SELECTOR[name]}${words.map(padded).join('')}`,
})

/** The n-th 32-byte word of a result as an unsigned number; zero if missing. */
export function word(answer: Hex | undefined, n = 0): bigint {
  const text = answer?.slice(2 + n * 64, 66 + n * 64)
  return text && text.length === 64 ? BigInt(`0x${text}`) : 0n
}
