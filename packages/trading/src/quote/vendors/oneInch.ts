import { fieldAt, refuseStatus } from '@pit/platform/vendor'
import { CHAIN_ID } from '@pit/protocol'
import { type Aggregator, atomsOf, expectToken, gasOf, refuseNoRoute, urlOf, withEeee } from './aggregator.ts'

const NO_ROUTE = ['insufficient liquidity', 'Insufficient liquidity']

/** 1inch says nothing of chain and amount; the tokens come back because they are asked for. */
export const oneInch: Aggregator = {
  key: 'required',
  rate: { perMinute: 60, burst: 1 },
  request: (baseUrl, { tokenIn, tokenOut, amountIn }, key) => ({
    url: urlOf(baseUrl, `/swap/v6.1/${CHAIN_ID}/quote`, {
      src: withEeee(tokenIn),
      dst: withEeee(tokenOut),
      amount: amountIn.toString(),
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
