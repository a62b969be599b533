import type { ErrorCode } from '../errors/table.ts'
import { League, Reserve, SeasonRecord, Seasons, Standings } from '../schemas/league.ts'
import {
  ConfirmRequest,
  Entered,
  EnterRequest,
  Entry,
  LeaveRequest,
  Left,
  MyEntries,
  SeasonParams,
  StandingsQuery,
  Statement,
  StatementRequest,
} from '../schemas/leagueEntry.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

const READ = {
  area: 'league',
  auth: 'none',
  buckets: ['public.address', 'public.overall'],
} as const
const WRITE = { area: 'league', auth: 'wallet', strictFields: true } as const

const ENTER_ERRORS = [
  'STATEMENT_EXPIRED',
  'STATEMENT_MISMATCH',
  'BAD_SIGNATURE',
  'NOT_OWNER',
  'FORBIDDEN',
  'NOT_AN_AGENT',
  'AGENT_ENTERED',
  'ALREADY_ENTERED',
  'PRIZE_IS_LIVE',
  'LEAGUE_DIVISION',
  'LEAGUE_PAPER_ONLY',
  'LEAGUE_PAIRS',
  'LEAGUE_INTERVAL',
  'STOPPED',
  'HOSTED_UNAVAILABLE',
] as const satisfies readonly ErrorCode[]

export const LEAGUE_ROUTES = {
  league: route({
    ...PLACES.league,
    ...READ,
    summary: 'Current season, reserve, rules and past seasons.',
    answer: League,
  }),
  'league.standings': route({
    ...PLACES['league.standings'],
    ...READ,
    summary: 'A board’s standings; show names in them as plain text.',
    query: StandingsQuery,
    answer: Standings,
    errors: ['NO_SEASON'],
  }),
  'league.seasons': route({
    ...PLACES['league.seasons'],
    ...READ,
    summary: 'All seasons, newest first.',
    answer: Seasons,
  }),
  'league.season': route({
    ...PLACES['league.season'],
    ...READ,
    summary: 'One prize season: standings, ledger, payouts, winners.',
    params: SeasonParams,
    answer: SeasonRecord,
    errors: ['NO_SEASON'],
  }),
  'league.reserve': route({
    ...PLACES['league.reserve'],
    ...READ,
    summary: 'The prize reserve by season, and the estimate for the current one.',
    answer: Reserve,
  }),
  'league.me': route({
    ...PLACES['league.me'],
    area: 'league',
    auth: 'wallet',
    summary: 'The wallet’s league entries.',
    answer: MyEntries,
  }),
  'league.statement': route({
    ...PLACES['league.statement'],
    ...WRITE,
    summary: 'The text an agent’s owner signs to enter; valid once, for 10 minutes.',
    body: StatementRequest,
    answer: Statement,
    errors: ENTER_ERRORS,
    byContract: ['STATEMENT_EXPIRED', 'STATEMENT_MISMATCH', 'BAD_SIGNATURE', 'NOT_OWNER'],
    statusOf: { BAD_SIGNATURE: [400] },
  }),
  'league.enter': route({
    ...PLACES['league.enter'],
    ...WRITE,
    status: 201,
    summary: 'Enter a registry agent; it plays from the next season.',
    body: EnterRequest,
    answer: Entered,
    errors: ENTER_ERRORS,
    statusOf: { BAD_SIGNATURE: [400] },
  }),
  'league.confirm': route({
    ...PLACES['league.confirm'],
    ...WRITE,
    summary: 'Submit the owner’s signed eligibility confirmation for a prize entry.',
    body: ConfirmRequest,
    answer: Entry,
    errors: [
      'STATEMENT_EXPIRED',
      'STATEMENT_MISMATCH',
      'BAD_SIGNATURE',
      'NOT_OWNER',
      'FORBIDDEN',
      'NOT_ENTERED',
    ],
    statusOf: { BAD_SIGNATURE: [400] },
  }),
  'league.leave': route({
    ...PLACES['league.leave'],
    ...WRITE,
    sanctionedKeyAllowed: true,
    summary: 'Withdraw an entry at once.',
    body: LeaveRequest,
    answer: Left,
    errors: ['FORBIDDEN', 'NOT_ENTERED'],
  }),
}
