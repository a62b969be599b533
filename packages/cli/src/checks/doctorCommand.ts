import { configDiffs } from '@pit/client'
import { ROUTES } from '@pit/protocol'
import { Command } from 'commander'
import { openAccount, openExecutor } from '../client/account.ts'
import { EXIT, failureOf, json } from '../client/exit.ts'
import {
  accountDeps,
  type CommandDeps,
  globalsOf,
  type Opened,
  openFor,
  openReader,
} from '../client/openClient.ts'
import { headingOf } from '../client/show.ts'
import { table } from '../client/terminal.ts'

interface Finding {
  check: string
  status: 'ok' | 'warning' | 'failed'
  /** What was found. */
  found: string
  /** What to do; null where nothing is. */
  fix: string | null
}

const MAX_SKEW_S = 30

/** `pit doctor`: everything a trade stands on, each with what to do where it does not hold. */
export const doctorCommand = (deps: CommandDeps): Command =>
  new Command('doctor')
    .description('Check settings, keys, server, pins, your node and the clock, each with what to do.')
    .action(async (_options: object, command: Command) => {
      const findings: Finding[] = []
      const opened = await checkSettings(deps, command, findings)
      await checkKeys(deps, command, opened, findings)
      if (opened) await checkServer(deps, opened, findings)
      if (opened) await checkNode(deps, opened, findings)
      const isWell = findings.every(({ status }) => status !== 'failed')
      if (globalsOf(command).json) deps.terminal.data(json({ ok: isWell, checks: findings }))
      else {
        if (opened) deps.terminal.say(headingOf(opened.target, 'live'))
        const rows = findings.map(({ check, status, found, fix }) => [check, status, found, fix ?? ''])
        deps.terminal.data(table([['check', 'status', 'found', 'what to do'], ...rows]))
      }
      if (!isWell) process.exitCode = EXIT.failed
    })

const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found, fix: null })
const warning = (check: string, found: string, fix: string): Finding => ({
  check,
  status: 'warning',
  found,
  fix,
})
const failed = (check: string, found: string, fix: string): Finding => ({
  check,
  status: 'failed',
  found,
  fix,
})

/** Runs one check; whatever it throws is a finding too. */
async function run(findings: Finding[], check: string, fix: string, work: () => Promise<Finding> | Finding) {
  try {
    findings.push(await work())
  } catch (error) {
    const { message, fix: advice } = failureOf(error)
    findings.push(failed(check, message, advice ?? fix))
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

async function checkNode({ nowMs }: CommandDeps, { rpc, client, target }: Opened, findings: Finding[]) {
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
  await run(findings, 'contracts', fix, async () => {
    const [code] = await rpc.all([{ method: 'eth_getCode', params: [pins.router, 'latest'] }])
    return typeof code === 'string' && code.length > 2
      ? ok('contracts', `the router is at ${pins.router}`)
      : failed(
          'contracts',
          `there is nothing at ${pins.router}`,
          'Your pins are of another chain: correct them.',
        )
  })
  await run(findings, 'eth_simulateV1', fix, async () => {
    const call = { to: pins.multicall3, data: '0x' }
    const [tried] = await rpc.all([
      { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls: [call] }] }, 'latest'] },
    ])
    return tried instanceof Error
      ? warning(
          'eth_simulateV1',
          tried.message,
          'Use a node that has it: trades are tried on it before you sign.',
        )
      : ok('eth_simulateV1', 'trades are tried on your own node')
  })
  await run(findings, 'chain’s clock', fix, async () => {
    const [block] = await rpc.all([{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
    if (block instanceof Error) return failed('chain’s clock', block.message, fix)
    const { timestamp } = block as { timestamp: string }
    return skew(
      'chain’s clock',
      nowMs() / 1000 - Number(timestamp),
      'Your node is behind: wait, or use another.',
    )
  })
}
