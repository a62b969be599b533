import type { Address } from '@pit/chain'
import { fail } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'

/** ETH of each, in one request. Refuses RPC_UNAVAILABLE. */
export async function readBalances(
  { rpc }: Pick<HostedDeps, 'rpc'>,
  addresses: readonly Address[],
): Promise<Map<Address, bigint>> {
  const answers = await rpc
    .batch(addresses.map((address) => ['eth_getBalance', [address, 'latest']] as const))
    .catch(() => fail('RPC_UNAVAILABLE'))
  return new Map(
    addresses.map((address, i) => {
      const answer = answers[i]
      const isRead = answer?.ok && /^0x[0-9a-f]{1,64}$/i.test(String(answer.result))
      return [address, isRead ? BigInt(String(answer.result)) : fail('RPC_UNAVAILABLE')]
    }),
  )
}
