import { createClient, type PitClient, rpcAt } from '@pit/client'
import type { Command } from 'commander'
import { openAccount } from './account.ts'
import { type GlobalOptions, type KeyFile, openKeyFile, readTarget, type Target } from './settings.ts'
import type { Terminal } from './terminal.ts'

export interface CommandDeps {
  env: Record<string, string | undefined>
  terminal: Terminal
  nowMs(): number
}

export interface Opened {
  client: PitClient
  target: Target
  keys: KeyFile
  options: GlobalOptions
}

export const globalsOf = (command: Command): GlobalOptions => command.optsWithGlobals<GlobalOptions>()

/** A client for the account and profile of a command, signed in where it was before. */
export async function openClient({ env, terminal, nowMs }: CommandDeps, command: Command): Promise<Opened> {
  const options = globalsOf(command)
  const target = readTarget(options, env)
  const askSecret = terminal.isInteractive ? terminal.askSecret : null
  const account = await openAccount({ env, askSecret }, options.account)
  const keys = openKeyFile(env, () => Math.floor(nowMs() / 1000))
  const apiKey = keys.read(target.url, account.address)
  const client = createClient({
    url: target.url,
    domain: target.domain,
    profile: target.profile,
    account,
    rpc: rpcAt(target.rpcUrl),
    nowMs,
    ...(apiKey !== undefined && { apiKey }),
  })
  return { client, target, keys, options }
}

/** The same, signing in first where there is no key yet. */
export async function openSignedIn(deps: CommandDeps, command: Command): Promise<Opened> {
  const opened = await openClient(deps, command)
  if (opened.client.apiKey() === null) await logIn(deps, opened)
  return opened
}

export async function logIn({ terminal }: CommandDeps, { client, target, keys }: Opened) {
  const done = terminal.progress(`Signing in to ${target.domain} as ${client.address}`)
  try {
    const answer = await client.signIn()
    keys.write(target.url, client.address, answer)
    return answer
  } finally {
    done()
  }
}
