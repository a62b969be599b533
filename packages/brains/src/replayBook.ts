/** What a fill did to a book: what left it, what came, and the gas, which is paid in the book's cash. */
export interface BookFill<Token extends string = string> {
  tokenIn: Token
  tokenOut: Token
  amountIn: bigint
  amountOut: bigint
  gasUsdgAtoms: bigint
}

/** Balances by token. */
export type Balances<Token extends string = string> = ReadonlyMap<Token, bigint>

/** What a fill does to each token, the gas in cash; a token may be moved by two of the three. */
export function changesOf<Token extends string>(
  { tokenIn, tokenOut, amountIn, amountOut, gasUsdgAtoms }: BookFill<Token>,
  cash: Token,
): Map<Token, bigint> {
  const changes = new Map<Token, bigint>()
  const add = (token: Token, atoms: bigint) => changes.set(token, (changes.get(token) ?? 0n) + atoms)
  add(tokenIn, -amountIn)
  add(tokenOut, amountOut)
  add(cash, -gasUsdgAtoms)
  return changes
}

/** The balances after a fill of the tokens it moves, or the token there is too little of. */
export function applyFill<Token extends string>(
  balances: Balances<Token>,
  fill: BookFill<Token>,
  cash: Token,
): { ok: true; after: Map<Token, bigint> } | { ok: false; token: Token; lacking: bigint } {
  const after = new Map<Token, bigint>()
  for (const [token, change] of changesOf(fill, cash)) {
    const left = (balances.get(token) ?? 0n) + change
    if (left < 0n) return { ok: false, token, lacking: -left }
    after.set(token, left)
  }
  return { ok: true, after }
}

/**
 * A book's balances from its start and its fills alone, oldest first, without those of nothing: the stored
 * ones have to be equal to it. Throws on a fill it could not make.
 */
export function replayBook<Token extends string>(
  startAtoms: bigint,
  fills: readonly BookFill<Token>[],
  cash: Token,
): Map<Token, bigint> {
  const balances = new Map<Token, bigint>([[cash, startAtoms]])
  for (const [i, fill] of fills.entries()) {
    if (fill.amountIn < 0n || fill.amountOut < 0n || fill.gasUsdgAtoms < 0n) {
      throw new Error(`fill ${i} has a negative amount`)
    }
    const applied = applyFill(balances, fill, cash)
    if (!applied.ok) throw new Error(`fill ${i} takes ${applied.lacking} atoms of ${applied.token} too many`)
    for (const [token, atoms] of applied.after) balances.set(token, atoms)
  }
  for (const [token, atoms] of balances) if (atoms === 0n) balances.delete(token)
  return balances
}
