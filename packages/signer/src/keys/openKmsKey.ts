import { bytesToHex, type Crypto, type Hex, normalizeSignature } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { createKms, type KmsDeps } from './createKms.ts'
import { derToRs, spkiPoint } from './derSignature.ts'
import { KeyError } from './sealKey.ts'
import type { SigningKey } from './signingKey.ts'

/**
 * A KMS returns a new signature each time; recent ones are cached, so that a repeat returns the same bytes.
 */
const MAX_SIGNATURES = 10_000

/** The co-signer's key in AWS KMS or a compatible service; the private key never leaves it. */
export async function openKmsKey({
  keyId,
  crypto,
  ...kms
}: KmsDeps & { keyId: string; crypto: Crypto }): Promise<SigningKey> {
  const request = createKms(kms)
  const shown = await request('GetPublicKey', { KeyId: keyId })
  const { KeySpec: spec, KeyUsage: usage } = shown
  const point = spkiPoint(bytesOf(shown['PublicKey']))
  if (!point || spec !== 'ECC_SECG_P256K1' || usage !== 'SIGN_VERIFY')
    throw new KeyError('SIGNER_KMS_KEY_ID names a key of another kind: use ECC_SECG_P256K1 for SIGN_VERIFY')
  const address =
    `0x${Buffer.from(crypto.keccakBytes(point.subarray(1)).subarray(12)).toString('hex')}` as const
  const cache = createCache<Hex, Hex>({ max: MAX_SIGNATURES })
  let trouble: string | null = null
  let open = true

  async function signNew(digest: Hex): Promise<Hex> {
    const answer = await request('Sign', {
      KeyId: keyId,
      Message: Buffer.from(digest.slice(2), 'hex').toString('base64'),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    })
    const rs = derToRs(bytesOf(answer['Signature']))
    if (!rs) throw new KeyError('the KMS returned no signature')
    for (const v of ['1b', '1c']) {
      const signature = normalizeSignature(`${bytesToHex(rs)}${v}`)
      if (signature && crypto.recover(digest, signature) === address) return signature
    }
    // A signature of another key would make an unusable leaf, or worse.
    throw new KeyError('the KMS signed with another key than at the start')
  }

  return {
    address,
    async sign(digest) {
      if (!open) throw new Error('the co-signer’s key is closed')
      try {
        const signature = await cache.load(digest, signNew)
        trouble = null
        return signature
      } catch (error) {
        trouble = (error as Error).message
        throw error
      }
    },
    trouble: () => trouble,
    close() {
      open = false
    },
  }
}

const bytesOf = (value: unknown): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, 'base64') : new Uint8Array()
