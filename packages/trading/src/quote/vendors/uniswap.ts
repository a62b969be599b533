import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/vendor'
import { CHAIN_ID } from '@pit/protocol'
import {
  type Aggregator,
  ASKING,
  atomsOf,
  expectAmount,
  expectSame,
  expectToken,
  gasOf,
  refuseNoRoute,
} from './aggregator.ts'

/** Uniswap takes native ETH as the zero address; chain, tokens and amount come back. */
export const uniswap: Aggregator = {
  key: 'required',
  rate: { perMinute: 180, burst: 5 },
  request: (baseUrl, { tokenIn, tokenOut, amountIn }, key) => ({
    url: `${baseUrl}/v1/quote`,
    method: 'POST',
    headers: { 'x-api-key': key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'EXACT_INPUT',
      amount: amountIn.toString(),
      tokenIn,
      tokenOut,
      tokenInChainId: CHAIN_ID,
      tokenOutChainId: CHAIN_ID,
      swapper: ASKING,
      // Through pools alone: an auction's answer has another shape and no price yet.
      protocols: ['V2', 'V3', 'V4'],
    }),
  }),
  read(answer, params) {
    refuseNoRoute(answer, 'errorCode', ['ResourceNotFound'])
    refuseStatus(answer)
    const { body } = answer
    if (fieldAt(body, 'routing') !== 'CLASSIC') throw new VendorRefused('MALFORMED')
    const said = fieldAt(body, 'quote')
    expectSame(fieldAt(said, 'chainId'), CHAIN_ID)
    expectToken(fieldAt(said, 'input', 'token'), params.tokenIn)
    expectToken(fieldAt(said, 'output', 'token'), params.tokenOut)
    expectAmount(fieldAt(said, 'input', 'amount'), params)
    return {
      amountOut: atomsOf(fieldAt(said, 'output', 'amount')),
      gas: gasOf(fieldAt(said, 'gasUseEstimate')),
    }
  },
}
