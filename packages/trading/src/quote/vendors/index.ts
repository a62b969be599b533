import type { Aggregator } from './aggregator.ts'
import { kyberswap } from './kyberswap.ts'
import { lifi } from './lifi.ts'
import { oneInch } from './oneInch.ts'
import { openOcean } from './openOcean.ts'
import { sushi } from './sushi.ts'
import { uniswap } from './uniswap.ts'
import { zeroEx } from './zeroEx.ts'

/** By `kind` in the profile, which is also the name of the key. */
export const AGGREGATORS: Readonly<Record<string, Aggregator>> = {
  kyberswap,
  sushi,
  lifi,
  '0x': zeroEx,
  '1inch': oneInch,
  openocean: openOcean,
  uniswap,
}
/** Keys by kind. */
export type VendorKeys = Readonly<Record<string, string>>

export type { AggregatorParams, Offer } from './aggregator.ts'
