import { isRefusal, PitRefusal, type RecordedSession, type RevokedSession } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { grouped } from '@pit/protocol'
import { Command } from 'commander'
import { UsageRefused } from '../client/exit.ts'
import {
  type CommandDeps,
  type Opened,
  openAsExecutor,
  openClient,
  openSignedIn,
} from '../client/openClient.ts'
import { allowanceText } from '../client/revokeCommand.ts'
import { agree, requireConfirmation, show, timeText } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { brakesText } from './brakesText.ts'

type Listed = Answer<'me.sessions'>['sessions'][number]
/** A session as listed by the server, with its on-chain state if it was signed on this machine. */
type Row = Partial<Listed> & {
  session_id: string
  on_chain: RecordedSession['state'] | null
  roots?: string[]
}

export const listCommand = (deps: CommandDeps): Command =>
  new Command('list')
    .description(
      'List sessions granted by your wallet with their on-chain state, or with --as-executor those it executes.',
    )
    .option('--as-executor', 'List the sessions of the executor account')
    .action(async ({ asExecutor = false }: { asExecutor?: boolean }, command: Command) => {
      const opened = await (asExecutor ? openAsExecutor : openSignedIn)(deps, command)
      const [answer, { sessions: recorded, damaged }] = await Promise.all([
        opened.client.sessions(),
        opened.client.recordedSessions(),
      ])
      for (const key of damaged)
        deps.terminal.say(`The local record ${key} is damaged; its session may still be active.`)
      const rows = mergeRows(asExecutor ? answer.as_executor : answer.sessions, recorded)
      show(deps, opened, rows, () =>
        table([
          [
            'session',
            'status by server',
            'on chain',
            'executor',
            'until',
            'per trade',
            'left in 24h by server',
            'trades left by server',
            'brakes',
          ],
          ...rows.map((row) => [
            row.session_id,
            row.status ?? 'not listed',
            row.on_chain,
            row.executor ?? null,
            row.expires === undefined ? null : timeText(row.expires),
            row.limits ? `$${grouped(row.limits.max_trade_usd)}` : null,
            row.used ? `$${grouped(row.used.remaining_24h_usd)}` : null,
            row.used?.trades_left ?? null,
            brakesText(row.controls),
          ]),
        ]),
      )
    })

/** The limits of sessions signed on this machine are those that were signed; hidden ones are added. */
export function mergeRows(listed: readonly Listed[], recorded: readonly RecordedSession[]): Row[] {
  const byId = new Map(recorded.map((one) => [one.session_id, one]))
  const rows = listed.map((one): Row => {
    const own = byId.get(one.session_id)
    byId.delete(one.session_id)
    return own ? { ...one, ...signedRow(own) } : { ...one, on_chain: null }
  })
  return [...rows, ...[...byId.values()].map(signedRow)]
}

/** The limits that were signed on this machine. */
function signedRow({ session_id, executor, binding, wallet, state, roots }: RecordedSession) {
  const { max_trade_micro_usd, max_day_micro_usd, max_trades } = binding.limits
  return {
    session_id,
    executor,
    wallet,
    limits: {
      max_trade_usd: max_trade_micro_usd / 1e6,
      max_day_usd: max_day_micro_usd / 1e6,
      max_trades,
    },
    expires: binding.expires_at,
    on_chain: state,
    roots: roots.map(({ hash }) => hash),
  }
}

interface RevokeFlags {
  all?: boolean
  everywhere?: boolean
  root?: `0x${string}`[]
  onChain: boolean
  yes?: boolean
}

export const revokeCommand = (deps: CommandDeps): Command =>
  new Command('revoke')
    .description('End a session: at the co-signer at once, and on chain by transactions you sign.')
    .argument('[session-id]')
    .option('--all', 'End every session signed on this machine that is active on chain')
    .option('--everywhere', 'With --all: also sessions with controls that were signed on other machines')
    .option('--root <hashes...>', 'Hashes of all its roots, for a session signed on another machine')
    .option('--no-on-chain', 'End it at the server and co-signer only; signs nothing, its roots stay valid')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (sessionId: string | undefined, flags: RevokeFlags, command: Command) => {
      const { all = false, everywhere = false, root, onChain, yes } = flags
      if (all === (sessionId !== undefined))
        throw new UsageRefused('Specify one session, or --all for every session signed on this machine.')
      if (onChain) requireConfirmation(deps, yes)
      // A failed sign-in is not fatal: roots can be ended on chain without the server.
      const opened = await openSignedIn(deps, command).catch(async (error: unknown) => {
        if (!isRefusal(error)) throw error
        deps.terminal.say(`Sign-in failed (${error.code}); ending the roots on chain only.`)
        return openClient(deps, command)
      })
      const alive = sessionId === undefined ? await aliveSessions(deps, opened) : []
      const ids = sessionId === undefined ? alive.map(({ session_id }) => session_id) : [sessionId]
      const endsAll = onChain && (everywhere || alive.some(({ binding }) => binding.controls !== undefined))
      if (onChain && (ids.length > 0 || endsAll))
        await agree(deps, `End ${ids.join(', ') || 'all sessions with controls'}, including on chain?`, yes)
      if (all && endsAll) await endControlled(deps, opened)
      const request = { onChain, ...(root && { rootHashes: root }) }
      const ended = await endEach(deps, opened, ids, request)
      showEnded(deps, opened, ended, all)
    })

/** One transaction for all sessions with controls, also those that no record names. */
async function endControlled({ terminal }: CommandDeps, { client }: Opened): Promise<void> {
  const done = terminal.progress('Ending every session with controls')
  const { nonce, receipts } = await client.revokeAll().finally(done)
  terminal.say(
    `Every session with controls is over on chain: the wallet’s nonce is ${nonce.after} instead of ` +
      `${nonce.before} (${receipts.map(({ hash }) => hash).join(', ')}).`,
  )
}

async function aliveSessions({ terminal }: CommandDeps, { client }: Opened): Promise<RecordedSession[]> {
  const { sessions, damaged } = await client.recordedSessions()
  if (damaged.length > 0)
    throw new PitRefusal('RECORD_DAMAGED', `These local records cannot be read: ${damaged.join(', ')}.`, {
      hint: 'Restore them from a backup, or end their sessions one by one with --root.',
    })
  const alive = sessions.filter(({ state }) => state === 'alive')
  if (alive.length === 0) terminal.say('No session signed on this machine is active on chain.')
  return alive
}

/** Tries to end each session; then throws the first failure, naming every root that is left. */
async function endEach(
  { terminal }: CommandDeps,
  { client }: Opened,
  ids: readonly string[],
  request: { onChain: boolean; rootHashes?: readonly `0x${string}`[] },
): Promise<RevokedSession[]> {
  const ended: RevokedSession[] = []
  const failed: PitRefusal[] = []
  for (const sessionId of ids) {
    const done = terminal.progress(`Ending session ${sessionId}`)
    try {
      ended.push(await client.revokeSession({ sessionId, ...request }))
    } catch (error) {
      if (!isRefusal(error)) throw error
      failed.push(error)
    } finally {
      done()
    }
  }
  const [first] = failed
  if (!first || failed.length === 1) {
    if (first) throw first
    return ended
  }
  throw new PitRefusal(first.code, failed.map(({ message }) => message).join(' '), {
    retry: first.retry,
    ...(first.hint !== undefined && { hint: first.hint }),
    details: { live_roots: failed.flatMap(({ details }) => (details['live_roots'] as string[]) ?? []) },
  })
}

function showEnded(deps: CommandDeps, opened: Opened, ended: readonly RevokedSession[], all: boolean): void {
  const rows = ended.map(endedJson)
  show(deps, opened, all ? rows : rows[0], () =>
    ended.map((one) => table(endedRows(opened, one))).join('\n\n'),
  )
  const unproven = ended.filter(({ complete }) => !complete).map(({ sessionId }) => sessionId)
  if (unproven.length > 0)
    throw new PitRefusal(
      'REVOCATION_UNPROVEN',
      `The roots listed by the server are ended, but ${unproven.join(', ')} was not signed on this machine: ` +
        'the server may have omitted roots.',
      {
        retry: 'look_first',
        hint: 'Run this on the machine that granted the session, or list all of its roots with --root.',
      },
    )
}

const endedJson = (one: RevokedSession) => ({
  session_id: one.sessionId,
  status: 'revoked' as const,
  revoked_at: one.revoked?.revoked_at ?? null,
  signer_revoked: one.cosignerConfirmed,
  receipt: one.receipt,
  complete: one.complete,
  roots: one.roots,
  transactions: one.receipts.map(({ hash, block }) => ({ tx_hash: hash, block })),
  approvals: one.approvals,
})

function cosignerText({ receipt, cosignerConfirmed }: RevokedSession): string {
  if (receipt) return `stopped, confirmed by its receipt of ${timeText(receipt.at)}`
  return cosignerConfirmed ? 'stopped, according to the server; it has not confirmed itself' : 'not confirmed'
}

const endedRows = (opened: Opened, one: RevokedSession): [string, string][] => [
  ['session', one.sessionId],
  ['co-signer', cosignerText(one)],
  ...one.roots.map(({ hash, state }): [string, string] => ['root', `${hash} ${state}`]),
  ['transactions', one.receipts.map(({ hash }) => hash).join(', ') || 'none'],
  [
    'approvals left',
    one.approvals === null
      ? 'unknown; run pit revoke'
      : one.approvals.map((approval) => allowanceText(opened, approval)).join('; ') || 'none',
  ],
]

/** Sessions with their on-chain state, and the command that ends the active ones. */
export const stateRows = (sessions: readonly RecordedSession[]): [string, string][] =>
  sessions.map(({ session_id, state }) => [
    `session ${session_id}`,
    state === 'alive' ? `alive on chain; end it with: pit session revoke ${session_id}` : `${state} on chain`,
  ])
