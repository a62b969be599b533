import type { ChainProfile } from '@pit/protocol'
import { robinhood } from './robinhood.ts'
import type { StockIssuer } from './types.ts'

export { multiplierAt, type StockIssuer, type StockMultiplier } from './types.ts'

/** One file an issuer. */
const ISSUERS: Record<ChainProfile['stocks']['issuer'], StockIssuer> = { robinhood }

export const stockIssuerOf = ({ stocks }: Pick<ChainProfile, 'stocks'>): StockIssuer => ISSUERS[stocks.issuer]
