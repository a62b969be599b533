import type { Timer } from '@pit/platform/clock'
import { readSecretText } from '@pit/platform/secretSettings'
import { createSignerClient, type SignerClient } from '@pit/platform/signerClient'
import { readSignerWay } from '@pit/platform/signerWay'
import { microUsdDown, microUsdUp } from '@pit/protocol'
import { AGGREGATORS, type VendorKeys } from '@pit/trading'
import { type Config, ConfigError } from './config.ts'

const MIN_SIGNER_SECRET_CHARS = 32
/** A restart takes a few seconds; health asks every second, so a signer that stays away soon fails at once. */
const SIGNER_RESTART_MS = 15_000

/** The way to the signing process; null where there is none. */
export function openSigner(signer: Config['signer'], clock: Timer): SignerClient | null {
  if (signer === null) return null
  const { secret: setting } = signer
  const secret = readSecretText(setting)
  if (secret.length < MIN_SIGNER_SECRET_CHARS) {
    throw new ConfigError(`${setting.name} is too short: use at least ${MIN_SIGNER_SECRET_CHARS} characters`)
  }
  return createSignerClient({ ...readSignerWay(signer), secret, clock, restartMs: SIGNER_RESTART_MS })
}

/** Null where nothing is to be sealed. */
export function openSealKey(setting: Config['sealKey']): Uint8Array | null {
  if (setting === null) return null
  const text = readSecretText(setting).replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new ConfigError(`${setting.name} is not 32 bytes of hex`)
  return Buffer.from(text, 'hex')
}

/** What a header can carry. */
const isKey = (text: string): boolean => /^[\x21-\x7e]{8,512}$/.test(text)

/** Keys by the kind of vendor. */
export function openVendorKeys(setting: Config['vendorKeys']): VendorKeys {
  if (setting === null) return {}
  const keyed = Object.keys(AGGREGATORS).filter((kind) => AGGREGATORS[kind]?.key !== 'none')
  const pairs = readSecretText(setting)
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((pair, i) => {
      const at = pair.indexOf('=')
      const [kind, key] = [pair.slice(0, at), pair.slice(at + 1)]
      // The pair itself may be a key whose name was forgotten.
      if (!keyed.includes(kind)) {
        throw new ConfigError(`${setting.name}: pair ${i + 1} names no vendor: use ${keyed.join(', ')}`)
      }
      if (!isKey(key)) throw new ConfigError(`${setting.name}: ${kind} does not look like a key`)
      return [kind, key] as const
    })
  return Object.fromEntries(pairs)
}

/** What the AI pool pays, in micro-dollars, and with which key. */
export function openAiTerms(ai: Config['ai']) {
  const poolKey = ai.poolKey === null ? null : readSecretText(ai.poolKey)
  if (poolKey !== null && !isKey(poolKey)) {
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
