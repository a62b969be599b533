import { type Hex, type Receipt, receiptText } from '@pit/chain'
import { recoverMessageAddress } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'

export type ExpectedReceipt = Pick<Receipt, 'what' | 'session' | 'id' | 'challenge'>

/** Clocks of client and co-signer may differ. */
const CLOCK_SLACK_S = 60
const RECEIPT_MS = 10_000

export const randomWord = (): Hex => {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(32))
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Why a receipt does not prove it; null if the pinned co-signer signed exactly this, now. */
export async function receiptFault(
  { pins, nowMs }: Pick<ClientDeps, 'pins' | 'nowMs'>,
  receipt: unknown,
  expected: ExpectedReceipt,
): Promise<string | null> {
  if (pins.cosigner === null) return 'the profile pins no co-signer'
  const said = receipt as (Receipt & { signature: Hex }) | null | undefined
  if (!said) return 'there is no receipt'
  try {
    const same = (name: keyof ExpectedReceipt) => said[name].toLowerCase() === expected[name].toLowerCase()
    if (!same('what')) return 'the receipt is for something else'
    if (!same('challenge')) return 'the receipt is for another request'
    if (!same('session')) return 'the receipt is of another session'
    if (!same('id')) return 'the receipt is of another order'
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

/** The receipt, or a refusal that names the way out. */
export async function mustHaveReceipt(
  deps: Pick<ClientDeps, 'pins' | 'nowMs'>,
  receipt: unknown,
  expected: ExpectedReceipt,
): Promise<Receipt> {
  const fault = await receiptFault(deps, receipt, expected)
  if (fault !== null) unconfirmed(fault)
  return receipt as Receipt
}

/** A receipt for each cancelled order. */
export async function mustHaveReceipts(
  deps: Pick<ClientDeps, 'pins' | 'nowMs'>,
  answered: readonly { id?: string }[] | undefined,
  { session, ids, challenge }: { session: Hex; ids: readonly Hex[]; challenge: Hex },
): Promise<Receipt[]> {
  const receipts: Receipt[] = []
  for (const id of ids) {
    const own = answered?.find((one) => one.id?.toLowerCase() === id.toLowerCase())
    if (!own) unconfirmed(`there is no receipt for order ${id}`)
    receipts.push(await mustHaveReceipt(deps, own, { what: 'cancelled', session, id, challenge }))
  }
  return receipts
}

const unconfirmed = (why: string, cause?: unknown): never => {
  throw new PitRefusal('RECEIPT_MISSING', `The co-signer has not confirmed it: ${why}.`, {
    retry: 'look_first',
    hint:
      'List the orders to see their state. If they must not run, end every session with controls by your ' +
      'own transaction: pit session revoke --all.',
    ...(cause !== undefined && { cause }),
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
    return unconfirmed('no response within 10 seconds', error)
  }
}
