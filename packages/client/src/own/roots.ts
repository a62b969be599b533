import { delegationManagerAbi, type Hex } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import { type Rpc, resultOf } from './rpc.ts'

/** `ended`: disabled on chain. `expired`: past its expiry. `alive`: it can still be used. */
export type RootState = 'alive' | 'ended' | 'expired'

/** The state of roots by the client's own node, in order. */
export async function readRootStates(
  rpc: Rpc,
  pins: Pins,
  roots: readonly { hash: Hex; expiresS: number }[],
  signal?: AbortSignal,
): Promise<RootState[]> {
  if (roots.length === 0) return []
  const calls = roots.map(({ hash }) => {
    const data = encodeFunctionData({
      abi: delegationManagerAbi,
      functionName: 'disabledDelegations',
      args: [hash],
    })
    return { method: 'eth_call', params: [{ to: pins.addresses.manager, data }, 'latest'] }
  })
  const block = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const [latest, ...flags] = await rpc.all([block, ...calls], signal)
  // By the chain's clock, which is the one that counts.
  const nowS = Number(BigInt(resultOf<{ timestamp: Hex }>(latest).timestamp))
  return roots.map(({ expiresS }, i) => {
    if (BigInt(resultOf<Hex>(flags[i])) === 1n) return 'ended'
    return expiresS <= nowS ? 'expired' : 'alive'
  })
}
