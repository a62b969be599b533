/** What a fill did to a book: what left it, what came, and the gas, which is paid in the book's cash. */
export interface BookFill {
  tokenIn: string
  tokenOut: string
  amountIn: bigint
  amountOut: bigint
  gasAtoms: bigint
}

export type Replayed = { ok: true; balances: Map<string, bigint> } | { ok: false; at: number; why: string }

/** A book's balances from its start and its fills alone, oldest first: the stored ones have to be equal to it. */
export const replayBook = (
  fills: readonly BookFill[],
  start: { cashToken: string; cashAtoms: bigint },
): Replayed => replayOn(new Map([[start.cashToken, start.cashAtoms]]), fills, start.cashToken)

/** The same from any balances, which stay as they are. */
export function replayOn(
  from: ReadonlyMap<string, bigint>,
  fills: readonly BookFill[],
  cashToken: string,
): Replayed {
  const balances = new Map(from)
  const add = (token: string, atoms: bigint): bigint => {
    const now = (balances.get(token) ?? 0n) + atoms
    balances.set(token, now)
    return now
  }
  for (const [at, fill] of fills.entries()) {
    const { tokenIn, tokenOut, amountIn, amountOut, gasAtoms } = fill
    if (amountIn < 0n || amountOut < 0n || gasAtoms < 0n)
      return { ok: false, at, why: 'an amount is negative' }
    if (add(tokenIn, -amountIn) < 0n) return { ok: false, at, why: `spends more ${tokenIn} than there is` }
    add(tokenOut, amountOut)
    if (add(cashToken, -gasAtoms) < 0n) return { ok: false, at, why: 'the cash does not pay the gas' }
  }
  return { ok: true, balances }
}
