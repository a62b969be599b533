import { createHash } from 'node:crypto'
import { readSecretText } from '@pit/platform/settings'
import { type ChainProfile, canonicalJson, type Json } from '@pit/protocol'
import type { Config } from '../config.ts'

/** By setting; a secret or long text is reduced to its fingerprint. */
export type Facts = Readonly<Record<string, string | null>>

const fingerprint = (name: string, text: string): string =>
  createHash('sha256').update(`${name}\n${text}`).digest('hex').slice(0, 16)

/**
 * Facts that must be the same in all processes on one store. RPC addresses may differ, and so may a devnet's
 * explorer, which is the process's own page.
 */
export function factsOf(
  config: Pick<Config, 'roles' | 'publicUrl' | 'authDomain' | 'redisUrl' | 'sealKey' | 'signer'>,
  profile: ChainProfile,
): Facts {
  const {
    rpc_urls: _,
    ws_url: __,
    sequencer_url: ___,
    vendors: ____,
    explorer_tx: _____,
    ...shared
  } = profile
  const secretOf = (name: string, setting: Parameters<typeof readSecretText>[0] | null | undefined) =>
    setting ? fingerprint(name, readSecretText(setting)) : null
  return {
    // A worker serves no requests.
    ...(config.roles.api && {
      PUBLIC_URL: config.publicUrl,
      REDIS_URL: config.redisUrl === null ? null : fingerprint('REDIS_URL', config.redisUrl),
    }),
    AUTH_DOMAIN: config.authDomain,
    PROFILE: fingerprint('PROFILE', canonicalJson(shared as unknown as Json)),
    SEAL_KEY: secretOf('SEAL_KEY', config.sealKey),
    SIGNER_SECRET: secretOf('SIGNER_SECRET', config.signer?.secret),
  }
}
