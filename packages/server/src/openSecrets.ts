import type { Timer } from '@pit/platform/clock'
import { readSecretText, StartRefused } from '@pit/platform/settings'
import { microUsdDown, microUsdUp } from '@pit/protocol'
import { createSignerClient, readSignerWay, type SignerClient } from '@pit/signer-wire'
import { AGGREGATORS, type VendorKeys } from '@pit/trading'
import type { Config } from './config.ts'

const MIN_SIGNER_SECRET_CHARS = 32
/**
 * A restart takes a few seconds; health polls every second, so calls to a missing signer soon fail at once.
 */
const SIGNER_RESTART_MS = 15_000

/** The signer's client; null without a signer. */
export function openSigner(signer: Config['signer'], clock: Timer): SignerClient | null {
  if (signer === null) return null
  const { secret: setting } = signer
  const secret = readSecretText(setting)
  if (secret.length < MIN_SIGNER_SECRET_CHARS) {
    throw new StartRefused(`${setting.name} is too short: use at least ${MIN_SIGNER_SECRET_CHARS} characters`)
  }
  return createSignerClient({ ...readSignerWay(signer), secret, clock, restartMs: SIGNER_RESTART_MS })
}

/** Null if sealing is off. */
export function openSealKey(setting: Config['sealKey']): Uint8Array | null {
  if (setting === null) return null
  const text = readSecretText(setting).replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new StartRefused(`${setting.name} is not 32 bytes of hex`)
  return Buffer.from(text, 'hex')
}

/** Characters a header may contain. */
const isKey = (text: string): boolean => /^[\x21-\x7e]{8,512}$/.test(text)

/** Keys by kind of vendor. */
export function openVendorKeys(setting: Config['vendorKeys']): VendorKeys {
  if (setting === null) return {}
  const keyed = Object.keys(AGGREGATORS).filter((kind) => AGGREGATORS[kind]?.key !== 'none')
  const pairs = readSecretText(setting)
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((pair, i) => {
      const at = pair.indexOf('=')
      const [kind, key] = [pair.slice(0, at), pair.slice(at + 1)]
      // The pair itself may be a key without its kind: do not quote it.
      if (!keyed.includes(kind)) {
        throw new StartRefused(
          `${setting.name}: pair ${i + 1} is not for a known vendor: use ${keyed.join(', ')}`,
        )
      }
      if (!isKey(key)) throw new StartRefused(`${setting.name}: the key of ${kind} is malformed`)
      return [kind, key] as const
    })
  return Object.fromEntries(pairs)
}

/** The AI pool's budget in micro-dollars, and its key. */
export function openAiTerms(ai: Config['ai']) {
  const poolKey = ai.poolKey === null ? null : readSecretText(ai.poolKey)
  if (poolKey !== null && !isKey(poolKey)) {
    throw new StartRefused(`${ai.poolKey?.name} is malformed`)
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
