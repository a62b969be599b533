import { readFileSync } from 'node:fs'
import { ConfigError, type SecretSetting } from '../config.ts'

/** The secret itself; too short a one stops the start. */
export function readSecret(setting: SecretSetting, { leastChars }: { leastChars: number }): string {
  const text = 'text' in setting ? setting.text : readText(setting)
  if (text.length >= leastChars) return text
  throw new ConfigError(`${setting.name} is too short: use at least ${leastChars} characters`)
}

function readText({ name, file }: { name: string; file: string }): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new ConfigError(`${name} ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
