import type { Hex } from '@pit/chain'
import type { RawReceipt } from '../own/receipt.ts'

/** Of the client's dependencies; written out because errors carry a fate and everything imports errors. */
interface WatchDeps {
  rpc: {
    /** A failed call's place has an error. */
    all(
      calls: readonly { method: string; params: unknown[] }[],
      signal?: AbortSignal,
    ): Promise<readonly unknown[]>
  }
  account: { address: string }
  nowMs(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
interface WatchOptions {
  signal?: AbortSignal | undefined
}

export interface Until {
  /** The call's own deadline, or how long to wait when it has none. */
  deadlineS: number
  /** The call has no deadline: it can be mined until its nonce is used. */
  undated?: true | undefined
  /** Of the transaction; absent when a wallet may have replaced it, so that its death cannot be proven. */
  nonce?: number | undefined
}

type Facts =
  | { readonly state: 'mined'; readonly hash: Hex; readonly block: number; readonly reverted: boolean }
  | { readonly state: 'dead'; readonly hash: Hex; readonly by: 'deadline' | 'nonce' }
  | { readonly state: 'unknown'; readonly hash: Hex }

/** Not exported, so that only this file can state what became of a transaction. */
class Seen {
  declare protected readonly byOwnNode: true
  constructor(facts: Facts) {
    Object.assign(this, facts)
    Object.freeze(this)
  }
}

/**
 * The fate of a signed transaction, as the client's own node shows it. A dead one can no longer be mined.
 * @public
 */
export type Fate = Seen & Facts

const seen = <F extends Facts>(facts: F) => new Seen(facts) as Seen & F

/** A fate, with the receipt of a mined transaction. */
export type Watched =
  | { fate: Seen & Extract<Facts, { state: 'mined' }>; receipt: RawReceipt }
  | { fate: Seen & Exclude<Facts, { state: 'mined' }>; receipt: null }

const LOOK_EVERY_MS = 100
const MAX_LOOK_EVERY_MS = 2_000
/** After the deadline by the local clock; the node may be behind or unreachable. */
const GIVE_UP_AFTER_S = 30
/** Nodes behind one address can show a used nonce before the receipt. */
const CONFIRM_DEAD_MS = 2_000

/** Follows a transaction on the client's own node until it is mined, dead, or cannot be decided in time. */
export async function watchBytes(
  deps: WatchDeps,
  hash: Hex,
  { signal, ...until }: Until & WatchOptions,
  beforeNextLook: () => Promise<void> = async () => {},
): Promise<Watched> {
  const { nowMs, sleep } = deps
  let deadSinceMs: number | null = null
  for (let everyMs = 0; ; everyMs = nextWaitMs(everyMs)) {
    const watched = await look(deps, hash, until, { isFirst: everyMs === 0, signal })
    const { fate } = watched
    if (fate.state === 'mined') return watched
    deadSinceMs = fate.state === 'dead' ? (deadSinceMs ?? nowMs()) : null
    if (deadSinceMs !== null && nowMs() - deadSinceMs >= CONFIRM_DEAD_MS) return watched
    if (deadSinceMs === null && nowMs() / 1000 > until.deadlineS + GIVE_UP_AFTER_S) return watched
    await sleep(nextWaitMs(everyMs), signal)
    await beforeNextLook()
  }
}

const nextWaitMs = (everyMs: number): number =>
  everyMs === 0 ? LOOK_EVERY_MS : Math.min(everyMs * 1.5, MAX_LOOK_EVERY_MS)

/** The first look reads the receipt alone: usually the transaction is there already or about to be. */
async function look(
  { rpc, account }: WatchDeps,
  hash: Hex,
  { deadlineS, undated, nonce }: Until,
  { isFirst, signal }: { isFirst: boolean } & WatchOptions,
): Promise<Watched> {
  const receiptCall = { method: 'eth_getTransactionReceipt', params: [hash] }
  const proofOfDeath = [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [account.address, 'latest'] },
  ]
  const calls = isFirst || nonce === undefined ? [receiptCall] : [receiptCall, ...proofOfDeath]
  const answers = await rpc.all(calls, signal).catch(() => [])
  signal?.throwIfAborted()
  const [receipt, block, count] = answers.map((answer) => (answer instanceof Error ? null : answer))
  if (receipt) return minedAs(hash, receipt as RawReceipt)
  const unknown = { fate: seen({ state: 'unknown', hash }), receipt: null }
  // Only an explicit null says that the node does not have it.
  if (answers[0] !== null) return unknown
  if (count && nonce !== undefined && Number(count) > nonce) return deadBy(hash, 'nonce')
  const chainTimeS = block ? Number((block as { timestamp: Hex }).timestamp) : 0
  return !undated && chainTimeS > deadlineS ? deadBy(hash, 'deadline') : unknown
}

const minedAs = (hash: Hex, receipt: RawReceipt): Watched => {
  const reverted = receipt.status !== '0x1'
  return { fate: seen({ state: 'mined', hash, block: Number(receipt.blockNumber), reverted }), receipt }
}
const deadBy = (hash: Hex, by: 'deadline' | 'nonce'): Watched => ({
  fate: seen({ state: 'dead', hash, by }),
  receipt: null,
})
