import type { Address } from '@pit/chain'
import { fail } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'

/** Nodes refuse batches that are too long; an agent may have had hundreds of executors. */
export const BALANCES_AT_ONCE = 100

/** ETH of each. Refuses RPC_UNAVAILABLE unless all of them are read. */
export async function readBalances(
  { rpc }: Pick<HostedDeps, 'rpc'>,
  addresses: readonly Address[],
): Promise<Map<Address, bigint>> {
  const balances = new Map<Address, bigint>()
  for (let from = 0; from < addresses.length; from += BALANCES_AT_ONCE) {
    const some = addresses.slice(from, from + BALANCES_AT_ONCE)
    const answers = await rpc
      .batch(some.map((address) => ['eth_getBalance', [address, 'latest']] as const))
      .catch(() => fail('RPC_UNAVAILABLE'))
    for (const [i, address] of some.entries()) {
      const answer = answers[i]
      const isRead = answer?.ok && /^0x[0-9a-f]{1,64}$/i.test(String(answer.result))
      balances.set(address, isRead ? BigInt(String(answer.result)) : fail('RPC_UNAVAILABLE'))
    }
  }
  return balances
}
