import { TREASURY_BUCKETS } from '@pit/protocol'
import { InvalidArgumentError } from 'commander'

// What a person types, read before anything is asked.

const TX = /^0x[0-9a-fA-F]{64}$/
const WALLET = /^0x[0-9a-fA-F]{40}$/

export function txHash(text: string): string {
  if (!TX.test(text)) throw new InvalidArgumentError('a transaction hash is 0x and 64 hex digits')
  return text.toLowerCase()
}
export function whole(text: string): number {
  const value = Number(text)
  if (!/^[0-9]{1,12}$/.test(text) || value < 1) throw new InvalidArgumentError('a whole number from 1 on')
  return value
}
export function walletAddress(text: string): string {
  if (!WALLET.test(text)) throw new InvalidArgumentError('an address is 0x and 40 hex digits')
  return text.toLowerCase()
}

export interface Transfer {
  bucket: string
  tx_hash: string
}
/** `operations:0x…`, added to those before it. */
export function transfers(text: string, before: readonly Transfer[]): Transfer[] {
  const [bucket, hash, ...more] = text.split(':')
  if (!(TREASURY_BUCKETS as readonly string[]).includes(bucket!) || hash === undefined || more.length > 0)
    throw new InvalidArgumentError(`use a bucket and a hash, such as ${TREASURY_BUCKETS[0]}:0x…`)
  return [...before, { bucket: bucket!, tx_hash: txHash(hash) }]
}
