import type { Hex, LotMethod } from './types.ts'

/** A purchase. Pieces are taken cumulatively, so that their costs add up to the lot's exactly. */
interface Lot {
  /** Order of acquisition over all tokens. */
  order: number
  atoms: bigint
  takenAtoms: bigint
  /** Null for a balance that no trade explains. */
  costMicroUsd: bigint | null
  acquiredS: number | null
  acquiredHash: Hex | null
}

/** A part of a lot, or a whole one. */
export type Piece = Omit<Lot, 'takenAtoms'>

/** Lots of one token, oldest first. */
export interface LotQueue {
  /** Lots keep their place by age, so a wrapped one is inserted. */
  add(piece: Piece): void
  /** At most what is there. */
  take(atoms: bigint, method: LotMethod): Piece[]
  open(): Piece[]
  atoms(): bigint
  /** Of the open lots whose cost is known. */
  knownCost(): bigint
}

export function createLots(): LotQueue {
  const lots: Lot[] = []
  let head = 0
  let total = 0n
  let knownCost = 0n
  return {
    add(piece) {
      if (piece.atoms <= 0n) return
      total += piece.atoms
      knownCost += piece.costMicroUsd ?? 0n
      const lot = { ...piece, takenAtoms: 0n }
      let at = lots.length
      while (at > head && lots[at - 1]!.order > piece.order) at--
      if (at === lots.length) lots.push(lot)
      else lots.splice(at, 0, lot)
    },
    take(atoms, method) {
      const pieces: Piece[] = []
      let left = atoms < total ? atoms : total
      total -= left
      while (left > 0n) {
        const lot = method === 'fifo' ? lots[head]! : lots.at(-1)!
        const open = lot.atoms - lot.takenAtoms
        const part = open < left ? open : left
        const piece = pieceOf(lot, part)
        pieces.push(piece)
        knownCost -= piece.costMicroUsd ?? 0n
        lot.takenAtoms += part
        left -= part
        if (lot.takenAtoms < lot.atoms) continue
        if (method === 'fifo') head++
        else lots.pop()
      }
      return pieces
    },
    open: () => lots.slice(head).map((lot) => pieceOf(lot, lot.atoms - lot.takenAtoms)),
    atoms: () => total,
    knownCost: () => knownCost,
  }
}

function pieceOf({ takenAtoms, ...lot }: Lot, atoms: bigint): Piece {
  const { costMicroUsd } = lot
  return {
    ...lot,
    atoms,
    costMicroUsd:
      costMicroUsd === null
        ? null
        : shareUpTo(costMicroUsd, takenAtoms + atoms, lot.atoms) -
          shareUpTo(costMicroUsd, takenAtoms, lot.atoms),
  }
}

const shareUpTo = (total: bigint, part: bigint, whole: bigint): bigint => (total * part) / whole

/** Divides a sum in proportion to the parts; the shares add up to it exactly. */
export function divide(total: bigint, parts: readonly bigint[]): bigint[] {
  const whole = parts.reduce((sum, part) => sum + part, 0n)
  let before = 0n
  return parts.map((part) => {
    const share = whole === 0n ? 0n : shareUpTo(total, before + part, whole) - shareUpTo(total, before, whole)
    before += part
    return share
  })
}
