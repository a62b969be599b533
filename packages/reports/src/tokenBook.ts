import { markPrice, worthDown } from '@pit/protocol'
import type { Address, Prices, ReportToken } from './types.ts'

export const NATIVE: Address = `0x${'0'.repeat(40)}`
const DOLLAR_E18 = 10n ** 18n

/** The report's tokens by address. */
export interface TokenBook {
  get(token: Address): ReportToken
  isCash(token: Address): boolean
  isEther(token: Address): boolean
  /** Micro-dollars, rounded down; null without a price. */
  worth(token: Address, atoms: bigint, prices: Prices): bigint | null
}

export function createTokenBook(tokens: readonly ReportToken[]): TokenBook {
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const priceOf = createPriceMemo()
  const get = (address: Address): ReportToken => {
    const token = byAddress.get(address)
    if (!token) throw new RangeError(`The report's tokens lack ${address}`)
    return token
  }
  return {
    get,
    isCash: (token) => get(token).kind === 'cash',
    isEther: (token) => get(token).kind === 'ether',
    worth(token, atoms, prices) {
      const { kind, decimals } = get(token)
      const priceE18 = kind === 'cash' ? DOLLAR_E18 : prices[token]?.priceE18
      return priceE18 === undefined ? null : worthDown(atoms, priceOf(token, priceE18, decimals))
    },
  }
}

/** The last price of each token: readings in a row often share it. */
function createPriceMemo() {
  const last = new Map<Address, { priceE18: bigint; price: ReturnType<typeof markPrice> }>()
  return (token: Address, priceE18: bigint, decimals: number) => {
    const previous = last.get(token)
    if (previous?.priceE18 === priceE18) return previous.price
    const price = markPrice(priceE18, decimals)
    last.set(token, { priceE18, price })
    return price
  }
}
