import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { CapabilityJobs, Job } from '@pit/platform/jobs'
import { type Answer, type Board, fail, lower, stakingRegistryOf } from '@pit/protocol'
import { assetsOf } from './books/assets.ts'
import { createMarkBook } from './books/marks.ts'
import { firstSeasonOf, type LeagueDeps, type Player } from './deps.ts'
import { type ConfirmParams, confirm } from './entries/confirm.ts'
import { describeEntry } from './entries/describeEntry.ts'
import { enter } from './entries/enter.ts'
import { type LeaveParams, leave, leaveHosted } from './entries/leave.ts'
import type { EntryNamed } from './entries/readRequest.ts'
import { statement } from './entries/statement.ts'
import { entriesOfWallet } from './entries/store.ts'
import { paperBook } from './practice/book.ts'
import { type PracticeGate, practiceGate } from './practice/gate.ts'
import { type OrderRequest, paperOrder } from './practice/order.ts'
import type { NamedRequest } from './practice/requests.ts'
import { type Curves, readCurves } from './reads/curves.ts'
import { buildLeague, buildReserve } from './reads/league.ts'
import { prizePayouts } from './reads/prizePayouts.ts'
import type { ReadDeps } from './reads/readDeps.ts'
import { buildSeason, buildSeasons } from './reads/seasons.ts'
import { createSharedAnswers } from './reads/shared.ts'
import { buildStandings, findSeason } from './reads/standings.ts'
import { seasonAt } from './rules/index.ts'
import { createRunner, type RunDeps } from './season/runDue.ts'

export interface League {
  /** Responses shared by all readers, as bytes. */
  overview(): Promise<Buffer>
  standings(params: { season?: number | undefined; board: Board }): Promise<Buffer>
  seasons(): Promise<Buffer>
  season(number: number): Promise<Buffer>
  reserve(): Promise<Buffer>
  /** Returns of a board's first entries over a season. Fails with NO_SEASON if it was never opened. */
  curves(season: number, board: Board): Promise<Curves>
  entriesOf(wallet: Address): Promise<Answer<'league.me'>['entries']>
  statement(player: Player, named: EntryNamed): Promise<Answer<'league.statement'>>
  enter(player: Player, named: Parameters<typeof enter>[2]): Promise<Answer<'league.enter'>>
  confirm(player: Player, params: ConfirmParams): Promise<Answer<'league.confirm'>>
  leave(player: Player, params: LeaveParams): Promise<Answer<'league.leave'>>
  paperOrder(
    player: Player,
    params: OrderRequest,
    request?: NamedRequest | null,
  ): Promise<Answer<'paper.order'>>
  paperBook(player: Player): Promise<Answer<'paper.book'>>
  /** A hosted agent's state on the practice board, for its tick. */
  practiceGate(hostedId: string): Promise<PracticeGate>
  /** A hosted agent that was stopped or deleted leaves. */
  leaveHosted(hostedId: string): Promise<void>
  /** For the treasury's record. */
  prizePayouts(): Promise<Answer<'treasury'>['prize_payouts']>
  jobs: CapabilityJobs
}

const RUN_EVERY_MS = 2_000
const RUN_IDLE_MS = 15_000
/** Number of standings (season and board) cached as bytes. */
const MAX_ANSWERS = 32

/** The league: seasons of a prize board and a practice board. */
export function openLeague(options: LeagueDeps): League {
  const { db, clock, profile } = options
  const assets = assetsOf(profile)
  const marks = createMarkBook(assets)
  const isStaked = options.vault !== null && stakingRegistryOf(profile) !== null
  const reserveOn = isStaked && profile.league.platform_agent_id !== null
  const shared = { ...options, assets, marks, reserveOn }
  const reading = (): ReadDeps & Pick<LeagueDeps, 'history'> => ({
    ...shared,
    firstSeasonS: firstSeasonOf(options),
  })
  const answers = createSharedAnswers({ clock, max: MAX_ANSWERS, build: (key) => build(reading(), key) })
  const answer = async (key: string): Promise<Buffer> => {
    firstSeasonOf(options)
    return answers.get(key)
  }
  const token = profile.core_tokens.find(({ symbol }) => symbol === 'PARTNER')

  return {
    overview: () => answer('league'),
    standings: async ({ season, board }) =>
      answer(`standings ${season ?? currentNumber(firstSeasonOf(options), nowS(clock))} ${board}`),
    seasons: () => answer('seasons'),
    season: (number) => answer(`season ${number}`),
    reserve: () => answer('reserve'),
    curves: (season, board) => readCurves(reading(), season, board),
    async entriesOf(wallet) {
      const entries = await entriesOfWallet(db, wallet)
      const first = firstSeasonOf(options)
      return entries.map((entry) => describeEntry(entry, first, nowS(clock)))
    },
    statement: (player, named) => statement(options, player, named),
    enter: (player, named) => enter(options, player, named),
    confirm: (player, params) => confirm(options, player, params),
    leave: (player, params) => leave(options, player, params),
    paperOrder: (player, params, request) => paperOrder(options, player, params, request),
    paperBook: (player) => paperBook(options, player),
    practiceGate: (hostedId) => practiceGate(options, hostedId),
    leaveHosted: (hostedId) => leaveHosted(options, hostedId),
    prizePayouts: async () => (token ? prizePayouts(db, { ...token, address: lower(token.address) }) : []),
    jobs: {
      everywhere: [],
      worker: options.firstSeasonS === null ? [] : [leagueJob(shared, options.firstSeasonS)],
    },
  }
}

/** One job for everything that is due: its steps run in order, in one process at a time. */
const leagueJob = (deps: Omit<RunDeps, 'firstSeasonS'>, firstSeasonS: number): Job => ({
  name: 'league',
  intervalMs: RUN_EVERY_MS,
  idleMs: RUN_IDLE_MS,
  maxRetryMs: RUN_EVERY_MS,
  lease: true,
  run: createRunner({ ...deps, firstSeasonS }),
})

const currentNumber = (firstSeasonS: number, atS: number): number => seasonAt(firstSeasonS, atS)?.number ?? 1

/** Builds the response for a key. */
async function build(deps: ReadDeps, key: string): Promise<object> {
  const [what, number, board] = key.split(' ')
  if (what === 'league') return buildLeague(deps)
  if (what === 'seasons') return buildSeasons(deps)
  if (what === 'reserve') return buildReserve(deps)
  if (what === 'season') return buildSeason(deps, Number(number))
  if (what !== 'standings') return fail('NOT_FOUND')
  const season = await findSeason(deps, Number(number))
  const { ledger: _, ...standings } = await buildStandings(deps, season, board as Board)
  return standings
}
