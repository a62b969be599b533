import type { History, Point } from '@pit/history'
import type { HistoryRange } from '@pit/protocol'
import { bookSeries } from '../paper/openPaper.ts'
import type { StoredAgent } from '../store.ts'

/** A live agent's equity in the history: what its wallet holds of its tokens, in micro-dollars. */
export const agentSeries = (agentId: string): string => `agent:${agentId}`

/** Equity of an agent over time, in micro-dollars. */
export async function readEquity(
  history: Pick<History, 'read'>,
  { id, mode, bookId }: StoredAgent,
  range: HistoryRange,
): Promise<Point[]> {
  const series = mode === 'live' ? agentSeries(id) : bookId === null ? null : bookSeries(bookId)
  return series === null ? [] : ((await history.read([series], range)).get(series) ?? [])
}
