import { configDiffs, isRefusal } from '@pit/client'
import { type CountrySettings, examine, type Finding } from '@pit/doctor'
import { createRpc } from '@pit/platform/rpc'
import { type ChainProfile, ROUTES, trimEnd } from '@pit/protocol'
import { Command } from 'commander'
import { openAccount, openExecutor } from '../client/account.ts'
import { EXIT, failureOf, InputNeeded, json } from '../client/exit.ts'
import {
  accountDeps,
  type CommandDeps,
  globalsOf,
  type Opened,
  openFor,
  openReader,
} from '../client/openClient.ts'
import { readChainFile } from '../client/settings.ts'
import { headingOf } from '../client/show.ts'
import { table } from '../client/terminal.ts'

const MAX_SKEW_S = 30

interface DoctorOptions {
  chain?: string
}

/** `pit doctor`: checks everything a trade depends on and prints a fix for each failure. */
export const doctorCommand = (deps: CommandDeps): Command =>
  new Command('doctor')
    .description(
      'Check settings, keys, server, pins, your node and the chain profile, with a fix for each failure.',
    )
    .option('--chain <file>', 'Check only this chain profile, on its own node or --rpc-url')
    .action(async ({ chain }: DoctorOptions, command: Command) => {
      const findings =
        chain === undefined ? await checkAll(deps, command) : await checkFile(deps, command, chain)
      const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length
      if (globalsOf(command).json)
        deps.terminal.data(json({ ok: count('fail') === 0 && count('unknown') === 0, checks: findings }))
      else {
        const rows = findings.map(({ check, verdict, found, remedy }) => [
          check,
          verdict,
          found,
          remedy ?? '',
        ])
        deps.terminal.data(table([['check', 'result', 'found', 'fix'], ...rows]))
      }
      // A check that could not run neither passed nor failed: retry later.
      if (count('fail') > 0) process.exitCode = EXIT.failed
      else if (count('unknown') > 0) process.exitCode = EXIT.transient
    })

async function checkAll(deps: CommandDeps, command: Command): Promise<Finding[]> {
  const findings: Finding[] = []
  const opened = await checkSettings(deps, command, findings)
  await checkKeys(deps, command, opened, findings)
  if (!opened) return findings
  if (!globalsOf(command).json) deps.terminal.say(headingOf(opened.target, 'live'))
  const { profile, rpcUrl } = opened.target
  const [, , chain] = await Promise.all([
    checkServer(deps, opened, findings),
    checkNode(opened, findings),
    checkChain(deps, { profile, rpcUrl, country: null }),
  ])
  return [...findings, ...chain]
}

/** Checks one profile only, as an operator does before the first start. */
function checkFile(deps: CommandDeps, command: Command, file: string): Promise<Finding[]> {
  const profile = readChainFile(file)
  const rpcUrl = globalsOf(command).rpcUrl ?? deps.env['ETH_RPC_URL'] ?? profile.rpc_urls[0]
  if (!rpcUrl) throw new InputNeeded(`${file} has no node. Set --rpc-url.`)
  return checkChain(deps, { profile, rpcUrl, country: countrySettings(deps.env) })
}

/** As a server with this environment reads them outside a devnet. */
const countrySettings = (env: CommandDeps['env']): CountrySettings => ({
  geoDb: env['GEO_DB'] || null,
  geoHeader: env['GEO_HEADER'] || null,
  hasTrustedProxy: Boolean(env['TRUSTED_PROXIES']),
  isWaived: env['GEO'] === 'none',
})

async function checkChain(
  { nowMs }: Pick<CommandDeps, 'nowMs'>,
  { profile, rpcUrl, country }: { profile: ChainProfile; rpcUrl: string; country: CountrySettings | null },
): Promise<Finding[]> {
  const rpc = createRpc({ url: rpcUrl })
  const sequencer = profile.sequencer_url === null ? null : createRpc({ url: profile.sequencer_url })
  try {
    const wsUrl = profile.ws_url ?? rpcUrl.replace(/^http/, 'ws')
    return await examine({ profile, rpc, sequencer, wsUrl, sanctions: null, country, nowMs })
  } finally {
    rpc.close()
    sequencer?.close()
  }
}

const ok = (check: string, found: string): Finding => ({ check, verdict: 'ok', found, remedy: null })
const warning = (check: string, found: string, remedy: string): Finding => ({
  check,
  verdict: 'warn',
  found,
  remedy,
})
const failed = (check: string, found: string, remedy: string): Finding => ({
  check,
  verdict: 'fail',
  found,
  remedy,
})

/** Runs one check; an exception becomes a finding. */
async function run(findings: Finding[], check: string, fix: string, work: () => Promise<Finding> | Finding) {
  try {
    findings.push(await work())
  } catch (error) {
    const { message, fix: advice } = failureOf(error)
    findings.push(failed(check, message, isRefusal(error) ? advice : fix))
  }
}

async function checkSettings(
  deps: CommandDeps,
  command: Command,
  findings: Finding[],
): Promise<Opened | null> {
  let opened: Opened | null = null
  await run(findings, 'settings', 'Set --profile, or run npm start.', () => {
    opened = openReader(deps, command)
    const { name, url, rpcUrl } = opened.target
    return ok('settings', `profile ${name}, server ${url}, node ${rpcUrl}`)
  })
  return opened
}

async function checkKeys(deps: CommandDeps, command: Command, reader: Opened | null, findings: Finding[]) {
  const options = globalsOf(command)
  const { env } = deps
  let owner: string | null = null
  await run(findings, 'account', 'Create one with pit key new NAME, then use --account NAME.', async () => {
    const account = await openAccount(accountDeps(deps), options)
    owner = account.address
    if (!reader) return ok('account', account.address)
    const opened = openFor(deps, reader.target, options, account)
    if (opened.client.apiKey() === null)
      return warning(
        'account',
        `${account.address}, not signed in`,
        'None needed: commands sign in automatically.',
      )
    const { wallet, expires_at } = await opened.client.api['auth.me']()
    return wallet?.toLowerCase() === account.address
      ? ok(
          'account',
          `${account.address}, key until ${new Date(expires_at * 1000).toISOString().slice(0, 10)}`,
        )
      : failed('account', `the stored API key belongs to another wallet: ${wallet}`, 'Run pit login.')
  })
  const hasExecutor = [options.executorAccount, env['PIT_EXECUTOR_ACCOUNT'], env['PIT_EXECUTOR_KEY']].some(
    Boolean,
  )
  if (!hasExecutor) return
  await run(findings, 'executor', 'Set PIT_EXECUTOR_KEY or --executor-account.', async () => {
    const { address } = await openExecutor(accountDeps(deps), options)
    return address === owner
      ? failed('executor', 'same key as the owner', 'Use a separate key for the executor.')
      : ok('executor', address)
  })
}

async function checkServer({ nowMs }: CommandDeps, { client, target }: Opened, findings: Finding[]) {
  const fix = 'Start the server, or correct the URL in your profile.'
  await run(findings, 'server', fix, async () => {
    const { status, version } = await client.api.health()
    return status === 'ok'
      ? ok('server', `${status}, version ${version}`)
      : warning('server', status, 'Requests may fail for now; try again later.')
  })
  await run(findings, 'pins', 'Do not sign: this is not the server you pinned.', async () => {
    const diffs = configDiffs(client.pins, await client.api.config())
    if (diffs.length > 0)
      return failed('pins', `differ: ${diffs.join(', ')}`, 'Do not sign; find out whose server this is.')
    return client.pins.cosigner === null
      ? warning('pins', 'match; no co-signer is pinned', 'Pin the co-signer in the profile to use sessions.')
      : ok('pins', 'match, including the co-signer')
  })
  await run(findings, 'server’s clock', fix, async () => {
    const response = await fetch(`${trimEnd(target.url, '/')}${ROUTES.health.path}`)
    const saidMs = Date.parse(response.headers.get('date') ?? '')
    return skew('server’s clock', (nowMs() - saidMs) / 1000, 'Set this machine’s clock (NTP).')
  })
}

function skew(check: string, offS: number, fix: string): Finding {
  if (Number.isNaN(offS)) return warning(check, 'no time reported', fix)
  const skewText = `${Math.abs(offS).toFixed(0)} s ${offS >= 0 ? 'behind' : 'ahead of'} this machine’s`
  return Math.abs(offS) <= MAX_SKEW_S ? ok(check, skewText) : failed(check, skewText, fix)
}

/** Checks of the user's own node beyond those of the chain profile. */
async function checkNode({ rpc, client, target }: Opened, findings: Finding[]) {
  const { pins } = client
  const fix = 'Use another node with --rpc-url.'
  await run(findings, 'your node', fix, async () => {
    const [chainId] = await rpc.all([{ method: 'eth_chainId', params: [] }])
    if (chainId instanceof Error) return failed('your node', chainId.message, fix)
    const id = Number(chainId)
    return id === pins.profile.chain_id
      ? ok('your node', `${target.rpcUrl}, chain ${id}`)
      : failed('your node', `wrong chain: ${id} instead of ${pins.profile.chain_id}`, fix)
  })
}
