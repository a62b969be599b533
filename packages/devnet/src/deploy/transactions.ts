import { type Address, getContractAddress, type Hex } from 'viem'
import type { Chain } from '../engine/types.ts'

interface Queued {
  label: string
  to?: Address
  data: Hex
  gas: bigint
  value?: bigint
}

/** The deployer's transactions: queued with addresses known in advance, mined many to a block. */
export interface Transactions {
  /** Queues a creation and returns its future address. */
  create(label: string, initCode: Hex, gas?: bigint): Address
  send(label: string, tx: { to: Address; data: Hex; gas: bigint; value?: bigint }): void
  /** Mines until everything queued is in a block; throws with the label of the failed one. */
  mineAll(atS: bigint): Promise<void>
  gasUsed(): bigint
}

/** Gas limit of a devnet block. */
const BLOCK_GAS = 15_000_000n

/** Gas of code deposit, calldata and constructor; too high a limit only wastes room in the block. */
const creationGas = (initCode: Hex) => 250_000n + BigInt((initCode.length / 2) * 230)

export async function createTransactions(chain: Chain, from: Address): Promise<Transactions> {
  let nonce = BigInt(await chain.request<Hex>('eth_getTransactionCount', [from, 'latest']))
  let queue: Queued[] = []
  let gasUsed = 0n

  const check = async (sent: Map<Hex, Queued>, hash: Hex) => {
    const receipt = await chain.request<{ status: Hex; gasUsed: Hex } | null>('eth_getTransactionReceipt', [
      hash,
    ])
    const tx = sent.get(hash)
    if (!tx) return
    if (receipt?.status !== '0x1') throw new Error(`${tx.label} failed: ${await whyFailed(chain, from, tx)}`)
    gasUsed += BigInt(receipt.gasUsed)
    sent.delete(hash)
  }

  return {
    create(label, initCode, gas) {
      const address = getContractAddress({ from, nonce: nonce + BigInt(queue.length) })
      queue.push({ label, data: initCode, gas: gas ?? creationGas(initCode) })
      return address
    },
    send(label, tx) {
      queue.push({ label, ...tx })
    },
    async mineAll(atS) {
      // No more pooled than a block takes: the engine copies its pool at every block.
      for (const batch of blocksOf(queue)) {
        const sent = new Map<Hex, Queued>()
        for (const tx of batch) {
          const { label: _, ...call } = tx
          sent.set(await chain.sendOwned({ from, ...call }), tx)
        }
        const block = await chain.mine(atS)
        for (const { hash } of block.transactions) await check(sent, hash)
        if (sent.size > 0)
          throw new Error(`not mined: ${[...sent.values()].map((tx) => tx.label).join(', ')}`)
      }
      nonce += BigInt(queue.length)
      queue = []
    },
    gasUsed: () => gasUsed,
  }
}

/** Splits the queue into blocks by gas limits. */
function blocksOf(queue: readonly Queued[]): Queued[][] {
  const blocks: Queued[][] = []
  let room = 0n
  for (const tx of queue) {
    if (tx.gas > room) {
      blocks.push([])
      room = BLOCK_GAS
    }
    blocks.at(-1)!.push(tx)
    room -= tx.gas
  }
  return blocks
}

async function whyFailed(chain: Chain, from: Address, tx: Queued): Promise<string> {
  try {
    await chain.request('eth_call', [
      { from, to: tx.to, data: tx.data, value: tx.value, gas: tx.gas },
      'latest',
    ])
    return 'out of gas, or dependent on its position in the block'
  } catch (error) {
    return `${(error as Error).message} ${JSON.stringify((error as { data?: unknown }).data ?? '')}`.slice(
      0,
      600,
    )
  }
}
