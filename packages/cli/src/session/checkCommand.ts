import type { Answer } from '@pit/protocol'
import { Command } from 'commander'
import { InputNeeded } from '../client/exit.ts'
import { type CommandDeps, openAsExecutor, openSignedIn } from '../client/openClient.ts'
import { hash, whole } from '../client/parse.ts'
import { show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { endsAndSize, type TradeFlags, tradeParams } from '../client/tradeCommand.ts'

interface CheckFlags extends TradeFlags {
  session?: string
  asExecutor?: boolean
  order?: `0x${string}`
  part: number
}

/** `pit session check ETH USDG --usd 25`: a rehearsal; nothing is signed, counted or sent. */
export const checkCommand = (deps: CommandDeps): Command =>
  endsAndSize(
    new Command('check').description(
      'Rehearse a session trade: every rule of server and co-signer; signs nothing.',
    ),
  )
    .option('--session <id>', 'Session id (default: PIT_SESSION_ID)')
    .option('--as-executor', 'Use the executor account')
    .option('--min-out <atoms>', 'Minimum output, in atoms of the token bought')
    .option('--max-fee-bps <bps>', 'Maximum fee in bps', whole)
    .option('--non-us', 'The owner is not a US person (required for stock tokens)')
    .option('--order <id>', 'Signed order that the trade would carry out', hash)
    .option('--part <n>', 'Which of the order’s trades it would be', whole, 1)
    .action(async (tokenIn: string, tokenOut: string, flags: CheckFlags, command: Command) => {
      const request = tradeParams(tokenIn, tokenOut, flags)
      const session_id = flags.session ?? deps.env['PIT_SESSION_ID']
      if (session_id === undefined)
        throw new InputNeeded('No session specified. Use --session or PIT_SESSION_ID.')
      const opened = await (flags.asExecutor ? openAsExecutor : openSignedIn)(deps, command)
      const order = flags.order && { id: flags.order, part: flags.part, rounds: [] }
      const done = deps.terminal.progress('Rehearsing the trade')
      const answer = await opened.client
        .rehearseTrade({ ...(request as object), session_id, ...(order && { order }) } as never)
        .finally(done)
      show(deps, opened, answer, () => table(rowsOf(answer)))
    })

function rowsOf(answer: Answer<'live.session.trade'>): (string | null)[][] {
  const { ok, checks, signer_checks = [], swap } = answer
  const mark = (isOk: boolean) => (isOk ? 'ok' : 'FAILED')
  const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const row = (by: string, name: string, one: (typeof signer_checks)[number] | (typeof checks)[number]) => [
    mark(one.ok),
    by,
    name,
    text(one.value),
    text(one.limit),
    one.message,
  ]
  return [
    ['result', 'by', 'rule', 'value', 'limit', ok ? 'the trade would pass' : 'the trade would be refused'],
    ...checks.map((one) => row('server', one.code, one)),
    ...signer_checks.map((one) => row('co-signer', one.rule, one)),
    ['', '', 'minimum output', swap.amount_out_min, null, 'atoms'],
  ]
}
