import type { Mark } from '@pit/market'
import { type Answer, decimalText, markPrice, priceUsdOf, usdOf, worthDown } from '@pit/protocol'
import type { AccountDeps } from './deps.ts'
import type { TokenText } from './tokenTexts.ts'

type Portfolio = Answer<'me.portfolio'>
type Holding = Portfolio['holdings'][number]

export interface Held {
  text: TokenText
  atoms: bigint
  /** Whether the profile lists it: only then an independent price may exist. */
  standing: boolean
}

/** Holdings at independent prices, and the exact sum of the values shown. */
export function describeHoldings(
  balances: readonly Held[],
  { market, nowS }: { market: Pick<AccountDeps['market'], 'mark' | 'whyUnread'>; nowS: number },
): Pick<Portfolio, 'holdings' | 'total_usd' | 'priced' | 'unpriced'> {
  let totalMicroUsd = 0n
  const holdings = balances.map((one): Holding => {
    const { text, atoms } = one
    const decimals = text.decimals ?? 0
    const mark = market.mark(text.address)
    const base = {
      token: text.token,
      address: text.address,
      symbol: text.symbol ?? '',
      name: text.name ?? '',
      decimals,
      kind: text.kind,
      amount_atoms: atoms.toString(),
      amount: decimalText(atoms, decimals),
    }
    if (!mark) {
      const unpriced = whyUnpriced(one, market)
      return { ...base, priced: false, price_usd: null, value_usd: null, mark: null, unpriced }
    }
    const microUsd = worthDown(atoms, markPrice(mark.priceE18, decimals))
    totalMicroUsd += microUsd
    return {
      ...base,
      priced: true,
      price_usd: priceUsdOf(mark.priceE18),
      value_usd: usdOf(microUsd),
      mark: describeMark(mark, nowS),
      unpriced: null,
    }
  })
  const priced = holdings.filter((holding) => holding.priced).length
  return { holdings, total_usd: usdOf(totalMicroUsd), priced, unpriced: holdings.length - priced }
}

/** During an outage the market reports every token as unread; tokens outside the profile never had a mark. */
const whyUnpriced = ({ text, standing }: Held, market: Pick<AccountDeps['market'], 'whyUnread'>) =>
  standing && market.whyUnread(text.address) !== undefined ? 'MARK_UNAVAILABLE' : 'NO_INDEPENDENT_MARK'

/** A stale mark still prices, and is flagged. */
const describeMark = ({ source, block, updatedAtS, stale }: Mark, nowS: number) => ({
  source,
  block,
  updated_at: updatedAtS,
  age_s: Math.max(0, nowS - updatedAtS),
  stale,
})
