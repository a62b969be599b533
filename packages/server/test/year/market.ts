import { ETH, FIRST_S, HOUR, TOKENS } from '@pit/league/test/leagueWorld'
import { DECIMALS } from './openYear.ts'

/** Deterministic prices and events of the year. */

/** Deterministic random numbers. */
export function createRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    next,
    below: (n: number) => Math.floor(next() * n),
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!,
  }
}

/** Price of a token: its own waves, and no price at all for some hours of some seasons. */
export function priceOf(token: string, atS: number): number | null {
  const hours = (atS - FIRST_S) / HOUR
  const wave = 1 + 0.08 * Math.sin(hours / 31) + 0.03 * Math.sin(hours / 7.3 + token.length)
  if (token === TOKENS.cbBTC) return Math.floor(hours / 24) % 37 === 9 ? null : 50_000 * wave
  if (token === TOKENS.PARTNER) return 0.5 * (1 + 0.05 * Math.sin(hours / 90))
  return (token === ETH || token === TOKENS.WETH ? 2_000 : 1) * wave
}

/** Tokens for this many dollars, to the millionth of a token. */
export const atomsOf = (token: string, dollars: number, atS: number): bigint => {
  const price = priceOf(token, atS) ?? 50_000
  return BigInt(Math.max(1, Math.floor((dollars / price) * 1e6))) * 10n ** BigInt((DECIMALS[token] ?? 18) - 6)
}
