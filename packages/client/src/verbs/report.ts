import type { LotMethod, Report, ReportInput } from '@pit/reports'
import type { ClientDeps } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import type { ReportOptions } from '../report/options.ts'

/**
 * Profit and loss of the wallet. The server only names transactions: amounts, gas and fees come from receipts and
 * balances on the client's own node.
 * @param options period, method of consuming lots, and progress
 * @returns the report, and the input from which anyone can compute it again
 * @throws REPORT_METHOD another method was used for the year before
 * @throws REPORT_PERIOD the period ends before it begins
 * @example
 * ```ts
 * const nowS = Math.floor(Date.now() / 1000)
 * const { report } = await client.report({ fromS: nowS - 3_600, toS: nowS })
 * console.log(report.totals, report.hash)
 * ```
 */
export async function report(
  deps: ClientDeps,
  options: ReportOptions,
): Promise<{ report: Report; input: ReportInput }> {
  const { fromS, toS, method = 'fifo', signal } = options
  if (!(fromS < toS)) throw new PitRefusal('REPORT_PERIOD', 'The period ends before it begins.')
  const { methods, fix } = await methodsOf(deps, options, method)
  // Loaded when they are needed, so that a trading client stays small.
  const [{ readHistory }, { buildReport }] = await Promise.all([
    import('../report/readHistory.ts'),
    import('@pit/reports'),
  ])
  const input = { ...(await readHistory(deps, options, signal)), methods }
  const result = buildReport(input)
  // Last: a report that fails fixes no method.
  await fix()
  return { report: result, input }
}

/** The method of each year that has one; the period's years get this one, unless another was used for them. */
async function methodsOf(
  { records }: ClientDeps,
  { fromS, toS }: Pick<ReportOptions, 'fromS' | 'toS'>,
  method: LotMethod,
): Promise<{ methods: Record<number, LotMethod>; fix(): Promise<void> }> {
  const methods = await records.reportMethods()
  const yearOf = (timeS: number) => new Date(timeS * 1000).getUTCFullYear()
  const newYears: number[] = []
  for (let year = yearOf(fromS); year <= yearOf(toS - 1); year++) {
    const used = methods[year]
    if (used !== undefined && used !== method) throw methodChanged(year, used)
    if (used === undefined) newYears.push(year)
    methods[year] = method
  }
  return {
    methods,
    async fix() {
      for (const year of newYears) await records.putReportMethod(year, method)
    },
  }
}

const methodChanged = (year: number, used: LotMethod) =>
  new PitRefusal(
    'REPORT_METHOD',
    `Lots of ${year} are consumed by ${used.toUpperCase()}, as in an earlier report.`,
    {
      hint: `Use ${used.toUpperCase()} for this year, or end the period before it.`,
    },
  )
