import type { Hex } from './types.ts'

/** A slot, or another field of an account. */
export type StateField = Hex | 'balance' | 'nonce' | 'code'

/** Former values by account and field; other fields have not changed. */
export type FormerState = ReadonlyMap<Hex, ReadonlyMap<StateField, Hex>>

/** Former values of the state, to read blocks before the running engine's first. A restart begins anew. */
export interface StateHistory {
  /** Call for every change, in the order of blocks, with the value before it. */
  note(block: number, address: Hex, field: StateField, former: Hex): void
  /** Fields that were different after this block; null if they are no longer known. */
  since(block: number): FormerState | null
}

interface Change {
  block: number
  address: Hex
  field: StateField
  former: Hex
}

/** About an hour of the default market, 20 MB. */
const MAX_CHANGES = 100_000
/** A reader asks for several values of a block, one after another. */
const MAX_CACHED = 4

export function createStateHistory(firstBlock: number, maxChanges = MAX_CHANGES): StateHistory {
  let changes: Change[] = []
  let first = firstBlock
  /** Changes that were dropped, so that positions stay valid. */
  let dropped = 0
  const cache = new Map<number, { state: Map<Hex, Map<StateField, Hex>>; position: number }>()

  /** The position of the first change after a block. */
  function positionAfter(block: number): number {
    let [low, high] = [0, changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (changes[middle]!.block > block) high = middle
      else low = middle + 1
    }
    return dropped + low
  }

  return {
    note(block, address, field, former) {
      changes.push({ block, address, field, former })
      if (changes.length < maxChanges * 1.1) return
      const surplus = changes.length - maxChanges
      first = changes[surplus - 1]!.block
      changes = changes.slice(surplus)
      dropped += surplus
    },
    since(block) {
      if (block < first) return null
      const cached = cache.get(block) ?? { state: new Map(), position: positionAfter(block) }
      for (; cached.position < dropped + changes.length; cached.position++) {
        const { address, field, former } = changes[cached.position - dropped]!
        let account = cached.state.get(address)
        if (!account) {
          account = new Map()
          cached.state.set(address, account)
        }
        // A later change of the same field is a change of something newer.
        if (!account.has(field)) account.set(field, former)
      }
      cache.delete(block)
      cache.set(block, cached)
      // The first key is the one used longest ago.
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!)
      return cached.state
    },
  }
}
