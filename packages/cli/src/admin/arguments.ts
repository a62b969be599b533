import { TREASURY_BUCKETS } from '@pit/protocol'
import { InvalidArgumentError } from 'commander'

// Parsers of command-line arguments.

const TX = /^0x[0-9a-fA-F]{64}$/
const WALLET = /^0x[0-9a-fA-F]{40}$/

export function txHash(text: string): string {
  if (!TX.test(text)) throw new InvalidArgumentError('Must be a transaction hash: 0x and 64 hex digits.')
  return text.toLowerCase()
}
export function whole(text: string): number {
  const value = Number(text)
  if (!/^[0-9]{1,12}$/.test(text) || value < 1)
    throw new InvalidArgumentError('Must be a whole number of at least 1.')
  return value
}
export function walletAddress(text: string): string {
  if (!WALLET.test(text)) throw new InvalidArgumentError('Must be an address: 0x and 40 hex digits.')
  return text.toLowerCase()
}

export interface Transfer {
  bucket: string
  tx_hash: string
}
/** Appends `operations:0x…` to the previous values. */
export function transfers(text: string, before: readonly Transfer[]): Transfer[] {
  const [bucket, hash, ...more] = text.split(':')
  if (!(TREASURY_BUCKETS as readonly string[]).includes(bucket!) || hash === undefined || more.length > 0)
    throw new InvalidArgumentError(
      `Must be a bucket and a transaction hash, such as ${TREASURY_BUCKETS[0]}:0x…`,
    )
  return [...before, { bucket: bucket!, tx_hash: txHash(hash) }]
}
