import type { Address, Hex } from '@pit/chain'
import { askBlockNumber, askIsKnown, askNonce, askReceipt, needAll } from '@pit/platform/reads'
import { type Rpc, RpcError, saysReverted } from '@pit/platform/rpc'

/** How long the sequencer has to answer. */
export const SEND_BOUND_MS = 5_000
const VIEW_BOUND_MS = 2_000
const MAX_WORDS = 200

export type SendAnswer =
  | { kind: 'taken' }
  | { kind: 'refused'; words: string }
  /** An answer without a reason: a chain that filters a sender gives none, and neither does a broken gateway. */
  | { kind: 'unexplained' }
  | { kind: 'silent' }

/** Said by whoever looked at the bytes and would not have them. */
const REFUSING_CODES: ReadonlySet<number> = new Set([
  -32_003, // transaction rejected
  -32_601, // no such method
  -32_602, // the bytes are none
  -32_700,
])
/** Codes a gateway may also return after passing the bytes on: internal error, limit, unavailable. */
const DOUBTFUL_CODES: ReadonlySet<number> = new Set([-32_603, -32_005, -32_002])
const oneOf = (...words: string[]): RegExp => new RegExp(words.join('|'), 'i')
const DOUBTFUL = oneOf(
  String.raw`time[d\s-]*out|deadline exceeded|internal|upstream|gateway|unavailable|connection`,
  'too many requests|rate.?limit|limit exceeded|try again',
)
const REFUSING = oneOf(
  'nonce|insufficient (funds|balance)|underpriced|(intrinsic|out of) gas|gas (limit|price|too|required|fee)',
  'fee (cap|per gas|too)|base fee|exceeds the configured cap|already (known|imported|exists|in )',
  'known transaction|invalid (sender|signature|chain|transaction|tx|nonce|type|param|argument|input|raw|rlp)',
  'invalid (opcode|v, r, s)|not supported|unsupported|oversized|too large|malformed|reject|revert|denied',
  'forbidden|not allowed|blacklist|blocked|pool is full',
)

/** A sequencer may run the transaction first. Data does not count here: some nodes put the hash there. */
const isRevert = ({ code, message }: Pick<RpcError, 'code' | 'message'>): boolean =>
  saysReverted({ code, message, data: undefined })

/** Whether an error says no for certain. Every other one may have come after the bytes were passed on. */
export function saysRefused({ code, message }: Pick<RpcError, 'code' | 'message'>): boolean {
  if (isRevert({ code, message })) return true
  if (DOUBTFUL_CODES.has(code) || DOUBTFUL.test(message)) return false
  return REFUSING_CODES.has(code) || REFUSING.test(message)
}

/** Without a clear yes or no the bytes may have arrived. */
export async function sendRaw(sequencer: Rpc, raw: Hex): Promise<SendAnswer> {
  try {
    await sequencer.request('eth_sendRawTransaction', [raw], { timeoutMs: SEND_BOUND_MS })
    return { kind: 'taken' }
  } catch (error) {
    if (!(error instanceof RpcError)) return { kind: 'silent' }
    if (isRevert(error)) return { kind: 'refused', words: REVERTED + revertText(error.message) }
    if (saysRefused(error)) return { kind: 'refused', words: cleanWords(error.message) }
    return saysNothing(error) ? { kind: 'unexplained' } : { kind: 'silent' }
  }
}

/** The whole of what the filter of chain 4663 says. */
const saysNothing = ({ message }: RpcError): boolean => /^internal error\.?$/i.test(cleanWords(message))

/** Cleans foreign text before it reaches a client: one line, no URLs, no long hex, bounded length. */
export function cleanWords(message: string): string {
  return message
    .replace(/^eth_sendRawTransaction: /, '')
    .replace(/[a-z]+:\/\/\S+/gi, '[url]')
    .replace(/0x[0-9a-f]{65,}/gi, (hex) => `${hex.slice(0, 18)}…`)
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]+/g, ' ')
    .trim()
    .slice(0, MAX_WORDS)
}

/** The start of the words of every revert, so that a contract's text is not read as the node's. */
const REVERTED = 'execution reverted'
const revertText = (message: string): string => {
  const text = cleanWords(message).replace(/^execution reverted(: )?/i, '')
  return text === '' ? '' : `: ${text}`
}
const isNodesOwn = (words: string): boolean => !words.startsWith(REVERTED)

/** Nodes have no code for it: the bytes are in their pool already. */
export const saysKnown = (words: string): boolean =>
  isNodesOwn(words) && /already (known|imported|exists|in (the )?(mem)?pool)|known transaction/i.test(words)
export const saysNonce = (words: string): boolean => isNodesOwn(words) && /nonce/i.test(words)

/** What the chain shows of a transaction; null when it does not answer. */
export interface ChainView {
  known: boolean
  /** The signer's next nonce. */
  nonce: number
  /** The newest block of the node that was asked. */
  head: number
}

export async function viewChain(
  rpc: Rpc,
  { hash, signer }: { hash: Hex; signer: Address },
): Promise<ChainView | null> {
  try {
    const asked = [askReceipt(hash), askIsKnown(hash), askNonce(signer), askBlockNumber()] as const
    const [receipt, isKnown, nonce, head] = await needAll(rpc, asked, { timeoutMs: VIEW_BOUND_MS })
    return { known: receipt !== null || isKnown, nonce, head }
  } catch {
    return null
  }
}
