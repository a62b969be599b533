import { type Address, type Hex, multicall3Abi, NATIVE } from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { TickOptions } from './deps.ts'
import type { Held } from './types.ts'

const GAS_EACH = 150_000
const TIMEOUT_MS = 4_000
const WORD_CHARS = 2 + 64

/**
 * What a wallet holds of these tokens and what an executor has for gas, in one call and so of one block. A
 * token that cannot be read is null. Throws when the chain does not answer.
 */
export async function readHoldings(
  { rpc, profile }: Pick<TickOptions, 'rpc' | 'profile'>,
  { wallet, executor, tokens }: { wallet: Address; executor: Address; tokens: readonly Address[] },
): Promise<{ held: Held; executorWei: bigint }> {
  const multicall3 = profile.contracts.multicall3 as Address
  const ethOf = (owner: Address) => ({
    target: multicall3,
    allowFailure: true,
    callData: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [owner] }),
  })
  const calls = [
    ethOf(executor),
    ...tokens.map((token) =>
      token === NATIVE ? ethOf(wallet) : { target: token, allowFailure: true, callData: balanceOf(wallet) },
    ),
  ]
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const gas: Hex = `0x${(GAS_EACH * (calls.length + 1)).toString(16)}`
  const answer = await rpc.request<Hex>('eth_call', [{ to: multicall3, data, gas }, 'latest'], {
    timeoutMs: TIMEOUT_MS,
  })
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  const wordAt = (i: number): bigint | null => {
    const result = results[i]
    return result?.success && result.returnData.length >= WORD_CHARS
      ? BigInt(result.returnData.slice(0, WORD_CHARS))
      : null
  }
  return {
    held: new Map(tokens.map((token, i) => [token, wordAt(i + 1)])),
    executorWei: wordAt(0) ?? 0n,
  }
}

const balanceOf = (wallet: Address): Hex => `0x70a08231${wallet.slice(2).padStart(64, '0')}`
