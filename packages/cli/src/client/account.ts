import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import { type Account, fromViem } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'
import { type Keystore, openKey } from '../keys/keystore.ts'
import { InputNeeded, UsageRefused } from './exit.ts'
import type { GlobalOptions } from './settings.ts'

export interface AccountDeps {
  env: Record<string, string | undefined>
  /** Prompts without echo; null without a terminal. */
  askSecret: ((question: string) => Promise<string>) | null
}

/** Variables that give access to the owner's key; removed from the environment of an executor's command. */
export const OWNER_VARIABLES = [
  'PIT_PRIVATE_KEY',
  'ETH_KEYSTORE_ACCOUNT',
  'ETH_KEYSTORE',
  'ETH_PASSWORD',
] as const

/** foundry's folder, so that keys are shared with `cast wallet import`. */
export const keystoreFolder = (env: AccountDeps['env']): string =>
  env['ETH_KEYSTORE'] ?? join(homedir(), '.foundry', 'keystores')

/** The account a command signs with: --account, ETH_KEYSTORE_ACCOUNT, --key-stdin or PIT_PRIVATE_KEY. */
export async function openAccount(
  deps: AccountDeps,
  { account, keyStdin = false }: Pick<GlobalOptions, 'account' | 'keyStdin'>,
): Promise<Account> {
  const { env } = deps
  if (keyStdin) return ofKey(asKey(readFileSync(0, 'utf8'), 'The text on stdin'))
  const keystore = account ?? env['ETH_KEYSTORE_ACCOUNT']
  if (keystore !== undefined) return ofKey(await unlock(deps, keystore, env['ETH_PASSWORD']))
  const key = env['PIT_PRIVATE_KEY']
  if (key === undefined)
    throw new InputNeeded(
      'No account. Use --account NAME (see pit key new), or set PIT_PRIVATE_KEY: on a devnet, to the test key that ' +
        'pit devnet printed.',
    )
  return ofKey(asKey(key, 'PIT_PRIVATE_KEY'))
}

/** The account that trades inside a session: --executor-account or PIT_EXECUTOR_KEY; never the owner's. */
export async function openExecutor(
  deps: AccountDeps,
  { executorAccount }: Pick<GlobalOptions, 'executorAccount'>,
): Promise<Account> {
  const { env } = deps
  const keystore = executorAccount ?? env['PIT_EXECUTOR_ACCOUNT']
  const passwordFile = env['PIT_EXECUTOR_PASSWORD'] ?? env['ETH_PASSWORD']
  if (keystore !== undefined) return ofKey(await unlock(deps, keystore, passwordFile))
  const key = env['PIT_EXECUTOR_KEY']
  if (key === undefined)
    throw new InputNeeded('No executor. Use --executor-account NAME, or set PIT_EXECUTOR_KEY.')
  return ofKey(asKey(key, 'PIT_EXECUTOR_KEY'))
}

/** A read-only process cannot be tricked into signing: its account refuses everything but sign-in. */
export function onlySignsIn({ address, signMessage }: Account, message: string): Account {
  const refuse = async () => {
    throw new UsageRefused(message)
  }
  return { address, signMessage, signTypedData: refuse, signTransaction: refuse }
}

const ofKey = (key: Hex): Account => fromViem(privateKeyToAccount(key))

async function unlock(
  { env, askSecret }: AccountDeps,
  name: string,
  passwordFile: string | undefined,
): Promise<Hex> {
  const file = keystoreFile(env, name)
  const keystore = readKeystore(
    file,
    readText(file, `Keystore "${name}" not found. Create it with pit key import ${name}.`),
  )
  const password =
    passwordFile === undefined ? await ask(askSecret, `Password for ${name}: `) : readPassword(passwordFile)
  const key = await openKey(keystore, password)
  if (key === undefined) throw new UsageRefused(`Wrong password for "${name}".`)
  return key
}

export function keystoreFile(env: AccountDeps['env'], name: string): string {
  if (!/^[\w-][\w.-]*$/.test(name)) throw new UsageRefused(`"${name}" is not a valid keystore name.`)
  return join(keystoreFolder(env), name)
}

function readKeystore(file: string, text: string): Keystore {
  try {
    return JSON.parse(text) as Keystore
  } catch {
    throw new UsageRefused(`${file} is not a keystore.`)
  }
}

/** The password in the file that ETH_PASSWORD names, as foundry reads it. */
export const readPassword = (file: string): string =>
  readText(file, 'The password file cannot be read').replace(/\r?\n$/, '')

function ask(askSecret: AccountDeps['askSecret'], question: string): Promise<string> {
  if (askSecret === null)
    throw new InputNeeded(
      'No terminal to read the password from. Set ETH_PASSWORD to a file with the password.',
    )
  return askSecret(question)
}

export function asKey(text: string, what: string): Hex {
  const digits = text.trim().replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new UsageRefused(`${what} is not a private key of 64 hex digits.`)
  return `0x${digits}`
}

function readText(file: string, why: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new InputNeeded(`${why}.`)
  }
}
