import type { Address, Hex } from '@pit/chain'
import { type Rpc, RpcError } from '@pit/platform/rpc'

/** How long the sequencer has to answer. */
export const SEND_BOUND_MS = 5_000
const VIEW_BOUND_MS = 2_000
const MOST_WORDS = 200

export type SendAnswer = { kind: 'taken' } | { kind: 'refused'; words: string } | { kind: 'silent' }

/** Whatever is no plain yes or no may have arrived. */
export async function sendRaw(sequencer: Rpc, raw: Hex): Promise<SendAnswer> {
  try {
    await sequencer.request('eth_sendRawTransaction', [raw], { timeoutMs: SEND_BOUND_MS })
    return { kind: 'taken' }
  } catch (error) {
    return error instanceof RpcError
      ? { kind: 'refused', words: cleanWords(error.message) }
      : { kind: 'silent' }
  }
}

/** Someone else's text, on its way to a client: one line, no addresses of machines, no long hex, not endless. */
export function cleanWords(message: string): string {
  return message
    .replace(/^eth_sendRawTransaction: /, '')
    .replace(/[a-z]+:\/\/\S+/gi, '[url]')
    .replace(/0x[0-9a-f]{65,}/gi, (hex) => `${hex.slice(0, 18)}…`)
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]+/g, ' ')
    .trim()
    .slice(0, MOST_WORDS)
}

/** Nodes have no code for it: the bytes are in their pool already. */
export const saysKnown = (words: string): boolean =>
  /already (known|imported|exists|in (the )?(mem)?pool)|known transaction/i.test(words)
export const saysNonce = (words: string): boolean => /nonce/i.test(words)

/** What the chain shows of a transaction; null when it does not answer. */
export interface ChainView {
  known: boolean
  /** The signer's next nonce. */
  nonce: number
}

export async function viewChain(
  rpc: Rpc,
  { hash, signer }: { hash: Hex; signer: Address },
): Promise<ChainView | null> {
  try {
    const [receipt, tx, count] = await rpc.batch(
      [
        ['eth_getTransactionReceipt', [hash]],
        ['eth_getTransactionByHash', [hash]],
        ['eth_getTransactionCount', [signer, 'latest']],
      ],
      { timeoutMs: VIEW_BOUND_MS },
    )
    if (!receipt?.ok || !tx?.ok || !count?.ok) return null
    return { known: receipt.result !== null || tx.result !== null, nonce: Number(count.result) }
  } catch {
    return null
  }
}
