import { normalizeSignature } from '@pit/chain'
import { fail } from '@pit/protocol'

/** Refuses what is no signature at all, whoever might have signed: told by the request alone. */
export function refuseMalformed(field: string, signature: string): void {
  if (normalizeSignature(signature)) return
  const message = `\`${field}\` is no signature of 65 bytes: r, s, and 27 or 28.`
  fail('BAD_SIGNATURE', { status: 400, field, message })
}
