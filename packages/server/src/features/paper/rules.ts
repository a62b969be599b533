import type { Address } from '@pit/chain'
import type { PaperFill } from './types.ts'

/** Balances by token, without those of nothing. */
export type Balances = ReadonlyMap<Address, bigint>

type Moves = Pick<PaperFill, 'tokenIn' | 'tokenOut' | 'amountIn' | 'amountOut' | 'gasUsdgAtoms'>

const MICRO_DIGITS = 6

/** Rounded up: what is paid is never less than its price. */
const ceilDiv = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** What gas costs at ETH's price, in millionths of a dollar and in USDG's atoms; both against the trader. */
export function gasCostOf(
  { gas, gasPriceWei, ethPriceE18 }: { gas: number; gasPriceWei: bigint; ethPriceE18: bigint },
  usdgDecimals: number,
): { microUsd: bigint; usdgAtoms: bigint } {
  const worth = BigInt(gas) * gasPriceWei * ethPriceE18
  return {
    microUsd: ceilDiv(worth, 10n ** BigInt(36 - MICRO_DIGITS)),
    usdgAtoms: ceilDiv(worth, 10n ** BigInt(36 - usdgDecimals)),
  }
}

/** USDG that so many dollars are; rounded down. */
export const usdgAtomsOf = (microUsd: bigint, usdgDecimals: number): bigint =>
  (microUsd * 10n ** BigInt(usdgDecimals)) / 10n ** BigInt(MICRO_DIGITS)

/** A balance at a price, in millionths of a dollar, rounded down. */
export const worthOf = (atoms: bigint, decimals: number, priceE18: bigint): bigint =>
  (atoms * priceE18) / 10n ** BigInt(18 - MICRO_DIGITS + decimals)

/** What a fill does to each token, the gas in USDG; a token may be moved by two of the three. */
export function changesOf(fill: Moves, usdg: Address): Map<Address, bigint> {
  const changes = new Map<Address, bigint>()
  const add = (token: Address, atoms: bigint) => changes.set(token, (changes.get(token) ?? 0n) + atoms)
  add(fill.tokenIn, -fill.amountIn)
  add(fill.tokenOut, fill.amountOut)
  add(usdg, -fill.gasUsdgAtoms)
  return changes
}

/** The balances after a fill of the tokens it moves, or the token there is too little of. */
export function applyFill(
  balances: Balances,
  fill: Moves,
  usdg: Address,
): { ok: true; after: Map<Address, bigint> } | { ok: false; token: Address; lacking: bigint } {
  const after = new Map<Address, bigint>()
  for (const [token, change] of changesOf(fill, usdg)) {
    const left = (balances.get(token) ?? 0n) + change
    if (left < 0n) return { ok: false, token, lacking: -left }
    after.set(token, left)
  }
  return { ok: true, after }
}

/** A book from its start and its fills, oldest first: what the store must hold. Throws on a fill it could not make. */
export function replayBook(
  startUsdgAtoms: bigint,
  fills: readonly Moves[],
  usdg: Address,
): Map<Address, bigint> {
  const balances = new Map<Address, bigint>([[usdg, startUsdgAtoms]])
  for (const [i, fill] of fills.entries()) {
    const applied = applyFill(balances, fill, usdg)
    if (!applied.ok) throw new Error(`fill ${i} takes ${applied.lacking} atoms of ${applied.token} too many`)
    for (const [token, atoms] of applied.after) balances.set(token, atoms)
  }
  for (const [token, atoms] of balances) if (atoms === 0n) balances.delete(token)
  return balances
}
