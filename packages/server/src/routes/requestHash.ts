import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '@pit/protocol'

/** Hash of a request's content: two requests with one `client_id` must have the same. */
export const requestHash = ({
  client_id: _,
  ...asked
}: {
  readonly [field: string]: Json | undefined
}): string => {
  // Unsafe integers have no canonical JSON, but a request may contain them.
  const exact = JSON.parse(JSON.stringify(asked), (_name, value) =>
    typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? String(value) : value,
  ) as Json
  return createHash('sha256').update(canonicalJson(exact)).digest('hex')
}
