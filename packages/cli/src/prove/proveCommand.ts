import { isRefusal } from '@pit/client'
import { Command } from 'commander'
import { EXIT } from '../client/exit.ts'
import { type CommandDeps, openReader } from '../client/openClient.ts'
import { show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { INTENTS } from './intents.ts'
import { RefusedBy } from './orderIntents.ts'
import { closeStage, type Intent, openStage, type Stage } from './parties.ts'

interface Row {
  area: Intent['area']
  intent: string
  /** unclear: not executed, but the response is not a refusal either. */
  verdict: 'refused' | 'accepted' | 'unclear'
  code: string | null
}

/** Codes returned after the transaction passed the server's own checks. */
const PASSED_ON = new Set(['SUBMIT_REJECTED', 'SEQUENCER_UNREACHABLE', 'NONCE', 'IN_FLIGHT'])

/** `pit prove`: sends hostile intents to a running server, with fresh keys without funds. */
export const proveCommand = (deps: CommandDeps): Command =>
  new Command('prove')
    .description('Send hostile requests to a server and its signer, and show each refusal. Needs no account.')
    .action(async (_options: object, command: Command) => {
      const opened = openReader(deps, command)
      await opened.client.checkConfig()
      const stage = await openStage(opened.target, deps.terminal.say)
      const done = deps.terminal.progress(`Sending ${INTENTS.length} hostile requests`)
      const rows: Row[] = []
      try {
        for (const intent of INTENTS) {
          if (intent.area === 'session' && stage.sessionId === null) continue
          if (intent.area === 'order' && stage.signed === null) continue
          rows.push(await judge(stage, intent))
        }
      } finally {
        done()
        await closeStage(stage)
      }
      const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length
      const [refused, accepted, unclear] = [count('refused'), count('accepted'), count('unclear')]
      show(deps, opened, { ok: refused === rows.length, refused, accepted, unclear, intents: rows }, () =>
        table([
          ['area', 'request', 'result', 'code'],
          ...rows.map(({ area, intent, verdict, code }) => [area, intent, verdict, code]),
        ]),
      )
      deps.terminal.say(`${refused} refused, ${accepted} accepted, ${unclear} unclear.`)
      if (stage.sessionId === null)
        deps.terminal.say('No co-signer is pinned, so sessions were not tested. Run pit doctor.')
      if (accepted > 0) process.exitCode = EXIT.failed
      else if (unclear > 0) process.exitCode = EXIT.transient
    })

async function judge(stage: Stage, { area, name, fire }: Intent): Promise<Row> {
  try {
    const answer = await fire(stage)
    // A rehearsal is answered, with the rule that refuses the trade.
    if (answer instanceof RefusedBy) return { area, intent: name, verdict: 'refused', code: answer.rule }
    return { area, intent: name, verdict: 'accepted', code: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const { code, retry, status } = error
    const isAnswer = status !== undefined && status < 500 && retry !== 'pause'
    const verdict = PASSED_ON.has(code) ? 'accepted' : isAnswer ? 'refused' : 'unclear'
    return { area, intent: name, verdict, code }
  }
}
