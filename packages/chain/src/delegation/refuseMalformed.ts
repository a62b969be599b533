import { fail } from '@pit/protocol'
import { normalizeSignature } from './sign.ts'

/** Rejects a malformed signature before any recovery. */
export function refuseMalformed(field: string, signature: string): void {
  if (normalizeSignature(signature)) return
  const message = `\`${field}\` is not a 65-byte signature (r, s, and v of 27 or 28).`
  fail('BAD_SIGNATURE', { status: 400, field, message })
}
