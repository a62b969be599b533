import { rows } from './row.ts'

/** What the league's rules refuse. */
export const LEAGUE_ERRORS = rows('league', {
  NOT_AN_AGENT: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'The registry vault has no agent with that id.',
    hint: 'Check agent_id in the registry.',
  },
  NOT_OWNER: {
    statuses: [403],
    extras: ['owner'],
    retry: 'no',
    message: "The signed-in wallet is not the agent's owner, and no valid owner-signed statement came along.",
    hint: '`owner` is the address on record: sign in with it, or send its signature of a statement.',
  },
  STATEMENT_EXPIRED: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: "The statement's nonce is unknown, used or older than 10 minutes.",
    hint: 'Ask for a new statement and sign it.',
  },
  STATEMENT_MISMATCH: {
    statuses: [400],
    extras: ['field'],
    retry: 'different_request',
    message: 'The statement was made for another wallet, agent, board or entrant.',
    hint: 'Ask for a statement for exactly this entry.',
  },
  AGENT_ENTERED: {
    statuses: [409],
    retry: 'no',
    message: 'This agent is already on that board.',
    hint: 'One active entry per agent and board.',
  },
  ALREADY_ENTERED: {
    statuses: [409],
    retry: 'no',
    message: 'This wallet, account or hosted agent already plays that board for an agent.',
    hint: 'Leave first, then enter for the next season.',
  },
  PRIZE_IS_LIVE: {
    statuses: [409],
    retry: 'no',
    message: 'The prize league counts real trades: hosted paper agents play on the practice board.',
    hint: "Enter the practice board, or enter the owner's wallet.",
  },
  LEAGUE_DIVISION: {
    statuses: [409],
    retry: 'no',
    message: "The account trades another division than the practice board's.",
    hint: "The board's division is in GET league rules.",
  },
  LEAGUE_PAPER_ONLY: {
    statuses: [409],
    retry: 'no',
    message: 'Only paper hosted agents play on the practice board.',
    hint: 'Enter a paper agent.',
  },
  LEAGUE_PAIRS: {
    statuses: [409],
    retry: 'no',
    message: 'A practice agent trades only ETH, cbBTC and PARTNER against USDG.',
    hint: "Change the agent's pairs.",
  },
  LEAGUE_INTERVAL: {
    statuses: [409],
    retry: 'no',
    message: 'A practice entrant ticks at most every 300 s.',
    hint: 'Set interval_s to 300 or more.',
  },
  NOT_ENTERED: {
    statuses: [404],
    retry: 'no',
    message: 'This entrant is not in the league.',
    hint: 'GET league/me lists the entries.',
  },
  NO_SEASON: {
    statuses: [404],
    extras: ['field'],
    retry: 'no',
    message: 'No such season.',
    hint: 'GET league/seasons lists them.',
  },
  LEAGUE_UNAVAILABLE: {
    statuses: [503],
    retry: 'pause',
    retryAfterS: 5,
    message: 'The league is not running, or the vault cannot be read.',
    hint: 'Wait Retry-After seconds.',
  },
  SEASON_CLOSED: {
    statuses: [409],
    extras: ['why'],
    retry: 'later',
    message: 'No season is open: paper orders rest between seasons.',
    hint: '`why` says when the next one starts.',
  },
})
