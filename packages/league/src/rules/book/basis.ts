import type { Book } from './book.ts'

/** Adds to a token's amount; one that comes to nothing is not kept. */
export function addTo(amounts: Map<string, bigint>, token: string, amount: bigint): void {
  const sum = (amounts.get(token) ?? 0n) + amount
  if (sum === 0n) amounts.delete(token)
  else amounts.set(token, sum)
}

/** The basis of some of a holding: its share, rounded up, so that what stays is not worth too much. */
export function basisOf({ basis }: Book, token: string, atoms: bigint, of: bigint): bigint {
  const whole = basis.get(token) ?? 0n
  return whole - (whole * (of - atoms)) / of
}

/** The same, taken out of the book. */
export function takeBasis(book: Book, token: string, atoms: bigint, of: bigint): bigint {
  const taken = basisOf(book, token, atoms, of)
  addTo(book.basis, token, -taken)
  return taken
}
