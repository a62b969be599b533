import { type Hex, type Receipt, receiptText } from '@pit/chain'
import type { ReceiptKind } from '@pit/protocol'
import { recoverMessageAddress } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'

type ReceiptDeps = Pick<ClientDeps, 'pins' | 'nowMs'>

export interface ExpectedReceipt extends Pick<Receipt, 'id' | 'challenge'> {
  what: readonly ReceiptKind[]
  /** Null if this client has no record of the session: an order's id is unique in any. */
  session: Hex | null
}

/** Clocks of client and co-signer may differ. */
const CLOCK_SLACK_S = 60
const RECEIPT_MS = 10_000

export const randomWord = (): Hex => {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(32))
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Why a receipt does not prove it; null if the pinned co-signer signed exactly this, now. */
export async function receiptFault(
  { pins, nowMs }: ReceiptDeps,
  receipt: unknown,
  { what, session, id, challenge }: ExpectedReceipt,
): Promise<string | null> {
  if (pins.cosigner === null) return 'the profile pins no co-signer'
  const said = receipt as (Receipt & { signature: Hex }) | null | undefined
  if (!said) return 'there is no receipt'
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  try {
    if (!isSame(said.challenge, challenge)) return 'the receipt is for another request'
    if (!isSame(said.id, id)) return 'the receipt is of another order'
    if (session !== null && !isSame(said.session, session)) return 'the receipt is of another session'
    if (!what.includes(said.what)) return `the receipt says ${said.what}`
    // A repeated change keeps its first time; the challenge shows that the receipt itself is new.
    if (!(said.at <= nowMs() / 1000 + CLOCK_SLACK_S)) return 'the receipt is from the future'
    const message = receiptText(said)
    const signer = await recoverMessageAddress({ message, signature: said.signature })
    return signer.toLowerCase() === pins.cosigner
      ? null
      : 'another than the pinned co-signer signed the receipt'
  } catch {
    return 'the receipt is malformed'
  }
}

/** The receipt of this order among those that were answered, or why none proves it. */
export async function provenReceipt(
  deps: ReceiptDeps,
  answered: readonly { id?: string }[] | undefined,
  expected: ExpectedReceipt,
): Promise<Receipt | string> {
  const receipt = answered?.find((one) => one.id?.toLowerCase() === expected.id.toLowerCase())
  return (await receiptFault(deps, receipt, expected)) ?? (receipt as unknown as Receipt)
}

/** A signature left, or an order may still be open: names what it is about and the way to end it. */
export const unconfirmed = (
  why: string,
  about: Partial<ConstructorParameters<typeof PitRefusal>[2]> = {},
): never => {
  throw new PitRefusal('RECEIPT_MISSING', `The co-signer has not confirmed it: ${why}.`, {
    retry: 'look_first',
    hint:
      'Cancel the orders by their ids: the co-signer then confirms how each one stands. If they must not run, ' +
      'end every session with controls by your own transaction: pit session revoke --all.',
    server: isRefusal(about.cause) ? about.cause.server : null,
    ...about,
  })
}

/** A response within ten seconds, or a refusal that it is not confirmed. The server's own refusals pass. */
export async function withinReceiptTime<T>(
  call: (options: VerbOptions) => Promise<T>,
  { signal }: VerbOptions,
): Promise<T> {
  const limit = AbortSignal.timeout(RECEIPT_MS)
  try {
    return await call({ signal: signal ? AbortSignal.any([signal, limit]) : limit })
  } catch (error) {
    signal?.throwIfAborted()
    if (isRefusal(error) && error.status !== undefined && error.status < 500) throw error
    return unconfirmed('no response within 10 seconds', { cause: error })
  }
}
