import { nowS } from '@pit/platform/clock'
import { readStock } from '../stock/stockStore.ts'
import type { HostedAgent } from '../types.ts'
import type { TickOptions } from './deps.ts'

/** Whether the owner's word for stock tokens stands: for this session and executor, in its time, not taken back. */
export async function hasStockWord(
  { db, clock }: Pick<TickOptions, 'db' | 'clock'>,
  { id, executor, sessionId }: Pick<HostedAgent, 'id' | 'executor' | 'sessionId'>,
): Promise<boolean> {
  const { last } = await readStock(db, id)
  return (
    last !== null &&
    last.revokedAtS === null &&
    nowS(clock) < last.expiresS &&
    last.executor === executor &&
    last.sessionId === sessionId
  )
}
