import type { LotMethod } from '@pit/reports'
import type { VerbOptions } from '../deps.ts'

/**
 * The part of a report that is being read.
 * @public
 */
export type ReportStage = 'trades' | 'receipts' | 'approvals' | 'readings' | 'transactions'
/**
 * Period and method of a report.
 * @public
 */
export interface ReportOptions extends VerbOptions {
  /** Unix seconds: from the first, before the second. */
  fromS: number
  toS: number
  /** FIFO by default; fixed for a year by its first report. */
  method?: LotMethod
  onProgress?(stage: ReportStage, done: number, total: number): void
}
