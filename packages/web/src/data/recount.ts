import { markSourcesOf } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'

export interface Recount {
  entrants: number
  trades: number
  /** Where record and recount differ first; null if they are equal. */
  difference: { path: string; recorded: string; rebuilt: string } | null
}

/** Recounts a decided season from its public record, with the code of `pit league verify --no-chain`. */
export async function recount(
  season: number,
  { profile, origin = '' }: { profile: ChainProfile; origin?: string },
): Promise<Recount> {
  const { publishedDifference, readRecord, recountSeason } = await import('@pit/league/rules')
  const part = <T>(name: string) => readJson<T>(`${origin}/league/records/${season}/${name}.json`)
  const source = {
    season: () => part<never>('season'),
    entries: (_: number, page: number) => part<never>(`entries-${page}`),
    marks: (_: number, token: string) => part<never>(`marks-${token}`),
  }
  const record = await readRecord(source, season, tokensOf(profile))
  if ('none' in record) throw new Error(`Season ${season} cannot be verified: ${record.none}.`)
  const { rows } = await readJson<{ rows: object[] }>(`${origin}/api/v1/league/seasons/${season}`)
  const { trades, difference } = recountSeason(record, profile)
  const firstFault = publishedDifference(rows, record) ?? difference
  return {
    entrants: record.entries.length,
    trades,
    difference: firstFault && {
      path: firstFault.path,
      recorded: JSON.stringify(firstFault.recorded) ?? 'nothing',
      rebuilt: JSON.stringify(firstFault.rebuilt) ?? 'nothing',
    },
  }
}

const tokensOf = (profile: ChainProfile): string[] =>
  markSourcesOf(profile).flatMap(({ kind, token }) => (kind === 'fixed' ? [] : [token]))

async function readJson<T>(address: string): Promise<T> {
  const answer = await fetch(address)
  const value = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null
  if (answer.ok && value !== null) return value as T
  throw new Error(value?.error?.message ?? `The record could not be loaded (HTTP status ${answer.status}).`)
}
