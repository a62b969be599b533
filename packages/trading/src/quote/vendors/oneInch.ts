import { fieldAt, refuseStatus } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import { type Aggregator, atomsOf, expectToken, gasOf, refuseNoRoute, urlOf, withEeee } from './aggregator.ts'

const NO_ROUTE = ['insufficient liquidity', 'Insufficient liquidity']

/** 1inch echoes neither chain nor amount; the tokens only on request. */
export const oneInch: Aggregator = {
  key: 'required',
  rate: { perMinute: 60, burst: 1 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }, key) => ({
    url: urlOf(baseUrl, `/swap/v6.1/${CHAIN_ID}/quote`, {
      src: withEeee(tokenIn),
      dst: withEeee(tokenOut),
      amount: swapIn.toString(),
      includeTokensInfo: 'true',
      includeGas: 'true',
    }),
    headers: { authorization: `Bearer ${key ?? ''}` },
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'description', NO_ROUTE)
    refuseStatus(answer)
    const { body } = answer
    expectToken(fieldAt(body, 'srcToken', 'address'), params.tokenIn)
    expectToken(fieldAt(body, 'dstToken', 'address'), params.tokenOut)
    return { amountOut: atomsOf(fieldAt(body, 'dstAmount')), gas: gasOf(fieldAt(body, 'gas')) }
  },
}
