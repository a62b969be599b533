import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/vendor'
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

/** The chain's name in its paths. */
const CHAIN = 'robinhood'
/** Route not found, token not found. */
const NO_ROUTE = [4_008, 4_011]

/** KyberSwap says nothing of the chain; tokens and amount come back. */
export const kyberswap: Aggregator = {
  key: 'none',
  rate: { perMinute: 180, burst: 10 },
  request: (baseUrl, { tokenIn, tokenOut, amountIn }) => ({
    url: urlOf(baseUrl, `/${CHAIN}/api/v1/routes`, {
      tokenIn: withEeee(tokenIn),
      tokenOut: withEeee(tokenOut),
      amountIn: amountIn.toString(),
      gasInclude: '1',
    }),
    headers: { 'x-client-id': 'pit' },
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'code', NO_ROUTE)
    refuseStatus(answer)
    if (fieldAt(answer.body, 'code') !== 0) throw new VendorRefused('FAILED')
    const said = fieldAt(answer.body, 'data', 'routeSummary')
    expectToken(fieldAt(said, 'tokenIn'), params.tokenIn)
    expectToken(fieldAt(said, 'tokenOut'), params.tokenOut)
    expectAmount(fieldAt(said, 'amountIn'), params)
    return { amountOut: atomsOf(fieldAt(said, 'amountOut')), gas: gasOf(fieldAt(said, 'gas')) }
  },
}
