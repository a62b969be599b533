/** Token movements of a fill: input, output, and gas paid in the book's cash. */
export interface BookFill<Token extends string = string> {
  tokenIn: Token
  tokenOut: Token
  amountIn: bigint
  amountOut: bigint
  gasUsdgAtoms: bigint
}

/** Balances by token. */
export type Balances<Token extends string = string> = ReadonlyMap<Token, bigint>

/** Balance change per token, with gas in cash; two of the three may affect the same token. */
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

/** New balances of the tokens a fill moves, or the token with insufficient balance. */
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
 * A book's non-zero balances from its start and its fills, oldest first; the stored balances must equal them.
 * Throws on a fill that exceeds a balance.
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
    if (!applied.ok)
      throw new Error(`fill ${i} exceeds the balance of ${applied.token} by ${applied.lacking} atoms`)
    for (const [token, atoms] of applied.after) balances.set(token, atoms)
  }
  for (const [token, atoms] of balances) if (atoms === 0n) balances.delete(token)
  return balances
}
