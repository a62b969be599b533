import { markSourcesOf } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import { readStored, StoredFileFault } from './stored.ts'

export interface Recount {
  entrants: number
  trades: number
  /** Where record and recount differ first; null if they are equal. */
  difference: { path: string; recorded: string; rebuilt: string } | null
}

/** Recounts a decided season; a record of another shape is an error of the record. */
export async function recount(
  season: number,
  options: { profile: ChainProfile; origin?: string },
): Promise<Recount> {
  try {
    return await recountRecord(season, options)
  } catch (error) {
    const isShape = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
    if (!isShape) throw error
    throw new StoredFileFault('The record of this season is malformed, so it cannot be verified.')
  }
}

/** Recounts a decided season from its public record, with the code of `pit league verify --no-chain`. */
async function recountRecord(
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
  const value = await readStored(address, (file) => file as T)
  if (value === null)
    throw new StoredFileFault(
      'The server has no record of this season. It has one once the season is decided.',
    )
  return value
}
