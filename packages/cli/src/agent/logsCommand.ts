import { setTimeout as sleep } from 'node:timers/promises'
import { readPages } from '@pit/client'
import { type Answer, LOG_KINDS } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { json } from '../client/exit.ts'
import { type CommandDeps, globalsOf, type Opened, openSignedIn } from '../client/openClient.ts'
import { whole } from '../client/parse.ts'
import { headingOf, quoted, timeText } from '../client/show.ts'

type Row = Answer<'hosted.logs'>['rows'][number]

const LOOK_EVERY_MS = 1_000
const PAGE = 200

/** `pit agent logs ID --follow`: one line per row, oldest first; with --json one object per line. */
export const logsCommand = (deps: CommandDeps): Command =>
  new Command('logs')
    .description('Show an agent’s decisions, trades and holds.')
    .argument('<id>')
    .option('--limit <n>', 'Number of rows to start with', upTo(PAGE), 50)
    .option('--kinds <kinds>', `Only these kinds, comma-separated: ${LOG_KINDS.join(', ')}`)
    .option('-f, --follow', 'Keep printing new rows')
    .action(
      async (
        id: string,
        { limit, kinds, follow = false }: { limit: number; kinds?: string; follow?: boolean },
        command: Command,
      ) => {
        const opened = await openSignedIn(deps, command)
        const { json: isJson = false } = globalsOf(command)
        const query = { ...(kinds !== undefined && { kinds }) }
        const { mode } = await opened.client.api['hosted.get']({ params: { id } })
        if (!isJson) deps.terminal.say(headingOf(opened.target, mode))
        const print = (rows: readonly Row[]) => {
          for (const row of rows) deps.terminal.data(isJson ? json(row) : lineOf(row))
        }
        const first = await opened.client.api['hosted.logs']({ params: { id }, query: { ...query, limit } })
        print(first.rows.toReversed())
        for (let last = first.rows[0]?.id ?? 0; follow; ) {
          await sleep(LOOK_EVERY_MS)
          const rows = await newerThan(opened, id, query, last)
          print(rows)
          last = rows.at(-1)?.id ?? last
        }
      },
    )

/** All rows after `last`, oldest first, across pages. */
async function newerThan({ client }: Opened, id: string, query: object, last: number): Promise<Row[]> {
  const newer: Row[] = []
  const read = (before: number | undefined) =>
    client.api['hosted.logs']({
      params: { id },
      query: { ...query, limit: PAGE, ...(before !== undefined && { before }) },
    })
  for await (const row of readPages(read, { what: 'hosted.logs', limit: PAGE })) {
    if (row.id <= last) break
    newer.push(row)
  }
  return newer.reverse()
}

const lineOf = ({ ts, kind, code, message }: Row): string =>
  [timeText(ts), kind.padEnd(8), code, message && quoted(message)].filter(Boolean).join('  ')

function upTo(max: number) {
  return (text: string): number => {
    const value = whole(text)
    if (value < 1 || value > max) throw new InvalidArgumentError(`Must be from 1 to ${max}.`)
    return value
  }
}
