import type {
  Address,
  Hex,
  Price,
  Prices,
  ReportInput,
  ReportPoint,
  ReportToken,
  ReportTransaction,
} from '../src/types.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
export const ETH = address('0')
export const USDG = address('1')
export const WETH = address('2')
export const NVDA = address('3')
/** Without a price. */
export const MEME = address('4')
export const WALLET = address('a')

export const TOKENS: readonly ReportToken[] = [
  { address: ETH, symbol: 'ETH', decimals: 18, kind: 'ether' },
  { address: WETH, symbol: 'WETH', decimals: 18, kind: 'ether' },
  { address: USDG, symbol: 'USDG', decimals: 6, kind: 'cash' },
  { address: NVDA, symbol: 'NVDA', decimals: 18, kind: 'stock' },
  { address: MEME, symbol: '=MEME()', decimals: 9, kind: 'token' },
]

export const E18 = 10n ** 18n
/** Of a decimal number of whole tokens. */
export const eth = (amount: number): bigint => BigInt(Math.round(amount * 1e9)) * 10n ** 9n
export const usd = (amount: number): bigint => BigInt(Math.round(amount * 1e6))
export const price = (dollars: number, stale = false): Price => ({
  ...{ priceE18: eth(dollars), source: 'oracle_feed', stale },
})
export const pricesOf = (ethUsd: number, nvdaUsd: number): Prices => ({
  ...{ [ETH]: price(ethUsd), [WETH]: price(ethUsd), [NVDA]: price(nvdaUsd) },
  [USDG]: { ...price(1), source: 'fixed' },
})

export interface TransactionParams {
  moves?: Readonly<Record<Address, bigint>>
  gasWei?: bigint
  executorGasWei?: bigint
  fees?: ReportTransaction['fees']
  ok?: boolean
  approval?: string
}

/** A wallet whose blocks are written one after another; each is read before and after, as the client does. */
export function createWorld(startS = 1_767_225_600) {
  const balances = new Map<Address, bigint>(TOKENS.map((token) => [token.address, 0n]))
  const transactions: ReportTransaction[] = []
  const points: ReportPoint[] = []
  let [block, timeS] = [1, startS]
  let prices = pricesOf(2_000, 100)
  let multiplierE18 = E18
  const add = (token: Address, atoms: bigint) => balances.set(token, (balances.get(token) ?? 0n) + atoms)
  const nextBlock = () => {
    block++
    timeS++
  }
  const read = () => {
    const multipliers = { [NVDA]: multiplierE18 }
    points.push({ block, timeS, balances: Object.fromEntries(balances), prices, multipliers })
  }
  return {
    balances,
    transactions,
    points,
    read,
    nowS: () => timeS,
    wait(seconds: number) {
      timeS += seconds
      block += Math.max(1, Math.floor(seconds))
    },
    setPrices(ethUsd: number, nvdaUsd: number) {
      nextBlock()
      prices = pricesOf(ethUsd, nvdaUsd)
    },
    /** A stock split: balances stay, one token stands for more shares. */
    setMultiplier(times: bigint) {
      nextBlock()
      multiplierE18 = times * E18
    },
    /** A change that no transaction of the list explains. */
    flow(token: Address, atoms: bigint) {
      nextBlock()
      add(token, atoms)
    },
    send({
      moves = {},
      gasWei = 0n,
      executorGasWei = 0n,
      fees = [],
      ok = true,
      approval,
    }: TransactionParams): Hex {
      nextBlock()
      read()
      nextBlock()
      const hash: Hex = `0x${(transactions.length + 1).toString(16).padStart(64, '0')}`
      const list = (Object.entries(moves) as [Address, bigint][]).map(([token, atoms]) => ({ token, atoms }))
      for (const { token, atoms } of list) add(token, atoms)
      add(ETH, -gasWei)
      transactions.push({
        ...{ hash, block, index: 0, timeS, path: 'agent', ok, moves: list },
        ...{ gasWei, executorGasWei, fees, prices },
        ...(approval !== undefined && { approval, path: null }),
      })
      read()
      return hash
    },
    input: (fromS = startS, toS = timeS + 1): ReportInput => ({
      ...{ chainId: 4663, wallet: WALLET, fromS, toS },
      ...{ tokens: TOKENS, transactions, points },
    }),
  }
}
