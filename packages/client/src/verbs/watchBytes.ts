import type { Hex } from '@pit/chain'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import type { RawReceipt } from '../own/receipt.ts'
import { RpcFailure } from '../own/rpc.ts'

export interface Until {
  /** The call's own deadline, or how long to wait when it has none. */
  deadlineS: number
  /** The call has no deadline: it can be mined until its nonce is used. */
  undated?: true | undefined
  /** Of the transaction; absent when a wallet may have replaced it, so that its death cannot be proven. */
  nonce?: number | undefined
}

/** As the client's own node shows it. A dead transaction can no longer trade. */
export type Fate =
  | { state: 'mined'; receipt: RawReceipt }
  | { state: 'dead'; by: 'deadline' | 'nonce' }
  | { state: 'unknown' }

const LOOK_EVERY_MS = 100
const MAX_LOOK_EVERY_MS = 2_000
/** After the deadline by the local clock; the node may be behind or unreachable. */
const GIVE_UP_AFTER_S = 30
/** Nodes behind one address can show a used nonce before the receipt. */
const CONFIRM_DEAD_MS = 2_000

/** Follows a transaction on the client's own node until it is mined, dead, or cannot be decided in time. */
export async function watchBytes(
  deps: ClientDeps,
  hash: Hex,
  { signal, ...until }: Until & VerbOptions,
  beforeNextLook: () => Promise<void> = async () => {},
): Promise<Fate> {
  const { nowMs, sleep } = deps
  let deadSinceMs: number | null = null
  for (let everyMs = 0; ; everyMs = nextWaitMs(everyMs)) {
    const fate = await look(deps, hash, until, { isFirst: everyMs === 0, signal })
    if (fate.state === 'mined') return fate
    deadSinceMs = fate.state === 'dead' ? (deadSinceMs ?? nowMs()) : null
    if (deadSinceMs !== null && nowMs() - deadSinceMs >= CONFIRM_DEAD_MS) return fate
    if (deadSinceMs === null && nowMs() / 1000 > until.deadlineS + GIVE_UP_AFTER_S) return fate
    await sleep(nextWaitMs(everyMs), signal)
    await beforeNextLook()
  }
}

const nextWaitMs = (everyMs: number): number =>
  everyMs === 0 ? LOOK_EVERY_MS : Math.min(everyMs * 1.5, MAX_LOOK_EVERY_MS)

/** The first look reads the receipt alone: usually the transaction is there already or about to be. */
async function look(
  { rpc, account }: ClientDeps,
  hash: Hex,
  { deadlineS, undated, nonce }: Until,
  { isFirst, signal }: { isFirst: boolean } & VerbOptions,
): Promise<Fate> {
  const receiptCall = { method: 'eth_getTransactionReceipt', params: [hash] }
  const proofOfDeath = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [account.address, 'latest'] },
  ]
  const calls = isFirst || nonce === undefined ? [receiptCall] : [receiptCall, ...proofOfDeath]
  const answers = await rpc.all(calls, signal).catch(() => [])
  signal?.throwIfAborted()
  const [receipt, block, count] = answers.map((answer) => (answer instanceof RpcFailure ? null : answer))
  if (receipt) return { state: 'mined', receipt: receipt as RawReceipt }
  // Only an explicit null says that the node does not have it.
  if (answers[0] !== null) return { state: 'unknown' }
  if (count && nonce !== undefined && Number(count) > nonce) return { state: 'dead', by: 'nonce' }
  const chainTimeS = block ? Number((block as { timestamp: Hex }).timestamp) : 0
  if (!undated && chainTimeS > deadlineS) return { state: 'dead', by: 'deadline' }
  return { state: 'unknown' }
}
