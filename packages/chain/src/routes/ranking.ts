import type { Hex } from '../bytes/hex.ts'
import type { Pool } from '../pools/types.ts'
import { RATED_SIZES, rateOutputs, sizeIndexOf } from './rateOutputs.ts'

/** Leaders kept per size. A trade considers those of the sizes around its own. */
const LEADERS = 12
/** Maximum number of changed pools rated again before one result. */
const MAX_STALE = 256
/** Number of other pools rated in turn, so that an unannounced change is noticed in time. */
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
  /** By list: slots of the best, best first. Undefined until needed, or after one of them fell back. */
  const leaders: (number[] | undefined)[] = new Array(2 * RATED_SIZES).fill(undefined)
  const rated = new Float64Array(RATED_SIZES)
  let turn = 0

  /** Two lists per size: pools that can take all of it, and pools with the highest output even if they cannot. */
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
    // The successor of a pool that fell back is found only by scanning all of them.
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
      // A pool that cannot take the size below cannot take the amount. One that can leads the size above, or has
      // the most depth left, which must count too.
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
