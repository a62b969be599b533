import { LEAGUE } from '../numbers.ts'
import { rows } from './row.ts'

/** Errors of the league's rules. */
export const LEAGUE_ERRORS = rows('league', {
  NOT_AN_AGENT: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'The registry vault has no agent with this id.',
    hint: 'Check agent_id in the registry.',
  },
  NOT_OWNER: {
    statuses: [403],
    extras: ['owner'],
    retry: 'no',
    message:
      'The signed-in wallet is not the agent’s owner, and the request has no valid statement signed by ' +
      'the owner.',
    hint: 'Sign in with the address in `owner`, or send a statement signed by it.',
  },
  STATEMENT_EXPIRED: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: `The statement’s nonce is unknown, used, or older than ${LEAGUE.statementTtlS / 60} minutes.`,
    hint: 'Request a new statement and sign it.',
  },
  STATEMENT_MISMATCH: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'The statement was issued for another wallet, agent, board or entrant.',
    hint: 'Request a statement for exactly this entry.',
  },
  AGENT_ENTERED: {
    statuses: [409],
    retry: 'no',
    message: 'This agent already has an entry on this board.',
    hint: 'An agent has one active entry per board; leave the board before you enter it again.',
  },
  ALREADY_ENTERED: {
    statuses: [409],
    retry: 'no',
    message: 'This wallet, account or hosted agent already plays on this board for an agent.',
    hint: 'Leave first, then enter for the next season.',
  },
  PRIZE_IS_LIVE: {
    statuses: [409],
    retry: 'no',
    message: 'The prize league counts real trades of wallets, so hosted agents do not enter it.',
    hint:
      'Enter a paper agent on the practice board. A live agent’s trades count for its owner’s wallet: ' +
      'enter that.',
  },
  LEAGUE_DIVISION: {
    statuses: [409],
    retry: 'no',
    message: 'The account trades in another division than the practice board.',
    hint: 'Check the board’s division in the rules of GET league.',
  },
  LEAGUE_PAPER_ONLY: {
    statuses: [409],
    retry: 'no',
    message: 'Only hosted agents on paper can enter the practice board.',
    hint: 'Enter a paper agent.',
  },
  LEAGUE_PAIRS: {
    statuses: [409],
    retry: 'no',
    message: 'Practice agents may trade only ETH, cbBTC and PARTNER against USDG.',
    hint: 'Change the agent’s pairs, then enter again.',
  },
  LEAGUE_INTERVAL: {
    statuses: [409],
    retry: 'no',
    message: `Practice agents may tick at most every ${LEAGUE.practiceMinIntervalS} s.`,
    hint: `Set interval_s to ${LEAGUE.practiceMinIntervalS} or more.`,
  },
  NOT_ENTERED: {
    statuses: [404],
    retry: 'no',
    message: 'This entrant is not in the league.',
    hint: 'List your entries with GET league/me.',
  },
  NO_SEASON: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'There is no such season.',
    hint: 'List the seasons with GET league/seasons.',
  },
  LEAGUE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The league is not running, or the registry vault cannot be read.',
    hint: 'Retry after the delay in Retry-After (usually 5 s).',
  },
  SEASON_CLOSED: {
    statuses: [409],
    extras: ['why'],
    retry: 'later',
    message: 'No season is open; paper orders are paused between seasons.',
    hint: 'Wait for the next season; `why` says when it starts.',
  },
})
