import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import { type Aggregator, atomsOf, expectAmount, expectToken, gasOf, urlOf, withEeee } from './aggregator.ts'

/** Only weights its routes: the chain's usual gas price is close enough. */
const GAS_PRICE_WEI = '50000000'

/** OpenOcean echoes tokens and amount, but not the chain. Errors have status 200. */
export const openOcean: Aggregator = {
  key: 'none',
  rate: { perMinute: 120, burst: 2 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }) => ({
    url: urlOf(baseUrl, `/v4/${CHAIN_ID}/quote`, {
      inTokenAddress: withEeee(tokenIn),
      outTokenAddress: withEeee(tokenOut),
      amountDecimals: swapIn.toString(),
      gasPriceDecimals: GAS_PRICE_WEI,
    }),
  }),
  read(answer, params) {
    refuseStatus(answer)
    const { body } = answer
    const code = fieldAt(body, 'code')
    if (code === 429) throw new VendorRefused('RESTING')
    if (code === 404) throw new VendorRefused('NO_ROUTE')
    if (code !== 200) throw new VendorRefused('FAILED')
    expectToken(fieldAt(body, 'data', 'inToken', 'address'), params.tokenIn)
    expectToken(fieldAt(body, 'data', 'outToken', 'address'), params.tokenOut)
    expectAmount(fieldAt(body, 'data', 'inAmount'), params)
    return {
      amountOut: atomsOf(fieldAt(body, 'data', 'outAmount')),
      gas: gasOf(fieldAt(body, 'data', 'estimatedGas')),
    }
  },
}
