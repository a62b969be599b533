import { type Address, delegationManagerAbi, type Hex, readNonceCall } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import { ethCall, type Rpc, resultOf } from './rpc.ts'

/** A root with the wallet and the nonce that it repeats; null without controls. */
export interface RootRead {
  hash: Hex
  expiresS: number
  nonce: bigint | null
}

/**
 * `ended`: disabled on chain, or its nonce is past. `expired`: past its expiry. `alive`: it can still be used.
 * @public
 */
export type RootState = 'alive' | 'ended' | 'expired'

/** The state of roots by the client's own node, in order. */
export async function readRootStates(
  rpc: Rpc,
  pins: Pins,
  { wallet, roots }: { wallet: Address; roots: readonly RootRead[] },
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
  const { to, data } = readNonceCall(pins.addresses, wallet)
  const nonceCalls = roots.some(({ nonce }) => nonce !== null) ? [ethCall(to, data)] : []
  const [latest, ...answers] = await rpc.all([block, ...calls, ...nonceCalls], signal)
  const current = nonceCalls.length > 0 ? BigInt(resultOf<Hex>(answers[roots.length])) : null
  // By the chain's clock, which is the one that counts.
  const nowS = Number(BigInt(resultOf<{ timestamp: Hex }>(latest).timestamp))
  return roots.map(({ expiresS, nonce }, i) => {
    const isPast = nonce !== null && nonce !== current
    if (isPast || BigInt(resultOf<Hex>(answers[i])) === 1n) return 'ended'
    return expiresS <= nowS ? 'expired' : 'alive'
  })
}
