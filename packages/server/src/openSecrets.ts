import type { Clock } from '@pit/platform/clock'
import { readOwnFile } from '@pit/platform/ownFiles'
import { createSignerClient, type SignerClient } from '@pit/platform/signerClient'
import { microUsdDown, microUsdUp } from '@pit/protocol'
import { type Config, ConfigError, type SecretSetting } from './config.ts'

const MIN_SIGNER_SECRET_CHARS = 32

/** The text of a secret; its value is never part of a message. */
export const readSecret = (setting: SecretSetting): string =>
  'text' in setting ? setting.text : readOwnFile(setting.name, setting.file)

/** The way to the signing process; null where there is none. */
export function openSigner(signer: Config['signer'], clock: Clock): SignerClient | null {
  if (signer === null) return null
  const { url, secret: setting } = signer
  const secret = readSecret(setting)
  if (secret.length < MIN_SIGNER_SECRET_CHARS) {
    throw new ConfigError(`${setting.name} is too short: use at least ${MIN_SIGNER_SECRET_CHARS} characters`)
  }
  return createSignerClient({ url, secret, clock })
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
  const poolKey = ai.poolKey === null ? null : readSecret(ai.poolKey)
  if (poolKey !== null && !/^[\x21-\x7e]{8,512}$/.test(poolKey)) {
    throw new ConfigError(`${ai.poolKey?.name} does not look like a key`)
  }
  return {
    poolKey,
    dayMicroUsd: microUsdDown(ai.poolUsdDay),
    livePct: ai.livePct,
    liveShareMicroUsd: microUsdDown(ai.liveUsd),
    liveMinMicroUsd: microUsdUp(ai.liveMinUsd),
    trialShareMicroUsd: microUsdDown(ai.trialUsd),
    trialDays: ai.trialDays,
    trialsOpen: ai.trialsOpen,
    trialsPerDay: ai.trialsPerDay,
    trialsPerNetwork: ai.trialsPerAddress,
    modelMaxOutputUsd: ai.modelUsd,
    ownDayMicroUsd: microUsdDown(ai.ownUsdDay),
  }
}
