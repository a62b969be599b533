import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import { type Aggregator, atomsOf, expectAmount, expectToken, gasOf, urlOf, withEeee } from './aggregator.ts'

/** 0x echoes tokens and amount, but not the chain. */
export const zeroEx: Aggregator = {
  key: 'required',
  rate: { perMinute: 60, burst: 5 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }, key) => ({
    url: urlOf(baseUrl, '/swap/allowance-holder/price', {
      chainId: String(CHAIN_ID),
      sellToken: withEeee(tokenIn),
      buyToken: withEeee(tokenOut),
      sellAmount: swapIn.toString(),
    }),
    headers: { '0x-api-key': key ?? '', '0x-version': 'v2' },
  }),
  read(answer, params) {
    refuseStatus(answer)
    const { body } = answer
    const isLiquid = fieldAt(body, 'liquidityAvailable')
    if (isLiquid === false) throw new VendorRefused('NO_ROUTE')
    if (isLiquid !== true) throw new VendorRefused('MALFORMED')
    expectToken(fieldAt(body, 'sellToken'), params.tokenIn)
    expectToken(fieldAt(body, 'buyToken'), params.tokenOut)
    expectAmount(fieldAt(body, 'sellAmount'), params)
    return { amountOut: atomsOf(fieldAt(body, 'buyAmount')), gas: gasOf(fieldAt(body, 'gas')) }
  },
}
