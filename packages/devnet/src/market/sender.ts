import { createHash } from 'node:crypto'
import { type Crypto, signTx } from '@pit/chain'
import type { Chain, Hex } from '../engine/types.ts'

/** One call a market account makes. */
export interface MarketTx {
  /** Null deploys. */
  to: Hex | null
  data: Hex
  value?: bigint
  gas: bigint
}

export interface MarketAccount {
  address: Hex
  privateKey: Hex
}

/** The market's own keys: derived from a fixed text, the same in every devnet. */
export function marketAccounts(crypto: Crypto, count: number): MarketAccount[] {
  return Array.from({ length: count }, (_, i) => {
    const privateKey: Hex = `0x${createHash('sha256').update(`pit devnet market ${i}`).digest('hex')}`
    return { privateKey, address: crypto.addressOf(privateKey) as Hex }
  })
}

export interface Sender {
  /**
   * Signs and pools the calls in order; returns how many were accepted. Never throws: rejections are counted.
   */
  send(account: MarketAccount, txs: MarketTx[]): Promise<number>
  stats(): { sent: number; refused: number; resyncs: number }
}

/** How many blocks a pooled transaction may wait before the nonce is read again. */
const STUCK_BLOCKS = 30n

interface NonceState {
  next: number
  /** The chain's nonce when it last changed, and the block of that change. */
  seen: number
  seenAt: bigint
}

/** Pools signed transactions with nonces counted here, and recounts from the chain after every rejection. */
export function createSender({ chain, crypto }: { chain: Chain; crypto: Crypto }): Sender {
  const nonces = new Map<Hex, NonceState>()
  const stats = { sent: 0, refused: 0, resyncs: 0 }

  const minedNonce = async (address: Hex, tag: 'latest' | 'pending') =>
    Number(await chain.request<Hex>('eth_getTransactionCount', [address, tag]))

  async function nonceOf(account: MarketAccount): Promise<NonceState> {
    const nonce = nonces.get(account.address)
    const at = chain.head().number
    if (nonce && (nonce.next === nonce.seen || at - nonce.seenAt < STUCK_BLOCKS)) return nonce
    const mined = await minedNonce(account.address, 'latest')
    if (nonce && mined !== nonce.seen && mined <= nonce.next) {
      nonce.seen = mined
      nonce.seenAt = at
      return nonce
    }
    // First use, a gap that never closes (rejected or reverted transactions), or a rewound chain.
    const next = nonce ? mined : await minedNonce(account.address, 'pending')
    if (nonce) stats.resyncs += 1
    const fresh = { next, seen: mined, seenAt: at }
    nonces.set(account.address, fresh)
    return fresh
  }

  return {
    async send(account, txs) {
      let accepted = 0
      try {
        const nonce = await nonceOf(account)
        if (nonce.next === nonce.seen) nonce.seenAt = chain.head().number
        const maxFeePerGas = chain.head().baseFeeWei * 4n + 1_000_000n
        for (const tx of txs) {
          const unsigned = {
            type: 2 as const,
            chainId: 4663,
            nonce: nonce.next,
            maxFeePerGas,
            maxPriorityFeePerGas: 1_000_000n,
            accessList: [],
            value: 0n,
            ...tx,
          }
          await chain.sendRaw(signTx(crypto, unsigned, account.privateKey).raw)
          nonce.next += 1
          accepted += 1
        }
      } catch {
        stats.refused += txs.length - accepted
        nonces.delete(account.address)
      }
      stats.sent += accepted
      return accepted
    },
    stats: () => ({ ...stats }),
  }
}
