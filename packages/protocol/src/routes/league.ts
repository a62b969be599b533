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
import { route } from './route.ts'

const READ = {
  method: 'GET',
  area: 'league',
  auth: 'none',
  buckets: ['public.address', 'public.overall'],
} as const
const WRITE = { method: 'POST', area: 'league', auth: 'wallet', strictFields: true } as const

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
    ...READ,
    path: 'league',
    summary: 'The season, the reserve, the rules and the past.',
    answer: League,
  }),
  'league.standings': route({
    ...READ,
    path: 'league/standings',
    summary: 'A board’s standings; other people’s text in them must be shown as text.',
    query: StandingsQuery,
    answer: Standings,
    errors: ['NO_SEASON'],
  }),
  'league.seasons': route({
    ...READ,
    path: 'league/seasons',
    summary: 'Every season, newest first.',
    answer: Seasons,
  }),
  'league.season': route({
    ...READ,
    path: 'league/seasons/:n',
    summary: 'One prize season: standings, ledger, payouts, winners.',
    params: SeasonParams,
    answer: SeasonRecord,
    errors: ['NO_SEASON'],
  }),
  'league.reserve': route({
    ...READ,
    path: 'league/reserve',
    summary: 'The prize reserve, season by season, and this season’s estimate.',
    answer: Reserve,
  }),
  'league.me': route({
    method: 'GET',
    area: 'league',
    auth: 'wallet',
    path: 'league/me',
    summary: 'The wallet’s entries.',
    answer: MyEntries,
  }),
  'league.statement': route({
    ...WRITE,
    path: 'league/statement',
    summary: 'The text an agent’s owner signs to enter, good once for 10 minutes.',
    body: StatementRequest,
    answer: Statement,
    errors: ENTER_ERRORS,
    statusOf: { BAD_SIGNATURE: [400] },
  }),
  'league.enter': route({
    ...WRITE,
    path: 'league/enter',
    status: 201,
    summary: 'Enter a registry agent; it plays from the next season.',
    body: EnterRequest,
    answer: Entered,
    errors: ENTER_ERRORS,
    statusOf: { BAD_SIGNATURE: [400] },
  }),
  'league.confirm': route({
    ...WRITE,
    path: 'league/confirm',
    summary: 'File the owner’s signed eligibility confirmation for a prize entry.',
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
    ...WRITE,
    path: 'league/leave',
    sanctionedKeyAllowed: true,
    summary: 'Take an entry out at once.',
    body: LeaveRequest,
    answer: Left,
    errors: ['FORBIDDEN', 'NOT_ENTERED'],
  }),
}
