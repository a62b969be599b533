import type { Answer, Board } from '@pit/protocol'
import type { LeagueDeps } from '../deps.ts'
import type { SeasonSpan } from '../rules/index.ts'
import { readSeason } from '../season/store.ts'
import type { ReadDeps } from './readDeps.ts'
import { buildStandings, findSeason } from './standings.ts'

type Row = Answer<'league.standings'>['rows'][number]
type CurveDeps = ReadDeps & Pick<LeagueDeps, 'history'>

const BOARDS: readonly Board[] = ['prize', 'practice']
/** Ranks that are recorded, more than are shown, so that a climber's curve has a past. */
const RECORDED_RANKS = 50
const SHOWN_RANKS = 20
/** Of one percent: returns are stored as integers. */
const UNITS = 10_000

/** Returns of a board's first entries over a season. */
export interface Curves {
  season: number
  board: Board
  at_s: number
  entries: (Pick<Row, 'rank' | 'entry_id' | 'agent_id' | 'kind' | 'label'> & {
    wallet?: string
    points: [atS: number, returnPct: number][]
  })[]
}

/** Records what the standings of the running season show now. */
export async function recordCurves(deps: CurveDeps, span: SeasonSpan): Promise<void> {
  const row = await readSeason(deps.db, span.number)
  for (const board of BOARDS) {
    const { rows } = await buildStandings(deps, { span, row }, board)
    const values = rows
      .slice(0, RECORDED_RANKS)
      .flatMap(({ entry_id, return_pct }) =>
        return_pct === null
          ? []
          : [{ series: seriesOf(span.number, entry_id), value: BigInt(Math.round(return_pct * UNITS)) }],
      )
    await deps.history.append(values)
  }
}

export async function readCurves(deps: CurveDeps, number: number, board: Board): Promise<Curves> {
  const season = await findSeason(deps, number)
  const { rows, now } = await buildStandings(deps, season, board)
  const shown = rows.slice(0, SHOWN_RANKS)
  const names = shown.map(({ entry_id }) => seriesOf(number, entry_id))
  const points = await deps.history.read(names, 'all', season.span.startsAtS)
  return {
    season: number,
    board,
    at_s: now,
    entries: shown.map((row, i) => ({
      rank: row.rank,
      entry_id: row.entry_id,
      agent_id: row.agent_id,
      kind: row.kind,
      label: row.label,
      ...('wallet' in row && { wallet: row.wallet }),
      points: (points.get(names[i]!) ?? []).map(([atS, value]) => [atS, value / UNITS]),
    })),
  }
}

const seriesOf = (season: number, entryId: number): string => `league:${season}:${entryId}`
