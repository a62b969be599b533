import { createHash } from 'node:crypto'
import { publicAccounts } from './accounts.ts'
import { createFifo } from './fifo.ts'
import { mineBlock, replayBlock } from './mineBlock.ts'
import { createProvider } from './provider.ts'
import { type Replayable, replayableOf } from './replayable.ts'
import type { BlockJson, Chain, Head, Hex, OwnedTx } from './types.ts'

export interface ChainOptions {
  /** Where the chain rests; absent: memory only. */
  dataDir?: string
  /** Milliseconds since the epoch. */
  now?: () => number
  blockGasLimit?: bigint
  baseFeeWei?: bigint
  log?: (message: string, fields?: Record<string, unknown>) => void
}

export async function openChain(options: ChainOptions = {}): Promise<Chain> {
  const now = options.now ?? Date.now
  const log = options.log ?? ((message, fields) => console.error(message, fields ?? ''))
  const baseFeeWei = options.baseFeeWei ?? 10_000_000n
  const owned = publicAccounts()
  const genesisTimeS = BigInt(Math.floor(now() / 1000)) - 1n
  const engineOptions = {
    genesis: owned.map(({ address }) => ({ address, balance: 10_000n * 10n ** 18n })),
    genesisTimeS,
    ownedKeys: owned.map(({ privateKey }) => privateKey),
    autoMine: false,
    blockGasLimit: options.blockGasLimit ?? 15_000_000n,
    baseFeeWei,
  }
  const main = await createProvider(engineOptions)
  const shadow = await createProvider({ ...engineOptions, ordering: 'arrival' })
  const onMain = createFifo()
  const lockShadow = createFifo()
  const listeners = new Set<(block: BlockJson) => void>()
  const raws = new Map<string, Replayable>()
  const stats = { blocks: 0, shadowMismatches: 0, rotations: 0, walBytes: 0 }
  let head = headOf(await main.request<BlockJson>('eth_getBlockByNumber', ['latest', false]))
  let shadowHead = head
  let offsetS = 0n
  let nextAtS: bigint | undefined
  let nextBaseFeeWei: bigint | undefined
  let committing: Promise<unknown> | undefined
  let timer: NodeJS.Timeout | undefined

  const mirror = (block: BlockJson, txs: Replayable[]) =>
    lockShadow(async () => {
      const copy = await replayBlock(shadow, termsOf(block), txs)
      shadowHead = headOf(copy)
      if (copy.hash === block.hash) return
      stats.shadowMismatches += 1
      log('shadow mismatch', { number: block.number, main: block.hash, shadow: copy.hash })
    }).catch((error) => {
      stats.shadowMismatches += 1
      log('shadow replay failed', { number: block.number, error: String(error) })
    })

  const mineNow = async (atS?: bigint): Promise<BlockJson> => {
    const wanted = atS ?? nextAtS ?? BigInt(Math.floor(now() / 1000)) + offsetS
    const terms = {
      timestampS: later(wanted, head.timestampS),
      baseFeeWei: nextBaseFeeWei ?? baseFeeWei,
      prevRandao: randaoAfter(head),
    }
    nextAtS = undefined
    nextBaseFeeWei = undefined
    const mining = mineBlock(main, terms)
    committing = mining
    try {
      const block = await mining
      const txs = block.transactions.map((tx) => raws.get(tx.hash) ?? replayableOf(tx))
      for (const tx of block.transactions) raws.delete(tx.hash)
      head = headOf(block)
      stats.blocks += 1
      mirror(block, txs)
      return block
    } finally {
      committing = undefined
    }
  }

  const mine = (atS?: bigint) =>
    onMain(() => mineNow(atS)).then((block) => {
      for (const listener of listeners) listener(block)
      return block
    })

  // An answer that may have seen the block being mined waits until that block is kept.
  const settled = async <T>(answer: T): Promise<T> => {
    while (committing) await committing.catch(() => {})
    return answer
  }

  return {
    fresh: true,
    head: () => head,
    request: async (method, params = []) => settled(await main.request(method, params)),
    async sendRaw(raw) {
      const hash = await main.request<Hex>('eth_sendRawTransaction', [raw])
      raws.set(hash, { raw })
      return hash
    },
    async sendOwned(tx: OwnedTx) {
      const { gas, ...rest } = tx
      const limit = gas ?? (BigInt(await main.request<Hex>('eth_estimateGas', [rest, 'pending'])) * 12n) / 10n
      return main.request<Hex>('eth_sendTransaction', [{ ...rest, gas: limit }])
    },
    async admin<T>(method: string, params: unknown[] = []): Promise<T> {
      if (method === 'evm_mine')
        return mine(params[0] === undefined ? undefined : BigInt(params[0] as string)).then(() => '0x0' as T)
      return onMain(async () => {
        if (method === 'evm_increaseTime') {
          offsetS += BigInt(params[0] as string)
          return offsetS.toString() as T
        }
        if (method === 'evm_setNextBlockTimestamp') {
          nextAtS = BigInt(params[0] as string)
          return nextAtS.toString() as T
        }
        if (method === 'hardhat_setNextBlockBaseFeePerGas') {
          nextBaseFeeWei = BigInt(params[0] as string)
          return true as T
        }
        const answer = await main.request<T>(method, params)
        lockShadow(() => shadow.request(method, params)).catch((error) => {
          stats.shadowMismatches += 1
          log('shadow refused an admin call', { method, error: String(error) })
        })
        return answer
      })
    },
    mine,
    onShadow: (run) =>
      lockShadow(async () => {
        const snapshot = await shadow.request<Hex>('evm_snapshot')
        try {
          return await run(shadow, shadowHead)
        } finally {
          await shadow.request('evm_revert', [snapshot])
        }
      }),
    onBlock(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    startTicking(blockMs) {
      let busy = false
      timer = setInterval(() => {
        if (busy) return
        busy = true
        mine()
          .catch((error) => log('mining failed', { error: String(error) }))
          .finally(() => {
            busy = false
          })
      }, blockMs)
    },
    stats: () => ({ ...stats }),
    async close() {
      clearInterval(timer)
      await onMain(async () => {})
      await lockShadow(async () => {})
    },
  }
}

const later = (a: bigint, b: bigint) => (a < b ? b : a)

const headOf = (block: BlockJson): Head => ({
  number: BigInt(block.number),
  hash: block.hash,
  timestampS: BigInt(block.timestamp),
  baseFeeWei: BigInt(block.baseFeePerGas),
})

const termsOf = (block: BlockJson) => ({
  timestampS: BigInt(block.timestamp),
  baseFeeWei: BigInt(block.baseFeePerGas),
  prevRandao: block['mixHash'] as Hex,
})

/** Fixed by the parent, so every engine and every replay agrees without asking EDR's own generator. */
const randaoAfter = (parent: Head): Hex =>
  `0x${createHash('sha256').update(parent.hash).update(parent.number.toString()).digest('hex')}`
