import type { BlockJson, Log } from './types.ts'

export interface BlockListeners {
  /** Returns the unsubscribe function. */
  add(listener: (block: BlockJson) => void): () => void
  notify(block: BlockJson): void
}

export function createBlockListeners(log: Log): BlockListeners {
  const listeners = new Set<(block: BlockJson) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify(block) {
      for (const listener of listeners) {
        try {
          listener(block)
        } catch (error) {
          log('a block listener failed', { error: String(error) })
        }
      }
    },
  }
}
