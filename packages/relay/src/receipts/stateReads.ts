import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import type { Rpc, RpcCall } from '@pit/platform/rpc'
import { transfersOf } from './amounts.ts'
import { readAll } from './readReceipts.ts'
import type { Receipt, ReceiptLog } from './types.ts'

/** Reads gathered for many rows and sent together; what is asked for can be had once `run` is done. */
export interface StateReads {
  blockTimeS(blockHash: Hex): () => number | undefined
  etherGained(ask: {
    wallet: Address
    receipt: Receipt
    /** Transactions the wallet itself sent in this block when it sent no other. */
    ownTxs: number
    gasWei: bigint
  }): () => bigint | undefined
  tokenGained(ask: { token: Address; holder: Address; hash: Hex; receipt: Receipt }): () => bigint | undefined
  run(rpc: Rpc): Promise<void>
}

const BALANCE_OF = '0x70a08231'
const tag = (block: number): Hex => `0x${block.toString(16)}`

export function createStateReads(): StateReads {
  const places = new Map<string, number>()
  const calls: RpcCall[] = []
  let answers: unknown[] = []

  /** The same question is asked once. */
  function ask(call: RpcCall): () => unknown {
    const name = JSON.stringify(call)
    const place = places.get(name) ?? calls.push(call) - 1
    places.set(name, place)
    return () => answers[place]
  }
  const quantity = (call: RpcCall) => {
    const answer = ask(call)
    return (): bigint | undefined => {
      const value = answer()
      return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined
    }
  }
  const balanceOf = (token: Address, holder: Address, block: number) =>
    quantity([
      'eth_call',
      [{ to: token, data: `${BALANCE_OF}${holder.slice(2).padStart(64, '0')}` }, tag(block)],
    ])

  return {
    blockTimeS(blockHash) {
      const answer = ask(['eth_getBlockByHash', [blockHash, false]])
      return () => {
        const block = answer() as { timestamp?: string } | null | undefined
        return block?.timestamp === undefined ? undefined : Number(block.timestamp)
      }
    },
    etherGained({ wallet, receipt: { block }, ownTxs, gasWei }) {
      const after = quantity(['eth_getBalance', [wallet, tag(block)]])
      const before = quantity(['eth_getBalance', [wallet, tag(block - 1)]])
      const sentAfter = quantity(['eth_getTransactionCount', [wallet, tag(block)]])
      const sentBefore = quantity(['eth_getTransactionCount', [wallet, tag(block - 1)]])
      return () => {
        const [a, b, n, m] = [after(), before(), sentAfter(), sentBefore()]
        if (a === undefined || b === undefined || n === undefined || m === undefined) return undefined
        // The wallet sent something else in the same block: the difference is not this transaction's alone.
        return n - m === BigInt(ownTxs) ? a - b + gasWei : undefined
      }
    },
    tokenGained({ token, holder, hash, receipt: { block, blockHash } }) {
      const after = balanceOf(token, holder, block)
      const before = balanceOf(token, holder, block - 1)
      const logs = ask(['eth_getLogs', [{ blockHash, address: token, topics: [ERC20_TRANSFER_TOPIC] }]])
      return () => {
        const [a, b, all] = [after(), before(), logs()]
        if (a === undefined || b === undefined || !Array.isArray(all)) return undefined
        const others = (all as (ReceiptLog & { transactionHash: Hex })[]).filter(
          ({ transactionHash }) => transactionHash.toLowerCase() !== hash,
        )
        const moved = transfersOf(others.map(lowered), token)
        return moved.some(({ from, to }) => from === holder || to === holder) ? undefined : a - b
      }
    },
    run: async (rpc) => {
      answers = await readAll(rpc, calls)
    },
  }
}

const lowered = ({ address, topics, data }: ReceiptLog): ReceiptLog => ({
  address: address.toLowerCase() as Address,
  topics: topics.map((topic) => topic.toLowerCase() as Hex),
  data,
})
