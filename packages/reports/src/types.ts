export type Address = `0x${string}`
export type Hex = `0x${string}`

/** The order in which lots are consumed; fixed for a wallet and year. */
export type LotMethod = 'fifo' | 'lifo'

export interface ReportToken {
  /** In lower case; all zero for ETH. */
  address: Address
  /** Display text, untrusted if the token is not pinned. */
  symbol: string | null
  decimals: number
  /** `cash` is USDG; `ether` is ETH and WETH, which convert without a disposal. */
  kind: 'cash' | 'ether' | 'stock' | 'token'
}

export interface Move {
  token: Address
  atoms: bigint
}

/** Dollars of one whole token times 10^18. */
export interface Price {
  priceE18: bigint
  source: 'oracle_feed' | 'twap' | 'fixed'
  /** Past its heartbeat, its market closed, or frozen by its issuer. */
  stale: boolean
}
export type Prices = Readonly<Record<Address, Price>>

/** A mined transaction that moved the wallet's tokens or cost it gas, as its receipt shows it. */
export interface ReportTransaction {
  hash: Hex
  block: number
  /** Position in its block. */
  index: number
  timeS: number
  /** How it was relayed; null if the server does not list it. */
  path: 'agent' | 'session' | 'hosted' | 'fast' | null
  ok: boolean
  /** Net change of the wallet for each token, gas apart. */
  moves: readonly Move[]
  /** Gas that the wallet paid. */
  gasWei: bigint
  /** Gas that another sender paid, such as a session's executor. */
  executorGasWei: bigint
  /** Platform fees paid inside the transaction; already part of `moves`. */
  fees: readonly Move[]
  /** At the transaction's block. */
  prices: Prices
  /** What it was, if it only approved a spender: `approval of USDG to Permit2`. */
  approval?: string
}

/** The wallet at the end of a block. Without a balance, that token could not be read. */
export interface ReportPoint {
  block: number
  timeS: number
  balances: Readonly<Record<Address, bigint>>
  prices: Prices
  /** Shares of one whole stock token times 10^18. */
  multipliers?: Readonly<Record<Address, bigint>>
}

/** A row of the server's list that the report does not use as served. */
export interface Finding {
  hash: Hex | null
  timeS: number
  problem:
    | 'pending'
    | 'no_receipt'
    | 'not_yours'
    | 'no_history'
    | 'status_differs'
    | 'amounts_differ'
    | 'not_listed'
  /** Whether the report contains the transaction, by its receipt. */
  included: boolean
}

export interface ReportInput {
  chainId: number
  wallet: Address
  /** FIFO for years that are not named. */
  methods?: Readonly<Record<number, LotMethod>>
  /** Unix seconds; the period includes `fromS` and ends before `toS`. */
  fromS: number
  toS: number
  tokens: readonly ReportToken[]
  /** The wallet's whole history up to `toS`, in any order. */
  transactions: readonly ReportTransaction[]
  /** Readings of the wallet, in any order: before and after each transaction, each day, and the period's ends. */
  points: readonly ReportPoint[]
  findings?: readonly Finding[]
}

/** The part of a sum that is known, and how many of its parts are not. */
export interface Known {
  microUsd: bigint
  unknown: number
}

/** Which end of a trade gave its value. */
export type ValuedBy = 'cash' | 'received_price' | 'given_price'

/** A piece of one lot that was consumed. */
export interface Disposal {
  hash: Hex
  timeS: number
  /** `gas` and `fee` have no proceeds: their cost is an expense. */
  kind: 'trade' | 'gas' | 'fee'
  token: Address
  atoms: bigint
  /** Null for a balance that no trade explains. */
  acquiredS: number | null
  acquiredHash: Hex | null
  costMicroUsd: bigint | null
  proceedsMicroUsd: bigint | null
  profitMicroUsd: bigint | null
}

export interface Trade {
  hash: Hex
  timeS: number
  path: ReportTransaction['path']
  ok: boolean
  gave: readonly Move[]
  received: readonly Move[]
  /** ETH that became WETH, or back; atoms of what was received. */
  wrapped: Move | null
  /** Value of the given side; null if no end has one. */
  valueMicroUsd: bigint | null
  valuedBy: ValuedBy | null
  profit: Known
  fees: readonly Move[]
  gasWei: bigint
  executorGasWei: bigint
  /** `approval of USDG to Permit2`, if it was only that. */
  approval?: string
}

/** A change of balance that no trade explains, or a transfer. */
export interface Flow {
  timeS: number
  direction: 'in' | 'out'
  token: Address
  atoms: bigint
  /** The transaction, if it is known. */
  hash: Hex | null
  /** At the price of the time; null without a price. */
  valueMicroUsd: bigint | null
  /** Cost of the lots that left; unknown for what came in, except cash and wrapped lots. */
  cost: Known
}

export interface OpenLot {
  token: Address
  atoms: bigint
  acquiredS: number | null
  acquiredHash: Hex | null
  costMicroUsd: bigint | null
}

export interface Holding {
  token: Address
  atoms: bigint
  /** Of a stock: atoms times the multiplier. */
  shareAtoms: bigint | null
  cost: Known
  price: Price | null
  valueMicroUsd: bigint | null
  /** Of lots with a known cost and price. */
  unrealised: Known
}

export interface Totals {
  /** Proceeds of trades less cost. */
  realised: Known
  /** Change of unrealised profit is `unrealised` less `unrealisedAtStart`. */
  unrealised: Known
  unrealisedAtStart: Known
  /** Platform fees, valued at their time. Part of the trades' amounts already, except those paid apart. */
  fees: Known
  /** Cost of what paid for fees apart from a trade. */
  feesApartCost: Known
  gas: { wei: bigint; cost: Known; value: Known }
  executorGas: { wei: bigint; value: Known }
  /** Realised profit less the cost of gas and of fees apart. */
  net: Known
  deposits: Known
  withdrawals: Known
}

export interface Returns {
  /** Value of everything with a price; holdings without one at their known cost. */
  openingMicroUsd: bigint | null
  closingMicroUsd: bigint | null
  /** Time-weighted: flows do not count. Null without two readings. */
  flowAdjustedBps: number | null
  maxDrawdownBps: number | null
  /** Of daily returns, a year of 365 days, in hundredths; null below `SHARPE_MIN_DAYS` days or without variance. */
  sharpeHundredths: number | null
  /** Days with a reading, in a row up to the end. */
  dailyReturns: number
  /** Closing value less that of the opening holdings, kept, with the same flows. */
  againstHoldingMicroUsd: bigint | null
  /** Closing value less opening value and flows, as dollars. */
  againstCashMicroUsd: bigint | null
  /** Points of the curve: value, and the index that starts at 10,000. */
  curve: readonly { timeS: number; valueMicroUsd: bigint; indexBps: number }[]
}

export interface Report {
  format: typeof REPORT_FORMAT
  chainId: number
  wallet: Address
  fromS: number
  toS: number
  /** Of the years in which lots were consumed. */
  methods: Readonly<Record<number, LotMethod>>
  tokens: readonly ReportToken[]
  trades: readonly Trade[]
  disposals: readonly Disposal[]
  flows: readonly Flow[]
  /** At the end of the period. */
  lots: readonly OpenLot[]
  holdings: readonly Holding[]
  totals: Totals
  returns: Returns
  findings: readonly Finding[]
  /** The content of the CSV and JSON files: every cell is text, the first column names the kind of row. */
  rows: readonly ReportRow[]
  /** SHA-256 of the rows as canonical JSON; the same for both files. */
  hash: Hex
}

export const REPORT_FORMAT = 'pit-report-1'
/** Fewer daily returns than this say nothing about risk. */
export const SHARPE_MIN_DAYS = 30

export const REPORT_COLUMNS = [
  'row',
  'time',
  'transaction',
  'kind',
  'token',
  'symbol',
  'amount',
  'acquired',
  'cost_usd',
  'value_usd',
  'profit_usd',
  'note',
] as const
export type ReportRow = Readonly<Record<(typeof REPORT_COLUMNS)[number], string>>
