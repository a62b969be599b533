import type { Hex } from '../bytes/hex.ts'
import type { Pool } from '../pools/types.ts'
import { RATED_SIZES, rateOutputs, sizeIndexOf } from './rateOutputs.ts'

/** So many of the best are kept for each size. A trade looks at those of the sizes around its own. */
const LEADERS = 12
/** How many pools that changed are rated anew before one answer. */
const MAX_STALE = 256
/** How many others are, in turn: a change nobody told of is found in time. */
const IN_TURN = 4

/**
 * The pools of one pair in one direction by what they would give. Asking costs the same however many there
 * are.
 */
export type Ranking = {
  add(pool: Pool): void
  remove(id: Hex): void
  /** Its state changed in place. */
  touch(id: Hex): void
  /** Those worth a quote for this input, pinned ones first. */
  best(amountIn: bigint): Pool[]
}

export function createRanking(request: {
  zeroForOne: (pool: Pool) => boolean
  isPinned: (id: Hex) => boolean
}): Ranking {
  const pools: (Pool | undefined)[] = []
  const slotOf = new Map<Hex, number>()
  const free: number[] = []
  const pinned = new Map<Hex, Pool>()
  const stale = new Set<number>()
  /** By size, then by slot: as rateOutputs has them. */
  let outputs = columns(64)
  /**
   * By list: slots of the best, best first. Undefined until it is asked for, or when one of them fell back.
   */
  const leaders: (number[] | undefined)[] = new Array(2 * RATED_SIZES).fill(undefined)
  const rated = new Float64Array(RATED_SIZES)
  let turn = 0

  /** Of each size two lists: whoever can take all of it, and whoever gives most even if it cannot. */
  const worthOf = (list: number, output: number): number =>
    list < RATED_SIZES ? Math.max(output, 0) : Math.abs(output)

  function rate(slot: number): void {
    const pool = pools[slot]
    if (pool) rateOutputs(pool, request.zeroForOne(pool), rated)
    else rated.fill(0)
    for (let size = 0; size < RATED_SIZES; size++) {
      const before = outputs[size]![slot]!
      outputs[size]![slot] = rated[size]!
      if (rated[size] === before) continue
      note(size, slot, before)
      note(RATED_SIZES + size, slot, before)
    }
  }

  function note(list: number, slot: number, before: number): void {
    const slots = leaders[list]
    if (!slots) return
    const column = outputs[list % RATED_SIZES]!
    const worth = worthOf(list, column[slot]!)
    const at = slots.indexOf(slot)
    // Who takes the place of one that fell back only a look at all of them tells.
    if (at >= 0 && worth < worthOf(list, before)) leaders[list] = undefined
    else if (at >= 0) rise(list, slots, at)
    else if (worth > 0) take(list, slots, slot)
  }

  /** Puts a slot among the best, if it is one of them. */
  function take(list: number, slots: number[], slot: number): void {
    const column = outputs[list % RATED_SIZES]!
    if (slots.length === LEADERS) {
      if (worthOf(list, column[slot]!) <= worthOf(list, column[slots[LEADERS - 1]!]!)) return
      slots.pop()
    }
    slots.push(slot)
    rise(list, slots, slots.length - 1)
  }

  /** Moves the one at `at` up to where it belongs. */
  function rise(list: number, slots: number[], at: number): void {
    const column = outputs[list % RATED_SIZES]!
    const slot = slots[at]!
    const worth = worthOf(list, column[slot]!)
    let to = at
    for (; to > 0 && worthOf(list, column[slots[to - 1]!]!) < worth; to--) slots[to] = slots[to - 1]!
    slots[to] = slot
  }

  function leadersOf(list: number): number[] {
    let slots = leaders[list]
    if (slots) return slots
    slots = []
    const column = outputs[list % RATED_SIZES]!
    for (let slot = 0; slot < pools.length; slot++)
      if (worthOf(list, column[slot]!) > 0) take(list, slots, slot)
    leaders[list] = slots
    return slots
  }

  function refresh(): void {
    let left = MAX_STALE
    for (const slot of stale) {
      if (left-- === 0) return
      stale.delete(slot)
      rate(slot)
    }
    for (let i = 0; i < IN_TURN && pools.length > 0; i++) {
      turn = (turn + 1) % pools.length
      rate(turn)
    }
  }

  return {
    add(pool) {
      const slot = free.pop() ?? pools.length
      if (slot === outputs[0]!.length) outputs = columns(2 * slot, outputs)
      pools[slot] = pool
      slotOf.set(pool.id, slot)
      if (request.isPinned(pool.id)) pinned.set(pool.id, pool)
      rate(slot)
    },
    remove(id) {
      const slot = slotOf.get(id)
      if (slot === undefined) return
      slotOf.delete(id)
      pinned.delete(id)
      pools[slot] = undefined
      stale.delete(slot)
      rate(slot)
      free.push(slot)
    },
    touch(id) {
      const slot = slotOf.get(id)
      if (slot !== undefined) stale.add(slot)
    },
    best(amountIn) {
      refresh()
      const size = sizeIndexOf(amountIn)
      const chosen = new Set(pinned.values())
      // Whoever cannot take the size below cannot take the amount. Whoever can gives most for the size above,
      // or has most to give: what is left of its depth must not count for nothing.
      for (const slot of leadersOf(size)) chosen.add(pools[slot]!)
      const above = Math.min(size + 1, RATED_SIZES - 1)
      for (const slot of leadersOf(RATED_SIZES + above)) chosen.add(pools[slot]!)
      return [...chosen]
    },
  }
}

function columns(capacity: number, from?: Float64Array[]): Float64Array[] {
  return Array.from({ length: RATED_SIZES }, (_, size) => {
    const column = new Float64Array(capacity)
    if (from) column.set(from[size]!)
    return column
  })
}
