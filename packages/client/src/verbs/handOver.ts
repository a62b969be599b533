import { type Hex, parseSignedTx } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'
import { type Fate, type Until, watchBytes } from './watchBytes.ts'

export type HandedStage =
  | { stage: 'relayed'; hashes: readonly Hex[] }
  /** The server did not accept the transaction; `untilS` is when the client stops following it. */
  | { stage: 'following'; code: string; untilS: number }

export interface HandOverOptions extends VerbOptions {
  onStage?(stage: HandedStage): void
}

/** Signed bytes, the last of which makes the trade. */
export interface SignedBytes {
  raws: readonly Hex[]
  hashes: readonly Hex[]
}

const RESEND_EVERY_MS = 1_000
const TRANSIENT: ReadonlySet<string> = new Set(['pause', 'look_first'])

/**
 * Hands signed bytes to the server and resolves once the last transaction is mined. After the first call only
 * the client's own node decides what became of them: a refusal does not prove that they were not relayed.
 */
export async function handOver(
  deps: ClientDeps,
  { raws, hashes }: SignedBytes,
  send: () => Promise<readonly unknown[]>,
  { signal, onStage, ...until }: Omit<Until, 'nonce'> & HandOverOptions,
): Promise<void> {
  const call = () => refusalOf(send, hashes, signal)
  let refusal = await call()
  if (refusal === null) onStage?.({ stage: 'relayed', hashes })
  else onStage?.({ stage: 'following', code: refusal.code, untilS: until.deadlineS })
  let resendAtMs = resendTimeMs(deps, refusal)
  const nonce = nonceOf(raws.at(-1)!)
  const hash = hashes.at(-1)!
  const fate = await watchBytes(deps, hash, { ...until, nonce, signal }, async () => {
    if (refusal === null || !TRANSIENT.has(refusal.retry) || refusal.code === 'HASH_MISMATCH') return
    if (deps.nowMs() < resendAtMs || deps.nowMs() / 1000 > until.deadlineS) return
    refusal = await call()
    resendAtMs = resendTimeMs(deps, refusal)
  })
  if (refusal?.code === 'HASH_MISMATCH') throw mismatch(refusal, hash, fate)
  if (fate.state === 'mined') return
  throw fate.state === 'dead' ? deadError(refusal, hash, fate.by) : notMined(hash, refusal, until)
}

/** The server's refusal, or null when it confirmed exactly the signed hashes. */
async function refusalOf(
  send: () => Promise<readonly unknown[]>,
  hashes: readonly Hex[],
  signal: AbortSignal | undefined,
): Promise<PitRefusal | null> {
  try {
    const answer = await send()
    const returned = answer.map((hash) => (typeof hash === 'string' ? hash.toLowerCase() : ''))
    if (returned.length === hashes.length && returned.every((hash, i) => hash === hashes[i])) return null
    const details = { hashes, said: returned }
    return new PitRefusal('HASH_MISMATCH', 'The server returned another transaction hash.', { details })
  } catch (error) {
    signal?.throwIfAborted()
    if (isRefusal(error)) return error
    return new PitRefusal('SERVER_UNREACHABLE', 'The server returned no readable response.', {
      retry: 'look_first',
      cause: error,
    })
  }
}

const resendTimeMs = ({ nowMs }: ClientDeps, refusal: PitRefusal | null): number =>
  nowMs() + Math.max(RESEND_EVERY_MS, (refusal?.retryAfterS ?? 0) * 1000)

function nonceOf(raw: Hex): number | undefined {
  const parsed = parseSignedTx(raw)
  return parsed.ok ? parsed.tx.nonce : undefined
}

const WHY_DEAD = {
  deadline: 'its deadline has passed on chain',
  nonce: 'another transaction used its nonce',
} as const

/** The bytes can no longer trade: the refusal is now true, and its advice safe to follow. */
function deadError(refusal: PitRefusal | null, hash: Hex, dead: keyof typeof WHY_DEAD): PitRefusal {
  const outcome = `Nothing was traded: ${WHY_DEAD[dead]}.`
  const details = { ...refusal?.details, tx_hash: hash, dead }
  if (refusal === null)
    return new PitRefusal('NOT_MINED', `The server accepted ${hash}, but it was never mined. ${outcome}`, {
      retry: 'fresh_plan',
      details,
    })
  const { code, message, status, retry, retryAfterS, hint } = refusal
  return new PitRefusal(code, `${message} ${outcome}`, {
    ...(status !== undefined && { status }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(retry === 'look_first' ? { retry: 'fresh_plan' } : { retry, ...(hint && { hint }) }),
    details,
    cause: refusal,
  })
}

export function notMined(
  hash: Hex,
  refusal: PitRefusal | null,
  { undated }: Pick<Until, 'undated'>,
): PitRefusal {
  const refused = refusal ? ` The server refused it (${refusal.code}), which proves nothing.` : ''
  return new PitRefusal('NOT_MINED', `Your node does not show what became of ${hash}.${refused}`, {
    retry: 'look_first',
    hint: undated
      ? 'It has no deadline and can still be mined. Send another transaction with its nonce to cancel it.'
      : 'Look for it on the chain before you trade again. After its deadline it can only revert.',
    details: { tx_hash: hash, ...(refusal && { refused: refusal.code }) },
    cause: refusal ?? undefined,
  })
}

/** The answered hash is wrong in any case; the details say what the client's own node shows for the signed one. */
function mismatch(refusal: PitRefusal, hash: Hex, fate: Fate): PitRefusal {
  const { outcome, ...facts } = shownBy(fate)
  return new PitRefusal('HASH_MISMATCH', `${refusal.message} The signed one, ${hash}, ${outcome}.`, {
    retry: fate.state === 'dead' ? 'fresh_plan' : 'look_first',
    details: { ...refusal.details, tx_hash: hash, state: fate.state, ...facts },
  })
}

function shownBy(fate: Fate) {
  if (fate.state === 'dead') return { outcome: `cannot trade any more: ${WHY_DEAD[fate.by]}`, dead: fate.by }
  if (fate.state === 'unknown') return { outcome: 'is not on your node' }
  const block = Number(fate.receipt.blockNumber)
  const isReverted = fate.receipt.status !== '0x1'
  return { outcome: `${isReverted ? 'reverted' : 'was mined'} in block ${block}`, block }
}
