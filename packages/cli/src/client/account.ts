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
  /** Asks at the terminal without showing what is typed; null where there is no terminal. */
  askSecret: ((question: string) => Promise<string>) | null
}

/** Variables through which an owner's key can be reached; a command that is run for an executor sees none. */
export const OWNER_VARIABLES = [
  'PIT_PRIVATE_KEY',
  'ETH_KEYSTORE_ACCOUNT',
  'ETH_KEYSTORE',
  'ETH_PASSWORD',
] as const

/** foundry's folder, so that `cast wallet import` and `pit key import` share their keys. */
export const keystoreFolder = (env: AccountDeps['env']): string =>
  env['ETH_KEYSTORE'] ?? join(homedir(), '.foundry', 'keystores')

/** The account a command signs with: --account, ETH_KEYSTORE_ACCOUNT, --key-stdin or PIT_PRIVATE_KEY. */
export async function openAccount(
  deps: AccountDeps,
  { account, keyStdin = false }: Pick<GlobalOptions, 'account' | 'keyStdin'>,
): Promise<Account> {
  const { env } = deps
  if (keyStdin) return ofKey(asKey(readFileSync(0, 'utf8'), 'What came on stdin'))
  const keystore = account ?? env['ETH_KEYSTORE_ACCOUNT']
  if (keystore !== undefined) return ofKey(await unlock(deps, keystore, env['ETH_PASSWORD']))
  const key = env['PIT_PRIVATE_KEY']
  if (key === undefined)
    throw new InputNeeded('No account: give --account NAME (see pit key new), or set PIT_PRIVATE_KEY.')
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
    throw new InputNeeded('No executor: give --executor-account NAME, or set PIT_EXECUTOR_KEY.')
  return ofKey(asKey(key, 'PIT_EXECUTOR_KEY'))
}

const ofKey = (key: Hex): Account => fromViem(privateKeyToAccount(key))

async function unlock(
  { env, askSecret }: AccountDeps,
  name: string,
  passwordFile: string | undefined,
): Promise<Hex> {
  const file = keystoreFile(env, name)
  const keystore = readKeystore(file, readText(file, `There is no keystore ${name}: pit key import ${name}`))
  const password =
    passwordFile === undefined ? await ask(askSecret, `Password of ${name}: `) : readPassword(passwordFile)
  const key = await openKey(keystore, password)
  if (key === undefined) throw new UsageRefused(`The password of ${name} is another.`)
  return key
}

export function keystoreFile(env: AccountDeps['env'], name: string): string {
  if (!/^[\w-][\w.-]*$/.test(name)) throw new UsageRefused(`${name} is no keystore’s name.`)
  return join(keystoreFolder(env), name)
}

function readKeystore(file: string, text: string): Keystore {
  try {
    return JSON.parse(text) as Keystore
  } catch {
    throw new UsageRefused(`${file} is no keystore.`)
  }
}

/** The password in the file that ETH_PASSWORD names, as foundry reads it. */
export const readPassword = (file: string): string =>
  readText(file, 'The password’s file cannot be read').replace(/\r?\n$/, '')

function ask(askSecret: AccountDeps['askSecret'], question: string): Promise<string> {
  if (askSecret === null)
    throw new InputNeeded('No terminal to ask at: set ETH_PASSWORD to a file with the password.')
  return askSecret(question)
}

export function asKey(text: string, what: string): Hex {
  const digits = text.trim().replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new UsageRefused(`${what} is no private key of 64 hex digits.`)
  return `0x${digits}`
}

function readText(file: string, why: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new InputNeeded(`${why}.`)
  }
}
