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

/** Reads gathered for many rows and sent together; what is asked for can be had once `run` is done. */
export interface StateReads {
  blockTimeS(blockHash: Hex): () => number | undefined
  etherGained(request: {
    wallet: Address
    receipt: Receipt
    /** Transactions the wallet itself sent in this block when it sent no other. */
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

  /** The same question is asked once. */
  function ask<T>(question: Question<T>): () => T | undefined {
    const name = JSON.stringify(question.call)
    const place = places.get(name) ?? questions.push(question) - 1
    places.set(name, place)
    return () => answers[place] as T | undefined
  }

  return {
    blockTimeS(blockHash) {
      const answer = ask(askBlockTime({ hash: blockHash }))
      return () => answer() ?? undefined
    },
    etherGained({ wallet, receipt: { block }, ownTxs, gasWei }) {
      const after = ask(askEther(wallet, block))
      const before = ask(askEther(wallet, block - 1))
      const sentAfter = ask(askNonce(wallet, block))
      const sentBefore = ask(askNonce(wallet, block - 1))
      return () => {
        const [a, b, n, m] = [after(), before(), sentAfter(), sentBefore()]
        if (a === undefined || b === undefined || n === undefined || m === undefined) return undefined
        // The wallet sent something else in the same block: the difference is not this transaction's alone.
        return n - m === ownTxs ? a - b + gasWei : undefined
      }
    },
    tokenGained({ token, holder, hash, receipt: { block, blockHash } }) {
      const after = ask(askBalance({ wallet: holder, token }, { block }))
      const before = ask(askBalance({ wallet: holder, token }, { block: block - 1 }))
      const logs = ask(askLogs({ address: token, topics: [ERC20_TRANSFER_TOPIC] }, { blockHash }))
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
