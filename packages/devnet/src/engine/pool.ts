import { pooling } from './mineBlock.ts'
import { type Provider, rpcFailure } from './provider.ts'
import { type Replayable, replayableOf } from './replayable.ts'
import type { BlockJson, Hex, OwnedTx } from './types.ts'

type TxJson = BlockJson['transactions'][number] & { blockNumber?: Hex | null }

/** Pending transactions in order of arrival. */
export interface Pool {
  sendRaw(engine: Provider, raw: Hex): Promise<Hex>
  sendOwned(engine: Provider, tx: OwnedTx): Promise<Hex>
  /** The block's transactions in replayable form; they leave the pool. */
  take(block: BlockJson): Replayable[]
  /** Pools the transactions of a clean stop again; an invalid one is dropped, as it would have been. */
  restore(engine: Provider, txs: readonly Replayable[]): Promise<void>
  /** Transactions that are not mined yet, some of them dropped or replaced. */
  hashes(): Hex[]
  /** Transactions the engine still holds, in order of arrival. */
  waiting(engine: Provider): Promise<Replayable[]>
  size(): number
}

/** Past this many, search for entries the engine has dropped or replaced. */
const SWEEP_AT = 512
/** Newest mined transactions that are remembered: far more than are mined before a send returns. */
const MINED_KEPT = 4_096

export function createPool(): Pool {
  // Undefined: signed by the engine, rebuilt from its JSON when needed.
  const sent = new Map<Hex, Replayable | undefined>()
  // A transaction may be mined before the answer to its sender arrives.
  const mined = new Set<Hex>()
  let sweepAt = SWEEP_AT

  const held = async (engine: Provider) => {
    const hashes = [...sent.keys()]
    const transactions = await engine.batch(
      hashes.map((hash) => ['eth_getTransactionByHash', [hash]] as const),
    )
    const pending = transactions as (TxJson | null)[]
    for (const [at, hash] of hashes.entries()) if (!isPending(pending[at])) sent.delete(hash)
    return pending.filter(isPending)
  }
  const keep = async (engine: Provider, hash: Hex, form: Replayable | undefined) => {
    if (mined.has(hash)) return
    sent.set(hash, form)
    if (sent.size <= sweepAt) return
    sweepAt = Number.POSITIVE_INFINITY
    await held(engine)
    sweepAt = SWEEP_AT + 2 * sent.size
  }

  return {
    async sendRaw(engine, raw) {
      const hash = await engine.request<Hex>('eth_sendRawTransaction', [raw])
      await keep(engine, hash, { raw })
      return hash
    },
    async sendOwned(engine, tx) {
      const { gas, ...rest } = tx
      const limit = gas ?? withMargin(await engine.request<Hex>('eth_estimateGas', [rest, 'pending']))
      const hash = await engine.request<Hex>('eth_sendTransaction', [{ ...rest, gas: limit }])
      await keep(engine, hash, undefined)
      return hash
    },
    take(block) {
      return block.transactions.map((tx) => {
        const form = sent.get(tx.hash) ?? replayableOf(tx)
        sent.delete(tx.hash)
        mined.add(tx.hash)
        if (mined.size > MINED_KEPT) mined.delete(mined.values().next().value!)
        return form
      })
    },
    async restore(engine, txs) {
      for (const tx of txs) {
        const answers = await engine.batch(pooling(tx)).catch(() => [])
        if (answers.length > 0) sent.set(answers.at(-1) as Hex, tx)
      }
    },
    hashes: () => [...sent.keys()],
    waiting: async (engine) => (await held(engine)).map((tx) => sent.get(tx.hash) ?? replayableOf(tx)),
    size: () => sent.size,
  }
}

/** Moves transactions into another engine's pool; a rejected one is dropped, as by a node. */
export async function carryOver(
  engine: Provider,
  txs: readonly Replayable[],
  dropped: (error: unknown) => void,
): Promise<void> {
  for (const tx of txs) await engine.batch(pooling(tx)).catch(dropped)
}

const isPending = (tx: TxJson | null | undefined): tx is TxJson => Boolean(tx) && !tx?.blockNumber

/** A block later the same call may cost a little more. */
function withMargin(estimated: Hex): bigint {
  const gas = (BigInt(estimated) * 12n) / 10n
  if (gas <= 0n) throw rpcFailure(-32000, 'gas could not be estimated')
  return gas
}
