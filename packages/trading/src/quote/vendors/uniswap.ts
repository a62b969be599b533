import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
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
} from './aggregator.ts'

/** Uniswap represents native ETH as the zero address; echoes chain, tokens and amount. */
export const uniswap: Aggregator = {
  key: 'required',
  rate: { perMinute: 180, burst: 5 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }, key) => ({
    url: `${baseUrl}/v1/quote`,
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'EXACT_INPUT',
      amount: swapIn.toString(),
      tokenIn,
      tokenOut,
      tokenInChainId: CHAIN_ID,
      tokenOutChainId: CHAIN_ID,
      swapper: PLACEHOLDER_SENDER,
      // Pools only: an auction's response has another shape and no price yet.
      protocols: ['V2', 'V3', 'V4'],
    }),
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'errorCode', ['ResourceNotFound'])
    refuseStatus(answer)
    const { body } = answer
    if (fieldAt(body, 'routing') !== 'CLASSIC') throw new VendorRefused('MALFORMED')
    const quote = fieldAt(body, 'quote')
    expectSame(fieldAt(quote, 'chainId'), CHAIN_ID)
    expectToken(fieldAt(quote, 'input', 'token'), params.tokenIn)
    expectToken(fieldAt(quote, 'output', 'token'), params.tokenOut)
    expectAmount(fieldAt(quote, 'input', 'amount'), params)
    return {
      amountOut: atomsOf(fieldAt(quote, 'output', 'amount')),
      gas: gasOf(fieldAt(quote, 'gasUseEstimate')),
    }
  },
}
