import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import {
  type Aggregator,
  atomsOf,
  expectAmount,
  expectToken,
  gasOf,
  refuseNoRoute,
  urlOf,
  withEeee,
} from './aggregator.ts'

/** The chain's name in its URLs. */
const CHAIN = 'robinhood'
/** Route not found, token not found. */
const NO_ROUTE = [4_008, 4_011]

/** KyberSwap echoes tokens and amount, but not the chain. */
export const kyberswap: Aggregator = {
  key: 'none',
  rate: { perMinute: 180, burst: 10 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }) => ({
    url: urlOf(baseUrl, `/${CHAIN}/api/v1/routes`, {
      tokenIn: withEeee(tokenIn),
      tokenOut: withEeee(tokenOut),
      amountIn: swapIn.toString(),
      gasInclude: '1',
    }),
    headers: { 'x-client-id': 'pit' },
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'code', NO_ROUTE)
    refuseStatus(answer)
    if (fieldAt(answer.body, 'code') !== 0) throw new VendorRefused('FAILED')
    const summary = fieldAt(answer.body, 'data', 'routeSummary')
    expectToken(fieldAt(summary, 'tokenIn'), params.tokenIn)
    expectToken(fieldAt(summary, 'tokenOut'), params.tokenOut)
    expectAmount(fieldAt(summary, 'amountIn'), params)
    return { amountOut: atomsOf(fieldAt(summary, 'amountOut')), gas: gasOf(fieldAt(summary, 'gas')) }
  },
}
