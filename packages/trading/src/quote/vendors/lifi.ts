import { fieldAt, refuseStatus } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import {
  type Aggregator,
  atomsOf,
  expectAmount,
  expectSame,
  expectToken,
  gasOf,
  PLACEHOLDER_SENDER,
  refuseNoRoute,
  urlOf,
} from './aggregator.ts'

/** No quote, not found. */
const NO_ROUTE = [1_002, 1_003]

/** LI.FI represents native ETH as the zero address; echoes chains, tokens and amount. */
export const lifi: Aggregator = {
  key: 'optional',
  // 75 per two hours.
  rate: { perMinute: 0.625, burst: 10 },
  ratedByKey: { perMinute: 100, burst: 20 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }, key) => ({
    url: urlOf(baseUrl, '/v1/quote', {
      fromChain: String(CHAIN_ID),
      toChain: String(CHAIN_ID),
      fromToken: tokenIn,
      toToken: tokenOut,
      fromAmount: swapIn.toString(),
      fromAddress: PLACEHOLDER_SENDER,
    }),
    ...(key === null ? {} : { headers: { 'x-lifi-api-key': key } }),
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'code', NO_ROUTE)
    refuseStatus(answer)
    const { body } = answer
    expectSame(fieldAt(body, 'action', 'fromChainId'), CHAIN_ID)
    expectSame(fieldAt(body, 'action', 'toChainId'), CHAIN_ID)
    expectToken(fieldAt(body, 'action', 'fromToken', 'address'), params.tokenIn)
    expectToken(fieldAt(body, 'action', 'toToken', 'address'), params.tokenOut)
    expectAmount(fieldAt(body, 'action', 'fromAmount'), params)
    return {
      amountOut: atomsOf(fieldAt(body, 'estimate', 'toAmount')),
      gas: gasOf(fieldAt(body, 'estimate', 'gasCosts', 0, 'estimate')),
    }
  },
}
