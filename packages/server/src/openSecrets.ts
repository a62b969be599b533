import type { Clock } from '@pit/platform/clock'
import { readSecretText } from '@pit/platform/secretSettings'
import { createSignerClient, type SignerClient } from '@pit/platform/signerClient'
import { readSignerWay } from '@pit/platform/signerWay'
import { microUsdDown, microUsdUp } from '@pit/protocol'
import { type Config, ConfigError } from './config.ts'

const MIN_SIGNER_SECRET_CHARS = 32

/** The way to the signing process; null where there is none. */
export function openSigner(signer: Config['signer'], clock: Clock): SignerClient | null {
  if (signer === null) return null
  const { secret: setting } = signer
  const secret = readSecretText(setting)
  if (secret.length < MIN_SIGNER_SECRET_CHARS) {
    throw new ConfigError(`${setting.name} is too short: use at least ${MIN_SIGNER_SECRET_CHARS} characters`)
  }
  return createSignerClient({ ...readSignerWay(signer), secret, clock })
}

/** Null where nothing is to be sealed. */
export function openSealKey(setting: Config['sealKey']): Uint8Array | null {
  if (setting === null) return null
  const text = readSecretText(setting).replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new ConfigError(`${setting.name} is not 32 bytes of hex`)
  return Buffer.from(text, 'hex')
}

/** What the AI pool pays, in micro-dollars, and with which key. */
export function openAiTerms(ai: Config['ai']) {
  const poolKey = ai.poolKey === null ? null : readSecretText(ai.poolKey)
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
