import type { Hex } from './types.ts'

/**
 * Maps hashes to block numbers in about 20 bytes each: open addressing on the first 48 bits. Two hashes may
 * share them, so a lookup returns candidates and the reader compares the whole hash.
 */
export interface HashIndex {
  set(hash: Hex | Buffer, number: number): void
  candidates(hash: Hex): number[]
  size(): number
}

export function createHashIndex(): HashIndex {
  let capacity = 1024
  let keys = new Float64Array(capacity)
  let values = new Uint32Array(capacity)
  let used = 0

  const place = (key: number, number: number) => {
    let slot = key % capacity
    while (keys[slot] !== 0) {
      if (keys[slot] === key && values[slot] === number) return
      slot = (slot + 1) % capacity
    }
    keys[slot] = key
    values[slot] = number
    used += 1
  }

  const grow = () => {
    const [oldKeys, oldValues] = [keys, values]
    capacity *= 2
    keys = new Float64Array(capacity)
    values = new Uint32Array(capacity)
    used = 0
    for (let slot = 0; slot < oldKeys.length; slot++) {
      if (oldKeys[slot] !== 0) place(oldKeys[slot]!, oldValues[slot]!)
    }
  }

  return {
    set(hash, number) {
      if ((used + 1) * 3 > capacity * 2) grow()
      place(keyOf(hash), number)
    },
    candidates(hash) {
      const key = keyOf(hash)
      const candidates: number[] = []
      for (let slot = key % capacity; keys[slot] !== 0; slot = (slot + 1) % capacity) {
        if (keys[slot] === key) candidates.push(values[slot]!)
      }
      return candidates
    },
    size: () => used,
  }
}

/** 48 bits and one more, so that no key is the empty slot's zero. */
const keyOf = (hash: Hex | Buffer): number =>
  1 + (typeof hash === 'string' ? Number.parseInt(hash.slice(2, 14), 16) : hash.readUIntBE(0, 6))
