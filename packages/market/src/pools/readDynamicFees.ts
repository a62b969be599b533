import { multicall3Abi, type V4Pool, v4StateViewAbi } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'

/**
 * A hook may change a dynamic fee at any time and no log tells: the fees after a block, read in one call. A pool the
 * chain does not answer for is left out.
 */
export async function readDynamicFees(
  { rpc, multicall3, stateView }: { rpc: Rpc; multicall3: Address; stateView: Address },
  pools: readonly V4Pool[],
  block: number,
): Promise<Map<V4Pool, number>> {
  const calls = pools.map(({ id }) => ({
    target: stateView,
    allowFailure: true,
    callData: encodeFunctionData({ abi: v4StateViewAbi, functionName: 'getSlot0', args: [id] }),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await rpc.request<Hex>('eth_call', [{ to: multicall3, data }, `0x${block.toString(16)}`])
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  const fees = new Map<V4Pool, number>()
  for (const [i, { success, returnData }] of results.entries()) {
    const pool = pools[i]
    if (!success || !pool) continue
    const slot0 = decodeFunctionResult({ abi: v4StateViewAbi, functionName: 'getSlot0', data: returnData })
    fees.set(pool, slot0[3])
  }
  return fees
}
