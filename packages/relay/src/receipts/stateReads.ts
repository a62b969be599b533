import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import {
  askBalance,
  askBlockTime,
  askEther,
  askLogs,
  askNonce,
  PAGED,
  type Question,
  readAll,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { transfersOf } from './amounts.ts'
import type { Receipt } from './types.ts'

/** Collects reads for many rows and sends them together; results are available after `run`. */
export interface StateReads {
  blockTimeS(blockHash: Hex): () => number | undefined
  etherGained(request: {
    wallet: Address
    receipt: Receipt
    /** Transactions the wallet sent in this block, if these were the only ones. */
    ownTxs: number
    gasWei: bigint
  }): () => bigint | undefined
  tokenGained(request: {
    token: Address
    holder: Address
    hash: Hex
    receipt: Receipt
  }): () => bigint | undefined
  run(rpc: Rpc): Promise<void>
}

export function createStateReads(): StateReads {
  const places = new Map<string, number>()
  const questions: Question<unknown>[] = []
  let answers: unknown[] = []

  /** Deduplicates identical reads. */
  function queue<T>(question: Question<T>): () => T | undefined {
    const name = JSON.stringify(question.call)
    const place = places.get(name) ?? questions.push(question) - 1
    places.set(name, place)
    return () => answers[place] as T | undefined
  }

  return {
    blockTimeS(blockHash) {
      const answer = queue(askBlockTime({ hash: blockHash }))
      return () => answer() ?? undefined
    },
    etherGained({ wallet, receipt: { block }, ownTxs, gasWei }) {
      const after = queue(askEther(wallet, block))
      const before = queue(askEther(wallet, block - 1))
      const sentAfter = queue(askNonce(wallet, block))
      const sentBefore = queue(askNonce(wallet, block - 1))
      return () => {
        const [a, b, n, m] = [after(), before(), sentAfter(), sentBefore()]
        if (a === undefined || b === undefined || n === undefined || m === undefined) return undefined
        // The wallet sent another transaction in the same block: the difference is not this one's alone.
        return n - m === ownTxs ? a - b + gasWei : undefined
      }
    },
    tokenGained({ token, holder, hash, receipt: { block, blockHash } }) {
      const after = queue(askBalance({ wallet: holder, token }, { block }))
      const before = queue(askBalance({ wallet: holder, token }, { block: block - 1 }))
      const logs = queue(askLogs({ address: token, topics: [ERC20_TRANSFER_TOPIC] }, { blockHash }))
      return () => {
        const [a, b, all] = [after(), before(), logs()]
        if (a === undefined || b === undefined || all === undefined) return undefined
        const others = all.filter(({ transactionHash }) => transactionHash !== hash)
        const moved = transfersOf(others, token)
        return moved.some(({ from, to }) => from === holder || to === holder) ? undefined : a - b
      }
    },
    run: async (rpc) => {
      answers = await readAll(rpc, questions, PAGED)
    },
  }
}
