import { type Account, createClient, fromSign, type PitClient, type Rpc, rpcAt } from '@pit/client'
import type { Command } from 'commander'
import { type AccountDeps, openAccount, openExecutor } from './account.ts'
import { InputNeeded } from './exit.ts'
import { openRecordFiles, recordFolder } from './recordFiles.ts'
import { type GlobalOptions, type KeyFile, openKeyFile, readTarget, type Target } from './settings.ts'
import type { Terminal } from './terminal.ts'

export interface CommandDeps {
  env: Record<string, string | undefined>
  terminal: Terminal
  nowMs(): number
}

export interface Opened {
  client: PitClient
  account: Account
  /** The node used for verification. */
  rpc: Rpc
  target: Target
  keys: KeyFile
  options: GlobalOptions
}

export const globalsOf = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>()

/** Dependencies of opening an account; prompts for secrets need a terminal. */
export const accountDeps = ({ env, terminal }: CommandDeps): AccountDeps => ({
  env,
  askSecret: terminal.isInteractive ? terminal.askSecret : null,
})

/** A client for the command's account and profile, with its stored API key if there is one. */
export async function openClient(deps: CommandDeps, command: Command): Promise<Opened> {
  const options = globalsOf(command)
  const target = readTarget(options, deps.env)
  return openFor(deps, target, options, await openAccount(accountDeps(deps), options))
}

/** A client for public reads; it cannot sign. */
export function openReader(deps: CommandDeps, command: Command): Opened {
  const options = globalsOf(command)
  return openFor(deps, readTarget(options, deps.env), options, NOBODY)
}

const NOBODY: Account = fromSign(`0x${'0'.repeat(40)}`, () =>
  Promise.reject(new InputNeeded('This command has no account to sign with.')),
)

/** A client for the command's account; signs in first if there is no API key yet. */
export async function openSignedIn(deps: CommandDeps, command: Command): Promise<Opened> {
  return signedIn(deps, await openClient(deps, command))
}

/** A client for the executor's account, signed in. */
export async function openAsExecutor(deps: CommandDeps, command: Command): Promise<Opened> {
  const options = globalsOf(command)
  const target = readTarget(options, deps.env)
  const account = await openExecutor(accountDeps(deps), options)
  return signedIn(deps, openFor(deps, target, options, account))
}

export function openFor(
  { env, nowMs }: CommandDeps,
  target: Target,
  options: GlobalOptions,
  account: Account,
): Opened {
  const keys = openKeyFile(env, () => Math.floor(nowMs() / 1000))
  const apiKey = keys.read(target, account.address)
  const rpc = rpcAt(target.rpcUrl)
  const client = createClient({
    url: target.url,
    domain: target.domain,
    profile: target.profile,
    account,
    rpc,
    records: openRecordFiles(recordFolder(env, target)),
    nowMs,
    ...(apiKey !== undefined && { apiKey }),
  })
  return { client, account, rpc, target, keys, options }
}

async function signedIn(deps: CommandDeps, opened: Opened): Promise<Opened> {
  if (opened.client.apiKey() === null) await logIn(deps, opened)
  return opened
}

export async function logIn({ terminal }: CommandDeps, { client, target, keys }: Opened) {
  const done = terminal.progress(`Signing in to ${target.domain} as ${client.address}`)
  try {
    const answer = await client.signIn()
    keys.write(target, client.address, answer)
    return answer
  } finally {
    done()
  }
}
