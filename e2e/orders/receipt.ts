import { type Hex, receiptText } from '@pit/chain'
import { recoverMessageAddress } from 'viem'
import { expect } from 'vitest'

/** The co-signer's signed receipt of a registration or cancellation. */
export interface Receipt {
  what: 'registered' | 'cancelled' | 'revoked' | 'not_registered' | 'filled' | 'status'
  session: Hex
  id: Hex
  before: 'not_registered' | 'blocked' | 'open' | 'filled' | 'active'
  after: 'registered' | 'cancelled' | 'revoked' | 'blocked' | 'filled' | 'open'
  at: number
  spent: string
  outstanding: string
  until: number
  challenge: Hex
  cosigner: Hex
  signature: Hex
}

/** The session of a live agent: `hash` is its delegation's. */
export interface OrderSession {
  id: string
  hash: Hex
  cosigner: Hex
}

export async function checkReceipt(
  receipt: Receipt,
  { hash, cosigner }: OrderSession,
  expected: Partial<Receipt>,
): Promise<void> {
  expect(receipt).toMatchObject({ session: hash, cosigner, ...expected })
  const { signature } = receipt
  const signer = await recoverMessageAddress({ message: receiptText(receipt), signature })
  expect(signer.toLowerCase()).toBe(cosigner)
}
