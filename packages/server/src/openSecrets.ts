import { readFileSync } from 'node:fs'
import { type Config, ConfigError, type SecretSetting } from './config.ts'

/** The text of a secret; its value is never part of a message. */
export function readSecret(setting: SecretSetting): string {
  if ('text' in setting) return setting.text
  try {
    return readFileSync(setting.file, 'utf8').trim()
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code
    throw new ConfigError(`${setting.name} ${setting.file} cannot be read: ${why}`)
  }
}

/** Null where nothing is to be sealed. */
export function openSealKey(setting: Config['sealKey']): Uint8Array | null {
  if (setting === null) return null
  const text = readSecret(setting).replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new ConfigError(`${setting.name} is not 32 bytes of hex`)
  return Buffer.from(text, 'hex')
}

/** What the AI pool pays, in micro-dollars, and with which key. */
export function openAiTerms(ai: Config['ai']) {
  const micro = (usd: number): bigint => BigInt(Math.round(usd * 1e6))
  const poolKey = ai.poolKey === null ? null : readSecret(ai.poolKey)
  if (poolKey !== null && !/^[\x21-\x7e]{8,512}$/.test(poolKey)) {
    throw new ConfigError(`${ai.poolKey?.name} does not look like a key`)
  }
  return {
    poolKey,
    dayMicroUsd: micro(ai.poolUsdDay),
    liveShareMicroUsd: micro(ai.liveUsd),
    liveMinMicroUsd: micro(ai.liveMinUsd),
    trialShareMicroUsd: micro(ai.trialUsd),
    trialDays: ai.trialDays,
    trialsOpen: ai.trialsOpen,
    modelMaxOutputUsd: ai.modelUsd,
    ownDayMicroUsd: micro(ai.ownUsdDay),
  }
}
