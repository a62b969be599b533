import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from '@pit/chain'
import { type Account, fromViem } from '@pit/client'
import { privateKeyToAccount } from 'viem/accounts'
import { type Keystore, openKey } from '../keys/keystore.ts'
import { InputNeeded, UsageRefused } from './exit.ts'

export interface AccountDeps {
  env: Record<string, string | undefined>
  /** Asks at the terminal without showing what is typed; null where there is no terminal. */
  askSecret: ((question: string) => Promise<string>) | null
}

/** foundry's folder, so that `cast wallet import` and `pit key import` share their keys. */
export const keystoreFolder = (env: AccountDeps['env']): string =>
  env['ETH_KEYSTORE'] ?? join(homedir(), '.foundry', 'keystores')

/** The account a command signs with: --account, ETH_KEYSTORE_ACCOUNT, or PIT_PRIVATE_KEY. */
export async function openAccount(
  { env, askSecret }: AccountDeps,
  name: string | undefined,
): Promise<Account> {
  const keystore = name ?? env['ETH_KEYSTORE_ACCOUNT']
  if (keystore !== undefined) return fromViem(privateKeyToAccount(await unlock({ env, askSecret }, keystore)))
  const key = env['PIT_PRIVATE_KEY']
  if (key === undefined)
    throw new InputNeeded('No account: give --account NAME (see pit key new), or set PIT_PRIVATE_KEY.')
  return fromViem(privateKeyToAccount(asKey(key, 'PIT_PRIVATE_KEY')))
}

async function unlock({ env, askSecret }: AccountDeps, name: string): Promise<Hex> {
  if (!/^[\w.-]+$/.test(name)) throw new UsageRefused(`${name} is no keystore’s name.`)
  const file = join(keystoreFolder(env), name)
  const keystore = JSON.parse(
    readText(file, `There is no keystore ${name}: pit key import ${name}`),
  ) as Keystore
  const passwordFile = env['ETH_PASSWORD']
  const password =
    passwordFile === undefined
      ? await ask(askSecret, `Password of ${name}: `)
      : readText(passwordFile, 'ETH_PASSWORD names no file').replace(/\r?\n$/, '')
  const key = await openKey(keystore, password)
  if (key === undefined) throw new UsageRefused(`The password of ${name} is another.`)
  return key
}

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
