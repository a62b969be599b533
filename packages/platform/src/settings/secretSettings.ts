import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readCredential, readOwnFile } from './ownFiles.ts'
import { StartRefused } from './startRefused.ts'

type Environment = Record<string, string | undefined>

/** Source of a secret; read on use, so that a config can be shown. */
export type SecretSetting =
  | { name: string; text: string }
  | {
      name: string
      file: string
      /** Whether it is a credential of the service manager (systemd's LoadCredential). */
      isCredential: boolean
    }

/**
 * A secret by name: the text in NAME, the file in NAME_FILE, or the file NAME among the credentials that
 * systemd passes to a unit. Null if none is set.
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

/** A file that is itself a secret, such as a private key, by the setting that names it; null if not set. */
export function secretFile(env: Environment, name: string): SecretSetting | null {
  const file = env[name]?.trim()
  return file ? ownFile(env, name, file) : null
}

function ownFile(env: Environment, name: string, file: string): SecretSetting {
  const folder = env['CREDENTIALS_DIRECTORY']?.trim()
  return { name, file, isCredential: Boolean(folder) && dirname(resolve(file)) === resolve(folder!) }
}

/** The text of a secret; messages never contain it. */
export function readSecretText(setting: SecretSetting): string {
  if ('text' in setting) return setting.text
  return (setting.isCredential ? readCredential : readOwnFile)(setting.name, setting.file)
}

/** The environment, with settings that may contain a password, such as a database URL, read from files. */
export function withSecretsRead(env: Environment, names: readonly string[]): Environment {
  const read = names.flatMap((name) => {
    const setting = secretSetting(env, name)
    return setting === null ? [] : [[name, readSecretText(setting)] as const]
  })
  return { ...env, ...Object.fromEntries(read) }
}
