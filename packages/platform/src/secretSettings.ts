import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartRefused } from './checkChain.ts'
import { readCredential, readOwnFile } from './ownFiles.ts'

type Environment = Record<string, string | undefined>

/** Where a secret is; read when it is needed, so that a config can be shown. */
export type SecretSetting =
  | { name: string; text: string }
  | {
      name: string
      file: string
      /** Whether the service manager put it there (systemd's LoadCredential). */
      isCredential: boolean
    }

/**
 * A secret by its name: its text in NAME, its file in NAME_FILE, or the file NAME among the credentials that
 * systemd hands a unit. Null for none of them.
 */
export function secretSetting(env: Environment, name: string): SecretSetting | null {
  const fileName = `${name}_FILE`
  const [text, file] = [env[name]?.trim(), env[fileName]?.trim()]
  if (text && file) throw new StartRefused(`${name} and ${fileName} are both set: use one`)
  if (text) return { name, text }
  if (file) return ownFile(env, fileName, file)
  const folder = env['CREDENTIALS_DIRECTORY']?.trim()
  const handed = folder ? join(folder, name) : null
  return handed !== null && existsSync(handed) ? { name, file: handed, isCredential: true } : null
}

/** A file that is a secret itself, such as a private key, by the setting that names it; null for none. */
export function secretFile(env: Environment, name: string): SecretSetting | null {
  const file = env[name]?.trim()
  return file ? ownFile(env, name, file) : null
}

function ownFile(env: Environment, name: string, file: string): SecretSetting {
  const folder = env['CREDENTIALS_DIRECTORY']?.trim()
  return { name, file, isCredential: Boolean(folder) && dirname(resolve(file)) === resolve(folder!) }
}

/** The text of a secret; its value is never part of a message. */
export function readSecretText(setting: SecretSetting): string {
  if ('text' in setting) return setting.text
  return (setting.isCredential ? readCredential : readOwnFile)(setting.name, setting.file)
}

/** The environment with settings that may hold a password, such as a database's address, read from files. */
export function withSecretsRead(env: Environment, names: readonly string[]): Environment {
  const read = names.flatMap((name) => {
    const setting = secretSetting(env, name)
    return setting === null ? [] : [[name, readSecretText(setting)] as const]
  })
  return { ...env, ...Object.fromEntries(read) }
}
