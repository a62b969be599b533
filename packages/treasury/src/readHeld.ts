import type { Address, Hex } from '@pit/chain'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import { isEther } from './deps.ts'

const BALANCE_OF = '0x70a08231'
const BOUND_MS = 3_000

/** What the platform wallet has now; a token that does not answer is left out, and so are all when the chain does not. */
export async function readHeld(
  rpc: Rpc,
  wallet: Address,
  tokens: readonly Address[],
): Promise<Map<Address, bigint>> {
  const calls = tokens.map(
    (token): RpcCall =>
      isEther(token)
        ? ['eth_getBalance', [wallet, 'latest']]
        : ['eth_call', [{ to: token, data: `${BALANCE_OF}${wallet.slice(2).padStart(64, '0')}` }, 'latest']],
  )
  const answers = await rpc.batch(calls, { timeoutMs: BOUND_MS }).catch(() => [])
  const held = new Map<Address, bigint>()
  for (const [i, answer] of answers.entries()) {
    const value = answer.ok ? (answer.result as Hex) : ''
    if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) held.set(tokens[i]!, BigInt(value))
  }
  return held
}
