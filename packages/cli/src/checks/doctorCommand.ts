import { configDiffs, isRefusal } from '@pit/client'
import { type CountrySettings, examine, type Finding } from '@pit/platform/doctor'
import { createRpc } from '@pit/platform/rpc'
import { type ChainProfile, ROUTES } from '@pit/protocol'
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

/** `pit doctor`: everything a trade stands on, each with what to do where it does not hold. */
export const doctorCommand = (deps: CommandDeps): Command =>
  new Command('doctor')
    .description(
      'Check settings, keys, server, pins, your node and the chain’s profile, each with what to do.',
    )
    .option('--chain <file>', 'only this chain profile, at its own node or --rpc-url')
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
        deps.terminal.data(table([['check', 'verdict', 'found', 'what to do'], ...rows]))
      }
      // What nobody could look at is neither well nor wrong: ask again.
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

/** One profile and nothing else: what an operator does before the first start. */
function checkFile(deps: CommandDeps, command: Command, file: string): Promise<Finding[]> {
  const profile = readChainFile(file)
  const rpcUrl = globalsOf(command).rpcUrl ?? deps.env['ETH_RPC_URL'] ?? profile.rpc_urls[0]
  if (!rpcUrl) throw new InputNeeded(`${file} names no node: give --rpc-url.`)
  return checkChain(deps, { profile, rpcUrl, country: countrySettings(deps.env) })
}

/** As a server with this environment would read them off a devnet. */
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

/** Runs one check; whatever it throws is a finding too. */
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
  await run(findings, 'settings', 'Name a profile with --profile, or run npm start.', () => {
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
  await run(findings, 'account', 'Make one with pit key new NAME and give --account NAME.', async () => {
    const account = await openAccount(accountDeps(deps), options)
    owner = account.address
    if (!reader) return ok('account', account.address)
    const opened = openFor(deps, reader.target, options, account)
    if (opened.client.apiKey() === null)
      return warning('account', `${account.address}, not signed in`, 'Nothing; commands sign in themselves.')
    const { wallet, expires_at } = await opened.client.api['auth.me']()
    return wallet?.toLowerCase() === account.address
      ? ok(
          'account',
          `${account.address}, key until ${new Date(expires_at * 1000).toISOString().slice(0, 10)}`,
        )
      : failed('account', `the stored key is another wallet’s: ${wallet}`, 'Run pit login.')
  })
  const hasExecutor = [options.executorAccount, env['PIT_EXECUTOR_ACCOUNT'], env['PIT_EXECUTOR_KEY']].some(
    Boolean,
  )
  if (!hasExecutor) return
  await run(findings, 'executor', 'Set PIT_EXECUTOR_KEY or --executor-account.', async () => {
    const { address } = await openExecutor(accountDeps(deps), options)
    return address === owner
      ? failed('executor', 'it is the owner’s own key', 'Give the executor a key of its own.')
      : ok('executor', address)
  })
}

async function checkServer({ nowMs }: CommandDeps, { client, target }: Opened, findings: Finding[]) {
  const fix = 'Start it, or correct the url of your profile.'
  await run(findings, 'server', fix, async () => {
    const { status, version } = await client.api.health()
    return status === 'ok'
      ? ok('server', `${status}, version ${version}`)
      : warning('server', status, 'Reads may be refused for a while; try again later.')
  })
  await run(findings, 'pins', 'Sign nothing: the server is not the one you pinned.', async () => {
    const diffs = configDiffs(client.pins, await client.api.config())
    if (diffs.length > 0)
      return failed('pins', `differ: ${diffs.join(', ')}`, 'Sign nothing; see whose server this is.')
    return client.pins.cosigner === null
      ? warning('pins', 'agree; no co-signer is pinned', 'Pin it in the profile to use sessions.')
      : ok('pins', 'agree, co-signer too')
  })
  await run(findings, 'server’s clock', fix, async () => {
    const response = await fetch(`${target.url.replace(/\/+$/, '')}${ROUTES.health.path}`)
    const saidMs = Date.parse(response.headers.get('date') ?? '')
    return skew('server’s clock', (nowMs() - saidMs) / 1000, 'Set this machine’s clock (NTP).')
  })
}

function skew(check: string, offS: number, fix: string): Finding {
  if (Number.isNaN(offS)) return warning(check, 'it tells no time', fix)
  const found = `${Math.abs(offS).toFixed(0)} s ${offS >= 0 ? 'behind' : 'ahead of'} this machine’s`
  return Math.abs(offS) <= MAX_SKEW_S ? ok(check, found) : failed(check, found, fix)
}

/** What of a client's own node the chain's examination does not say. */
async function checkNode({ rpc, client, target }: Opened, findings: Finding[]) {
  const { pins } = client
  const fix = 'Give another node with --rpc-url.'
  await run(findings, 'your node', fix, async () => {
    const [chainId] = await rpc.all([{ method: 'eth_chainId', params: [] }])
    if (chainId instanceof Error) return failed('your node', chainId.message, fix)
    const id = Number(chainId)
    return id === pins.profile.chain_id
      ? ok('your node', `${target.rpcUrl}, chain ${id}`)
      : failed('your node', `it is of chain ${id}, not ${pins.profile.chain_id}`, fix)
  })
}
