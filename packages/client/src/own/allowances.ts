import { type Address, erc20Abi, type Hex, permit2Abi } from '@pit/chain'
import { encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import { type Rpc, type RpcCall, resultOf } from './rpc.ts'

/**
 * An allowance of a spender: the token's own, or Permit2's.
 * @public
 */
export interface Allowance {
  by: 'token' | 'permit2'
  token: Address
  spender: Address
  /** 0 once nothing can be taken, also when Permit2's allowance is past its time. */
  amount: bigint
}

/** Both allowances of each token by the client's own node; Permit2 and the router unless a spender is named. */
export async function readAllowances(
  rpc: Rpc,
  pins: Pins,
  { wallet, tokens, spender }: { wallet: Address; tokens: readonly Address[]; spender?: Address | undefined },
  signal?: AbortSignal,
): Promise<Allowance[]> {
  const direct = spender ?? pins.permit2
  // Permit2 is never the spender of an allowance it holds.
  const through = spender === undefined || spender === pins.permit2 ? pins.router : spender
  const call = (to: Address, data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })
  const calls = tokens.flatMap((token) => [
    call(token, encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [wallet, direct] })),
    call(
      pins.permit2,
      encodeFunctionData({ abi: permit2Abi, functionName: 'allowance', args: [wallet, token, through] }),
    ),
  ])
  const block: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const [latest, ...answers] = await rpc.all([block, ...calls], signal)
  const nowS = BigInt(resultOf<{ timestamp: Hex }>(latest).timestamp)
  return tokens.flatMap((token, i): Allowance[] => {
    const [approved] = wordsIn(resultOf<Hex>(answers[2 * i]), 1)
    const [amount, expiration] = wordsIn(resultOf<Hex>(answers[2 * i + 1]), 3)
    const isLive = expiration! >= nowS
    return [
      { by: 'token', token, spender: direct, amount: approved! },
      { by: 'permit2', token, spender: through, amount: isLive ? amount! : 0n },
    ]
  })
}

function wordsIn(answer: Hex, count: number): bigint[] {
  if (answer.length !== 2 + 64 * count) throw new RangeError('an allowance cannot be read')
  return Array.from({ length: count }, (_, i) => BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`))
}
