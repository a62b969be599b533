import type { Chain, Hex } from '../engine/types.ts'

/** Reports each transaction's hash once: when it is sent here, otherwise when its block is mined. */
export interface PendingHashes {
  announce(hash: Hex): void
  listen(listener: (hash: Hex) => void): () => void
  close(): void
}

const REMEMBERED = 20_000

export function createPendingHashes(chain: Pick<Chain, 'onBlock'>): PendingHashes {
  const reported = new Set<Hex>()
  const listeners = new Set<(hash: Hex) => void>()
  const announce = (hash: Hex) => {
    if (reported.has(hash)) return
    reported.add(hash)
    if (reported.size > REMEMBERED) reported.delete(reported.values().next().value!)
    for (const listener of listeners) listener(hash)
  }
  const stop = chain.onBlock((block) => {
    for (const { hash } of block.transactions) announce(hash)
  })
  return {
    announce,
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: stop,
  }
}
