import { useQuery } from '@tanstack/react-query'
import { openClient } from '../wallet/connect.ts'
import { useAccount } from './account.ts'
import { queries, useRead } from './api.ts'

/** An agent's orders and the signatures it waits for. */
export const useOrders = (agentId: string) =>
  useRead('hosted.orders.list', { params: { id: agentId }, query: { limit: 100 } }, { everyMs: 5_000 })

/** Terms of orders that were signed in this browser, by id. */
export function useSignedOrders(updatedAt: number) {
  const signedIn = useAccount()
  return useQuery({
    queryKey: ['signed orders', signedIn?.keyId, updatedAt],
    queryFn: async () => (await openClient()).client.orders.signed(),
    enabled: signedIn !== null,
    placeholderData: (before) => before,
  })
}

export const refreshOrders = (): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['hosted.orders.list'] })
