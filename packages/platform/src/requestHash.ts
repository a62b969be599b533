import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '@pit/protocol'

/** Names what a request asks for: two requests with one `client_id` must have the same. */
export const requestHash = ({
  client_id: _,
  ...asked
}: {
  readonly [field: string]: Json | undefined
}): string => createHash('sha256').update(canonicalJson(asked)).digest('hex')
