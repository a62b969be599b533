import type { Address, Hex } from '@pit/chain'
import { askBlockNumber, askIsKnown, askNonce, askReceipt, needAll } from '@pit/platform/reads'
import { type Rpc, RpcError, saysReverted } from '@pit/platform/rpc'

/** Timeout of the sequencer. */
export const SEND_BOUND_MS = 5_000
const VIEW_BOUND_MS = 2_000
const MAX_WORDS = 200

export type SendAnswer =
  | { kind: 'taken' }
  | { kind: 'refused'; words: string }
  /** A response without a reason: from a chain that filters a sender, or from a broken gateway. */
  | { kind: 'unexplained' }
  | { kind: 'silent' }

/** Codes of a node that inspected the bytes and rejected them. */
const REFUSING_CODES: ReadonlySet<number> = new Set([
  -32_003, // transaction rejected
  -32_601, // no such method
  -32_602, // malformed bytes
  -32_700,
])
/** Codes a gateway may also return after passing the bytes on: internal error, limit, unavailable. */
const DOUBTFUL_CODES: ReadonlySet<number> = new Set([-32_603, -32_005, -32_002])
const DOUBTFUL =
  /time[d\s-]*out|deadline exceeded|internal|upstream|gateway|unavailable|connection|too many requests|rate.?limit|limit exceeded|try again/i
const REFUSING = new RegExp(
  [
    'nonce|insufficient (funds|balance)|underpriced|(intrinsic|out of) gas|gas (limit|price|too|required|fee)',
    'fee (cap|per gas|too)|base fee|exceeds the configured cap|already (known|imported|exists|in )',
    'known transaction|invalid (sender|signature|chain|transaction|tx|nonce|type|param|argument|input|raw|rlp)',
    'invalid (opcode|v, r, s)|not supported|unsupported|oversized|too large|malformed|reject|revert|denied',
    'forbidden|not allowed|blacklist|blocked|pool is full',
  ].join('|'),
  'i',
)

/** A sequencer may run the transaction first. `data` is ignored: some nodes put the hash there. */
const isRevert = ({ code, message }: Pick<RpcError, 'code' | 'message'>): boolean =>
  saysReverted({ code, message, data: undefined })

/** Whether an error is a certain refusal. Any other may have come after the bytes were passed on. */
export function saysRefused({ code, message }: Pick<RpcError, 'code' | 'message'>): boolean {
  if (isRevert({ code, message })) return true
  if (DOUBTFUL_CODES.has(code) || DOUBTFUL.test(message)) return false
  return REFUSING_CODES.has(code) || REFUSING.test(message)
}

/** Without a clear result the bytes may have arrived. */
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

/** The complete message of the filter of chain 4663. */
const saysNothing = ({ message }: RpcError): boolean => /^internal error\.?$/i.test(cleanWords(message))

/** Sanitizes foreign text for clients: one line, no URLs, no long hex, bounded length. */
export function cleanWords(message: string): string {
  return message
    .replace(/^eth_sendRawTransaction: /, '')
    .replace(/[a-z]{1,20}:\/\/\S+/gi, '[url]')
    .replace(/0x[0-9a-f]{65,}/gi, (hex) => `${hex.slice(0, 18)}…`)
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]+/g, ' ')
    .trim()
    .slice(0, MAX_WORDS)
}

/** Prefix of every revert message, so that a contract's text is not read as the node's. */
const REVERTED = 'execution reverted'
const revertText = (message: string): string => {
  const text = cleanWords(message).replace(/^execution reverted(: )?/i, '')
  return text === '' ? '' : `: ${text}`
}
const isNodesOwn = (words: string): boolean => !words.startsWith(REVERTED)

/** Whether the bytes are already in the node's pool; nodes have no code for it. */
export const saysKnown = (words: string): boolean =>
  isNodesOwn(words) && /already (known|imported|exists|in (the )?(mem)?pool)|known transaction/i.test(words)
export const saysNonce = (words: string): boolean => isNodesOwn(words) && /nonce/i.test(words)

/** The chain's view of a transaction; null without a response. */
export interface ChainView {
  known: boolean
  /** The signer's next nonce. */
  nonce: number
  /** The newest block of that node. */
  head: number
}

export async function viewChain(
  rpc: Rpc,
  { hash, signer }: { hash: Hex; signer: Address },
): Promise<ChainView | null> {
  try {
    const reads = [askReceipt(hash), askIsKnown(hash), askNonce(signer), askBlockNumber()] as const
    const [receipt, isKnown, nonce, head] = await needAll(rpc, reads, { timeoutMs: VIEW_BOUND_MS })
    return { known: receipt !== null || isKnown, nonce, head }
  } catch {
    return null
  }
}
