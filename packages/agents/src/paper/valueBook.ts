import type { Address } from '@pit/chain'
import type { PaperDeps } from './deps.ts'
import { worthOf } from './rules.ts'
import type { BookRow } from './store.ts'
import type { BookNow, Holding } from './types.ts'

/** Values books at independent marks, all read in one go. */
export function createValuer({ profile, market }: Pick<PaperDeps, 'profile' | 'market'>) {
  const named = [...profile.core_tokens, ...profile.listed_stocks]
  const texts = new Map(
    named.map(({ address, symbol, decimals }) => [address.toLowerCase(), { symbol, decimals }]),
  )

  function holdingOf(token: Address, atoms: bigint): Holding {
    const text = texts.get(token)
    const mark = text && market.mark(token)
    return {
      token,
      symbol: text?.symbol ?? null,
      decimals: text?.decimals ?? null,
      atoms,
      microUsd: mark && text ? worthOf(atoms, text.decimals, mark.priceE18) : null,
    }
  }

  return (row: BookRow): BookNow => {
    const balances = row.tokens.map((token, i) => holdingOf(token, BigInt(row.atoms[i]!)))
    const unpriced = balances.filter(({ microUsd }) => microUsd === null).map(({ token }) => token)
    const total = balances.reduce((sum, { microUsd }) => sum + (microUsd ?? 0n), 0n)
    return {
      startMicroUsd: BigInt(row.start_micro_usd),
      openedAtS: row.opened_at_s,
      balances,
      equityMicroUsd: unpriced.length > 0 ? null : total,
      unpriced,
    }
  }
}
