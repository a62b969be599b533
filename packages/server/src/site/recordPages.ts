import type { PageAt } from '@pit/http'
import { storedRecord } from '@pit/league/record'
import type { RecordSource, SeasonPart } from '@pit/league/rules'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'

const KEPT_S = 60
/** Cached parts, of one or a few megabytes each. */
const MAX_PARTS = 16
const SEASON = /^[1-9]\d{0,5}$/

type ReadPart = (source: RecordSource, head: SeasonPart, key: string) => unknown
/** The files of a season's record, by name. */
const PARTS: readonly [name: RegExp, read: ReadPart][] = [
  [/^season\.json$/, (_, head) => head],
  [/^entries-(0|[1-9]\d{0,4})\.json$/, (source, { span }, page) => source.entries(span.number, Number(page))],
  [/^marks-(0x[0-9a-f]{40})\.json$/, (source, { span }, token) => source.marks(span.number, token)],
]

/**
 * The record of decided seasons in parts, for `pit league verify`. Each part is read at most once a minute.
 */
export function recordPages({ sql, clock }: { sql: Sql; clock: Clock }): PageAt[] {
  const source = storedRecord(sql)
  const texts = createCache<string, string>({ max: MAX_PARTS, ttlMs: KEPT_S * 1_000, clock })

  async function read(season: number, file: string): Promise<string> {
    for (const [name, readPart] of PARTS) {
      const match = name.exec(file)
      if (!match) continue
      const head = await source.season(season)
      if ('none' in head) return fail('NO_SEASON', { message: head.none })
      return JSON.stringify(await readPart(source, head, match[1] ?? ''))
    }
    return fail('NOT_FOUND', { message: 'No such file.' })
  }

  return [
    {
      path: '/league/records/:season/:file',
      page: {
        kind: 'page',
        name: 'league record',
        reply: async (_, { params: { season = '', file = '' } }) => {
          if (!SEASON.test(season))
            return fail('NO_SEASON', { message: 'A season is a whole number from 1.' })
          return {
            status: 200,
            body: await texts.load(`${season}/${file}`, () => read(Number(season), file)),
            cacheControl: `public, max-age=${KEPT_S}`,
          }
        },
      },
    },
  ]
}
