import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromViem, isRefusal } from '@pit/client'
import { DAY_S, etherText, grouped } from '@pit/protocol'
import { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import { OWNER_VARIABLES } from '../client/account.ts'
import { failureOf, json, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { positive } from '../client/parse.ts'
import { agree, requireConfirmation } from '../client/show.ts'
import { ether, gasFor, sendEther } from './ether.ts'
import { grant, type TermFlags, termsOf, withConsent, withTerms } from './terms.ts'

interface RunFlags extends TermFlags {
  maxUsd: number
  gasEth?: bigint
}

const LASTS_S = 3_600
const MAX_LASTS_S = DAY_S
const MAX_TRADES = 20
/** The exit code shells use for a missing program. */
const NOT_FOUND = 127
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `pit session run --max-usd 50 -- node bot.js`: a session that lasts as long as one command. */
export const runCommand = (deps: CommandDeps): Command =>
  withConsent(
    withTerms(
      new Command('run').description('Run a command with its own session, which ends with the command.'),
      '1h',
    )
      .requiredOption('--max-usd <dollars>', 'Maximum total in USD', positive)
      .option('--max-trade-usd <dollars>', 'Maximum per trade in USD (default: --max-usd)', positive)
      .option('--gas-eth <ether>', 'ETH to send to its executor for gas (default: estimated)', ether)
      .argument('<command...>', 'Command to run, after --'),
  ).action(async (argv: string[], flags: RunFlags, command: Command) => {
    // The 24-hour limit covers the whole run only if the run is shorter than that.
    if ((flags.for ?? 0) > MAX_LASTS_S) throw new UsageRefused('--for must be at most 24h.')
    requireConfirmation(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    process.exitCode = await runIn(deps, opened, argv, flags)
  })

/** Grants a session, runs the command and always ends the session; returns the exit code. */
async function runIn(deps: CommandDeps, opened: Opened, argv: string[], flags: RunFlags): Promise<number> {
  const { terminal } = deps
  const key = `0x${randomBytes(32).toString('hex')}` as const
  const executor = fromViem(privateKeyToAccount(key))
  const run: Run = { deps, opened, executor, key, sessionId: null, isFunded: false }
  const stop = new AbortController()
  const watch = watchSignals(() => stop.abort(new Error('Interrupted; the command was not run.')))
  let exitCode = 0
  try {
    await begin(run, flags, stop.signal)
    stop.signal.throwIfAborted()
    exitCode = await runChild(childEnv(run), argv, watch)
  } finally {
    const failed = await end(run)
    watch.stop()
    // A session that may still trade is worse than a command that failed.
    if (failed !== null && exitCode === 0) exitCode = failed
    if (opened.options.json)
      terminal.data(json({ session_id: run.sessionId, executor: executor.address, exit_code: exitCode }))
  }
  return exitCode
}

interface Run {
  deps: CommandDeps
  opened: Opened
  executor: ReturnType<typeof fromViem>
  key: `0x${string}`
  sessionId: string | null
  isFunded: boolean
}

async function begin(run: Run, flags: RunFlags, signal: AbortSignal): Promise<void> {
  const { deps, opened, executor } = run
  const maxTrades = flags.maxTrades ?? MAX_TRADES
  const gasWei = flags.gasEth ?? (await gasFor(opened.rpc, maxTrades))
  const request = {
    expires_in_s: LASTS_S,
    ...termsOf({ ...flags, maxTradeUsd: flags.maxTradeUsd ?? flags.maxUsd, maxTrades }),
    max_day_usd: flags.maxUsd,
    executor: executor.address,
  }
  const gas = `${etherText(gasWei)} for gas`
  const bounds = `$${grouped(flags.maxUsd)} in total, ${maxTrades} trades, ${request.expires_in_s} s`
  const question = `Let a new executor trade (${bounds}), with ${gas}, while the command runs?`
  await agree(deps, question, flags.yes)
  run.isFunded = true
  // Before the grant: the wallet's authorization is signed for the nonce after this transfer.
  await sendEther(etherOf(opened, opened.account), { to: executor.address, valueWei: gasWei })
  deps.terminal.say(`Executor ${executor.address} funded with ${gas}.`)
  signal.throwIfAborted()
  const granted = await grant(deps, opened, request, { ...flags, yes: true }, signal).catch(
    (error: unknown) => {
      // The response was lost after signing: the session may be active, so end it too.
      if (isRefusal(error)) run.sessionId = (error.details['session_id'] as string | undefined) ?? null
      throw error
    },
  )
  run.sessionId = granted.terms.sessionId
}

const etherOf = ({ rpc, target }: Opened, account: Run['executor']) => ({
  account,
  rpc,
  chainId: target.profile.chain_id,
  sleep: (ms: number) => sleep(ms),
})

/** The child's environment: the executor's key and session, without access to the owner's key. */
function childEnv({ deps: { env }, opened: { target, client }, key, sessionId }: Run): NodeJS.ProcessEnv {
  const ownerKey = env['PIT_PRIVATE_KEY']?.trim().replace(/^0x/, '').toLowerCase()
  const isOwners = (name: string, value: string): boolean =>
    (OWNER_VARIABLES as readonly string[]).includes(name) ||
    (ownerKey !== undefined && ownerKey !== '' && value.toLowerCase().includes(ownerKey))
  const inherited = Object.entries(env).filter(
    ([name, value]) => value !== undefined && !isOwners(name, value),
  )
  return {
    ...Object.fromEntries(inherited),
    PIT_EXECUTOR_KEY: key,
    PIT_SESSION_ID: sessionId!,
    PIT_SESSION_WALLET: client.address,
    PIT_PROFILE: target.name,
    PIT_URL: target.url,
    ETH_RPC_URL: target.rpcUrl,
  }
}

interface Watch {
  /** Forwards a signal to the child. */
  child: ((signal: NodeJS.Signals) => void) | null
  stop(): void
}

/** From here on signals do not end this process before the session has ended. */
function watchSignals(onFirst: () => void): Watch {
  const watch: Watch = { child: null, stop: () => {} }
  const handlers = SIGNALS.map((signal) => {
    const handler = () => (watch.child ? watch.child(signal) : onFirst())
    process.on(signal, handler)
    return () => process.off(signal, handler)
  })
  watch.stop = () => {
    for (const off of handlers) off()
  }
  return watch
}

function runChild(env: NodeJS.ProcessEnv, [file, ...args]: string[], watch: Watch): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file!, args, { env, stdio: 'inherit' })
    // A terminal sends Ctrl-C to the child as well; forwarding it would deliver it twice.
    const isOurs = (signal: NodeJS.Signals) => signal !== 'SIGINT' || process.stdin.isTTY !== true
    watch.child = (signal) => {
      if (isOurs(signal)) child.kill(signal)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      watch.child = null
      if (error.code === 'ENOENT' || error.code === 'EACCES') {
        process.stderr.write(`${file}: ${error.code === 'ENOENT' ? 'not found' : 'not executable'}\n`)
        resolve(NOT_FOUND)
      } else reject(error)
    })
    child.once('exit', (code, signal) => {
      watch.child = null
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}

/** Ends the session and refunds the rest of the gas; returns the exit code of the first failure. */
async function end({
  deps: { terminal },
  opened,
  executor,
  sessionId,
  isFunded,
}: Run): Promise<number | null> {
  let failed: number | null = null
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => {
      const { exit, code, message } = failureOf(error)
      terminal.say(`${what} failed: ${code}: ${message}`)
      failed ??= exit
    })
  }
  if (sessionId !== null) {
    await attempt(`Ending session ${sessionId}`, async () => {
      const { approvals } = await opened.client.revokeSession({ sessionId })
      const left = [...new Set(approvals?.map(({ token }) => token))]
      if (left.length > 0)
        terminal.say(`Token approvals remain. Revoke them with: pit revoke ${left.join(' ')}`)
    })
    terminal.say(
      failed === null ? `Session ${sessionId} ended.` : `Run: pit session revoke ${sessionId} --yes`,
    )
  }
  if (isFunded)
    await attempt('Refunding the remaining gas', () =>
      sendEther(etherOf(opened, executor), { to: opened.account.address, valueWei: 'all' }),
    )
  return failed
}
