import { queries, useRead } from './api.ts'

/** An agent's orders and the signatures it waits for. */
export const useOrders = (agentId: string) =>
  useRead('hosted.orders.list', { params: { id: agentId }, query: { limit: 100 } }, { everyMs: 5_000 })

export const refreshOrders = (): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['hosted.orders.list'] })
