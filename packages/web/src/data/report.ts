import type { ReportStage } from '@pit/client'
import { DAY_S, usdOf } from '@pit/protocol'
import type { Holding, Known, Report } from '@pit/reports'
import { centsUsd, many } from '@pit/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { openClient } from '../wallet/connect.ts'
import { useAccount } from './account.ts'

export const PERIODS = ['month', 'year', 'all'] as const
export type Period = (typeof PERIODS)[number]

const startS = (period: Period, nowS: number): number => {
  if (period === 'month') return nowS - 30 * DAY_S
  return period === 'year' ? Date.UTC(new Date(nowS * 1_000).getUTCFullYear(), 0) / 1_000 : 1
}

/** Profit and loss by the code of `pit report`, from the visitor's own node. */
export function useReport(period: Period) {
  const signedIn = useAccount()
  const [progress, setProgress] = useState('Reading trades…')
  const query = useQuery({
    queryKey: ['report', period, signedIn?.keyId],
    queryFn: async ({ signal }) => {
      const { client } = await openClient()
      const nowS = Math.floor(Date.now() / 1_000)
      // The period ends before `toS`: with the next second, a trade of this one is in it.
      const { report } = await client.report({
        fromS: startS(period, nowS),
        toS: nowS + 1,
        signal,
        onProgress: (...reached) => setProgress(progressText(...reached)),
      })
      return report
    },
    enabled: signedIn !== null,
    staleTime: 60_000,
    placeholderData: (before) => before,
  })
  return { ...query, progress }
}

/** The total of approvals is unknown; that of trades is what was read so far. */
export function progressText(stage: ReportStage, done: number, total: number): string {
  const what = `Reading ${stage === 'readings' ? 'balances and prices' : stage}`
  if (stage === 'trades') return `${what}: ${done}`
  return total > 0 ? `${what}: ${Math.min(100, Math.floor((100 * done) / total))}%` : `${what}…`
}

export const microUsdText = (microUsd: bigint | null): string =>
  microUsd === null ? 'unknown' : centsUsd(usdOf(microUsd))

/** The known part with the number of unknown ones; never zero for what is unknown. */
export function knownText({ microUsd, unknown }: Known): string {
  if (unknown === 0) return centsUsd(usdOf(microUsd))
  return microUsd === 0n
    ? `${many(unknown, 'amount')} unknown`
    : `${centsUsd(usdOf(microUsd))} + ${unknown} unknown`
}

/** The known part alone, to the cent; `unknownNote` says what is missing. */
export function knownFigure(known: Known | undefined): string {
  if (!known) return '–'
  if (known.unknown > 0 && known.microUsd === 0n) return 'Unknown'
  return centsUsd(usdOf(known.microUsd))
}

export const unknownNote = (known: Known | undefined): string | undefined =>
  known && known.unknown > 0 ? `without ${many(known.unknown, 'unknown amount')}` : undefined

export const knownTone = ({ microUsd }: Known): 'up' | 'down' | 'plain' =>
  microUsd > 0n ? 'up' : microUsd < 0n ? 'down' : 'plain'

/** The holding of a token; the report lists wrapped and plain ETH apart. */
export const holdingOf = (report: Report | undefined, address: string): Holding | undefined =>
  report?.holdings.find(({ token }) => token === address.toLowerCase())

/** Saves the report's rows as the file that `pit report --csv` writes. */
export async function saveCsv(report: Report): Promise<void> {
  const { csvOf } = await import('@pit/reports')
  const url = URL.createObjectURL(new Blob([csvOf(report)], { type: 'text/csv' }))
  const day = (timeS: number) => new Date(timeS * 1_000).toISOString().slice(0, 10)
  const link = document.createElement('a')
  link.href = url
  link.download = `pit-report-${day(report.fromS)}-${day(report.toS)}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
