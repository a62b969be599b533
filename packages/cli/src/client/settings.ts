import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { ChainProfile } from '@pit/protocol'
import { Value } from '@sinclair/typebox/value'
import { InputNeeded, UsageRefused } from './exit.ts'

/** The server of a command, and the profile and node used to verify it. */
export interface Target {
  name: string
  url: string
  profile: ChainProfile
  rpcUrl: string
  /** The domain that sign-in messages must contain. */
  domain: string
}

export interface GlobalOptions {
  profile?: string
  url?: string
  rpcUrl?: string
  account?: string
  keyStdin?: boolean
  executorAccount?: string
  json?: boolean
}

type Environment = Record<string, string | undefined>

/** One named profile of the file. */
interface Named {
  url: string
  /** Path of the chain profile. */
  chain: string
  rpc_url?: string
  domain?: string
  /** Pinned in addition to the chain's addresses. */
  cosigner?: string
}

const DEVNET = 'devnet'

export const configHome = (env: Environment): string =>
  env['PIT_HOME'] ?? join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'pit')

/** The profile of --profile, PIT_PROFILE or the file; by default the devnet of the working directory. */
export function readTarget(options: GlobalOptions, env: Environment): Target {
  const name = options.profile ?? env['PIT_PROFILE'] ?? DEVNET
  const named = readNamed(env)[name] ?? (name === DEVNET ? devnet(env) : undefined)
  if (!named)
    throw new UsageRefused(`Profile "${name}" not found in ${join(configHome(env), 'profiles.json')}.`)
  const url = options.url ?? env['PIT_URL'] ?? named.url
  const profile = readChain(named.chain, name)
  const rpcUrl = options.rpcUrl ?? env['ETH_RPC_URL'] ?? named.rpc_url ?? profile.rpc_urls[0]
  if (!rpcUrl)
    throw new InputNeeded(`Profile ${name} has no node, which is needed to verify trades. Set --rpc-url.`)
  return {
    name,
    url,
    rpcUrl,
    profile: { ...profile, cosigner: named.cosigner ?? profile.cosigner },
    domain: named.domain ?? new URL(url).host,
  }
}

const devnet = (env: Environment): Named => ({
  url: 'http://127.0.0.1:4663',
  chain: join(env['DATA_DIR'] ?? '.pit', 'pins.json'),
  domain: 'localhost',
})

function readNamed(env: Environment): Record<string, Named> {
  const file = join(configHome(env), 'profiles.json')
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Named>
  } catch {
    throw new UsageRefused(`${file} is not valid JSON.`)
  }
}

function readChain(file: string, name: string): ChainProfile {
  if (!existsSync(file))
    throw new InputNeeded(
      name === DEVNET
        ? `No devnet found (${file}). Start one here with pit devnet (npx @pit/cli devnet), go to the folder of one, or choose ` +
            'a profile with --profile.'
        : `Profile ${name} refers to ${file}, which does not exist.`,
    )
  return readChainFile(file)
}

export function readChainFile(file: string): ChainProfile {
  if (!existsSync(file)) throw new InputNeeded(`${file} does not exist.`)
  let profile: unknown
  try {
    profile = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new UsageRefused(`${file} is not valid JSON.`)
  }
  if (Value.Check(ChainProfile, profile)) return profile
  throw new UsageRefused(
    `${file} is not a chain profile: ${Value.Errors(ChainProfile, profile).First()?.path}`,
  )
}

/** API keys by server and wallet, in a file only its owner can read. */
export interface KeyFile {
  read(server: Server, wallet: string): string | undefined
  write(server: Server, wallet: string, key: { api_key: string; expires_at: number }): void
}
type Server = Pick<Target, 'url' | 'profile'>

/** A recreated devnet has a new co-signer and none of the old API keys. */
const nameOf = ({ url, profile: { kind, cosigner } }: Server, wallet: string): string =>
  [url, ...(kind === 'devnet' && cosigner !== null ? [cosigner.toLowerCase()] : []), wallet].join(' ')

export function openKeyFile(env: Environment, nowS: () => number): KeyFile {
  const file = join(configHome(env), 'keys.json')
  const all = (): Record<string, { api_key: string; expires_at: number }> =>
    existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return {
    read(server, wallet) {
      const stored = all()[nameOf(server, wallet)]
      return stored && stored.expires_at > nowS() + 60 ? stored.api_key : undefined
    },
    write(server, wallet, { api_key, expires_at }) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const draft = `${file}.${process.pid}`
      const unexpired = Object.entries(all()).filter(([, key]) => key.expires_at > nowS())
      const keys = { ...Object.fromEntries(unexpired), [nameOf(server, wallet)]: { api_key, expires_at } }
      writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
      chmodSync(draft, 0o600)
      renameSync(draft, file)
    },
  }
}
