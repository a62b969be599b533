import { type Answer, BOARDS, type Board, grouped } from '@pit/protocol'
import { Command, Option } from 'commander'
import { type CommandDeps, type Opened, openReader, openSignedIn } from '../client/openClient.ts'
import { defined, whole } from '../client/parse.ts'
import { agree, type Book, requireConfirmation, show, timeText } from '../client/show.ts'
import { table } from '../client/terminal.ts'

const bookOf = (board: Board): Book => (board === 'prize' ? 'live' : 'paper')
const boardOption = () => new Option('--board <board>', 'Board').choices(BOARDS).default('prize')

/** League commands besides `verify`: status, standings, entering and leaving. */
export const playCommands = (deps: CommandDeps): Command[] => [
  statusCommand(deps),
  standingsCommand(deps),
  seasonsCommand(deps),
  meCommand(deps),
  enterCommand(deps),
  leaveCommand(deps),
]

const statusCommand = (deps: CommandDeps): Command =>
  new Command('status')
    .description('Show the season, its entrants and its prize.')
    .action(async (_options: object, command: Command) => {
      const opened = openReader(deps, command)
      const league = await opened.client.api.league()
      const { season, next_season, entrants, practice_entrants, reserve, schedule } = league
      show(deps, opened, league, () =>
        table([
          ['season', season && `${season.number} ${season.name}`],
          ['ends', season && timeText(season.ends_at)],
          ['next', next_season && timeText(next_season.starts_at)],
          ['prize entrants', entrants],
          ['practice entrants', practice_entrants],
          ['max prize per season', `$${grouped(reserve.cap_usd)}`],
          ['new entries start', schedule.entered_now_plays_from],
        ]),
      )
    })

const standingsCommand = (deps: CommandDeps): Command =>
  new Command('standings')
    .description('Show the standings of a board.')
    .option('--season <n>', 'Season number (default: current)', whole)
    .addOption(boardOption())
    .action(async ({ season, board }: { season?: number; board: Board }, command: Command) => {
      const opened = openReader(deps, command)
      const query = defined({ season, board })
      const standings = await opened.client.api['league.standings']({ query })
      show(
        deps,
        opened,
        standings,
        () =>
          table([
            ['rank', 'agent', 'name', 'profit $', 'off-mark $', 'trades', 'place', 'may win'],
            ...standings.rows.map((row) => [
              row.rank,
              row.agent_id,
              row.label,
              row.score,
              row.board === 'prize' ? (row.beyond_marks_usd ?? '–') : '–',
              row.trades,
              row.place,
              row.eligibility === null ? '–' : row.eligibility.status,
            ]),
          ]),
        { book: bookOf(board) },
      )
    })

const seasonsCommand = (deps: CommandDeps): Command =>
  new Command('seasons')
    .description('List all seasons, newest first.')
    .action(async (_options: object, command: Command) => {
      const opened = openReader(deps, command)
      const { seasons } = await opened.client.api['league.seasons']()
      show(deps, opened, seasons, () =>
        table([
          ['season', 'name', 'status', 'starts', 'ends', 'entrants', 'decided'],
          ...seasons.map((one) => [
            one.number,
            one.name,
            one.status,
            timeText(one.starts_at),
            timeText(one.ends_at),
            one.entrants,
            one.decided ? 'yes' : 'no',
          ]),
        ]),
      )
    })

const meCommand = (deps: CommandDeps): Command =>
  new Command('me')
    .description('List your wallet’s entries.')
    .action(async (_options: object, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const { entries } = await opened.client.api['league.me']()
      show(deps, opened, entries, () => entryTable(entries))
    })

const enterCommand = (deps: CommandDeps): Command =>
  new Command('enter')
    .description('Enter a registered agent that your wallet owns; signs the entry statement.')
    .argument('<agent-id>', 'Agent id in the registry')
    .addOption(boardOption())
    .option('--hosted <id>', 'Id of your hosted paper agent, to enter on the practice board')
    .option('-y, --yes', 'Skip the confirmation')
    .action(
      async (agentId: string, flags: { board: Board; hosted?: string; yes?: boolean }, command: Command) => {
        requireConfirmation(deps, flags.yes)
        const opened = await openSignedIn(deps, command)
        const entrant = await entrantOf(opened, flags)
        const words =
          entrant.board === 'prize'
            ? 'You confirm that you are eligible for a prize (age, residence, sanctions). Sign and enter'
            : 'Sign and enter'
        await agree(deps, `${words} agent ${agentId} on the ${entrant.board} board?`, flags.yes)
        const entry = await opened.client.league.enter({
          agentId,
          domain: opened.target.domain,
          ...entrant,
        })
        deps.terminal.say(`Entered from season ${entry.from_season}.`)
        show(deps, opened, entry, () => entryTable([entry]), { book: bookOf(entrant.board) })
      },
    )

/** The entrant: the wallet on the prize board; the account or a hosted agent on the practice board. */
async function entrantOf({ client }: Opened, { board, hosted }: { board: Board; hosted?: string }) {
  if (hosted !== undefined)
    return { board: 'practice', kind: 'hosted', entrant: hosted, hostedId: hosted } as const
  if (board === 'prize') return { board, kind: 'wallet', entrant: client.address } as const
  const { account } = await client.api['auth.me']()
  return { board, kind: 'account', entrant: String(account.id) } as const
}

const leaveCommand = (deps: CommandDeps): Command =>
  new Command('leave')
    .description('Leave a board at once. You may enter again for the next season.')
    .addOption(boardOption())
    .option('--hosted <id>', 'Id of the hosted agent that leaves')
    .option('--agent <id>', 'Registry id of the agent whose entry leaves')
    .option('-y, --yes', 'Skip the confirmation')
    .action(
      async (flags: { board: Board; hosted?: string; agent?: string; yes?: boolean }, command: Command) => {
        requireConfirmation(deps, flags.yes)
        const opened = await openSignedIn(deps, command)
        await agree(
          deps,
          `Leave the ${flags.hosted === undefined ? flags.board : 'practice'} board?`,
          flags.yes,
        )
        const body = defined({
          board: flags.hosted === undefined ? flags.board : undefined,
          hosted_id: flags.hosted,
          agent_id: flags.agent,
        })
        const left = await opened.client.api['league.leave']({ body })
        show(deps, opened, left, () => entryTable([left]), { book: bookOf(left.board) })
      },
    )

const entryTable = (entries: readonly Answer<'league.me'>['entries'][number][]): string =>
  table([
    ['entry', 'board', 'agent', 'entrant', 'status', 'from season', 'confirmed'],
    ...entries.map((one) => [
      one.entry_id,
      one.board,
      one.agent_id,
      one.hosted_id ?? one.wallet,
      one.status,
      one.from_season,
      one.confirmed === null ? '–' : String(one.confirmed),
    ]),
  ])
