import { type Hex, parseSignedTx } from '@pit/chain'
import { RETRIES } from '@pit/protocol'
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
  const call = () => relayOnce(send, hashes, signal)
  let relayed = await call()
  if (relayed === 'confirmed') onStage?.({ stage: 'relayed', hashes })
  else onStage?.({ stage: 'following', code: codeOf(relayed), untilS: until.deadlineS })
  let resendAtMs = resendTimeMs(deps, relayed)
  const nonce = nonceOf(raws.at(-1)!)
  const hash = hashes.at(-1)!
  const { fate } = await watchBytes(deps, hash, { ...until, nonce, signal }, async () => {
    if (!isRefusal(relayed) || !TRANSIENT.has(relayed.retry)) return
    if (deps.nowMs() < resendAtMs || deps.nowMs() / 1000 > until.deadlineS) return
    relayed = await call()
    resendAtMs = resendTimeMs(deps, relayed)
  })
  if (relayed === 'other_hash') throw otherHash(fate)
  if (fate.state !== 'mined') throw notMined(fate, until, isRefusal(relayed) ? relayed : null)
}

/** The server confirmed exactly the signed hashes, returned others, or refused. */
type Relayed = 'confirmed' | 'other_hash' | PitRefusal

const codeOf = (relayed: Exclude<Relayed, 'confirmed'>): string =>
  relayed === 'other_hash' ? 'HASH_MISMATCH' : relayed.code

async function relayOnce(
  send: () => Promise<readonly unknown[]>,
  hashes: readonly Hex[],
  signal: AbortSignal | undefined,
): Promise<Relayed> {
  try {
    const answer = await send()
    const returned = answer.map((hash) => (typeof hash === 'string' ? hash.toLowerCase() : ''))
    const isSame = returned.length === hashes.length && returned.every((hash, i) => hash === hashes[i])
    return isSame ? 'confirmed' : 'other_hash'
  } catch (error) {
    signal?.throwIfAborted()
    if (isRefusal(error)) return error
    return new PitRefusal('SERVER_UNREACHABLE', 'The server returned no readable response.', {
      retry: 'look_first',
      cause: error,
    })
  }
}

const resendTimeMs = ({ nowMs }: ClientDeps, relayed: Relayed): number =>
  nowMs() + Math.max(RESEND_EVERY_MS, ((isRefusal(relayed) && relayed.retryAfterS) || 0) * 1000)

function nonceOf(raw: Hex): number | undefined {
  const parsed = parseSignedTx(raw)
  return parsed.ok ? parsed.tx.nonce : undefined
}

const WHY_DEAD = {
  deadline: 'its deadline has passed on chain',
  nonce: 'another transaction used its nonce',
} as const

/** The error for bytes that are not mined; what the server said about them proves nothing. */
export function notMined(
  fate: Exclude<Fate, { state: 'mined' }>,
  { undated }: Pick<Until, 'undated'>,
  refusal: PitRefusal | null = null,
): PitRefusal {
  const about = {
    fate,
    details: { tx_hash: fate.hash },
    server: refusal?.server ?? null,
    cause: refusal ?? undefined,
  }
  if (fate.state === 'dead')
    return new PitRefusal('NOT_MINED', `Nothing was traded: ${fate.hash} ${outcomeOf(fate)}.`, {
      ...about,
      retry: 'fresh_plan',
      hint: RETRIES.fresh_plan,
    })
  const refused = refusal ? ` The server did not confirm it (${refusal.code}), which proves nothing.` : ''
  return new PitRefusal('NOT_MINED', `Your node does not show what became of ${fate.hash}.${refused}`, {
    ...about,
    retry: 'look_first',
    hint: undated
      ? 'It has no deadline and can still be mined. Send another transaction with its nonce to cancel it.'
      : 'Look for it on the chain before you trade again. After its deadline it can only revert.',
  })
}

/** The returned hash is wrong in any case; `fate` is of the signed one. */
const otherHash = (fate: Fate): PitRefusal =>
  new PitRefusal(
    'HASH_MISMATCH',
    `The server returned another transaction hash. The signed one, ${fate.hash}, ${outcomeOf(fate)}.`,
    {
      retry: fate.state === 'dead' ? 'fresh_plan' : 'look_first',
      details: { tx_hash: fate.hash },
      fate,
    },
  )

function outcomeOf(fate: Fate): string {
  if (fate.state === 'unknown') return 'is not on your node'
  if (fate.state === 'dead') return `can no longer be mined: ${WHY_DEAD[fate.by]}`
  return `${fate.reverted ? 'reverted' : 'was mined'} in block ${fate.block}`
}
