import type { Address } from '@pit/chain'
import { HOUR, type Wallet } from '@pit/league/test/leagueWorld'
import { atomsOf, type createRandom } from './market.ts'
import { BLOCK_S, STRANGER, type Year } from './openYear.ts'

/** Transfers outside the books: money comes and goes, sometimes all of it, and sometimes returns. */
export function moveAbout(
  year: Year,
  random: ReturnType<typeof createRandom>,
  { address: wallet }: Wallet,
  { tokens, fromS, toS }: { tokens: readonly Address[]; fromS: number; toS: number },
): void {
  const token = random.pick(tokens)
  const atS = fromS + random.below((toS - fromS) / BLOCK_S) * BLOCK_S
  const some = atomsOf(token, 500 + random.next() * 5_000, atS)
  if (random.below(3) === 0) year.move(token, STRANGER, wallet, some, atS)
  if (random.below(2) > 0) return
  const all = year.balanceOf(wallet, token, atS)
  year.move(token, wallet, STRANGER, all, atS)
  if (random.below(2) === 0) year.move(token, STRANGER, wallet, all, atS + random.below(20) * HOUR)
}
