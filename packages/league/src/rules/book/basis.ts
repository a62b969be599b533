import type { Book } from './book.ts'

/** Adds to a token's amount; deletes it at zero. */
export function addTo(amounts: Map<string, bigint>, token: string, amount: bigint): void {
  const sum = (amounts.get(token) ?? 0n) + amount
  if (sum === 0n) amounts.delete(token)
  else amounts.set(token, sum)
}

/** The basis of part of a holding, rounded up, so that the rest is never overvalued. */
export function basisOf({ basis }: Book, token: string, atoms: bigint, of: bigint): bigint {
  const whole = basis.get(token) ?? 0n
  return whole - (whole * (of - atoms)) / of
}

/** The same, removed from the book. */
export function takeBasis(book: Book, token: string, atoms: bigint, of: bigint): bigint {
  const share = basisOf(book, token, atoms, of)
  addTo(book.basis, token, -share)
  return share
}
