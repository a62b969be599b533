import { type Execution, NATIVE } from '@pit/chain'
import { failuresOf } from '../src/checks.ts'
import { readTrade } from '../src/leaves/readTrade.ts'
import { type LeafFacts, leafRules } from '../src/leaves/rules.ts'
import type { CosignRequest } from '../src/leaves/types.ts'
import { priceOf } from '../src/prices/priceOf.ts'
import {
  grant,
  JUNK,
  JUNK_MARK,
  makeBinding,
  NOW_S,
  ownPrice,
  PARTNER,
  PINS,
  STOCK,
  sessionOf,
  swapCall,
  USDG,
  WETH,
} from './kit.ts'

export const ALL = [NATIVE, USDG, WETH, PARTNER, STOCK, JUNK].sort()
export const binding = makeBinding({ tokens: ALL, marks: [JUNK_MARK] })
export const session = sessionOf(grant(binding))
export type LeafChange = Partial<Omit<LeafFacts, 'request'>> & { request?: Partial<CosignRequest> }

export function factsOf(
  execution: Execution,
  { request: changes = {}, ...change }: LeafChange = {},
): LeafFacts {
  const request: CosignRequest = {
    rootHash: session.rootHash,
    execution,
    curveFeeWei: null,
    feeBps: undefined,
    slippageBps: undefined,
    sequence: undefined,
    callNonce: '0'.repeat(32),
    ...changes,
  }
  const of = change.session ?? session
  const priced = { pins: PINS, prices: { own: ownPrice }, binding: of.binding }
  return {
    nowS: NOW_S,
    pins: PINS,
    session: of,
    request,
    trade: readTrade(PINS, of, request),
    feeClass: 'major',
    isChainRead: true,
    priceOf: (token) => priceOf(token, priced),
    isSanctioned: () => false,
    ...change,
  }
}
/** Codes of the rules that refuse the call. */
export const failed = (execution: Execution, change?: LeafChange): string[] =>
  failuresOf(leafRules, factsOf(execution, change)).map(({ rule }) => rule)
/** The fee class of tokens that are not major. */
export const otherClass: LeafChange = { feeClass: 'other' }

/** 25 dollars of ETH at 2,500; an honest minimum is a percent under it. */
export const honest = swapCall()
