import { USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

describeAggregator({
  kind: 'openocean',
  request: {
    url:
      `/v4/4663/quote?inTokenAddress=${EEEE}&outTokenAddress=${USDG}` +
      '&amountDecimals=1000&gasPriceDecimals=50000000',
  },
  good: {
    code: 200,
    data: {
      inToken: { address: EEEE, decimals: 18, symbol: 'ETH' },
      outToken: { address: USDG, decimals: 6, symbol: 'USDG' },
      inAmount: '1000',
      outAmount: '4000',
      estimatedGas: '200000',
      price_impact: '-0.02%',
      dexes: [{ dexIndex: 0, dexCode: 'UniswapV3', swapAmount: '4000' }],
    },
  },
  matter: [
    ['code'],
    ['data'],
    ['data', 'inToken', 'address'],
    ['data', 'outToken', 'address'],
    ['data', 'inAmount'],
    ['data', 'outAmount'],
  ],
  refusals: [
    ['no route', 200, { code: 404, error: 'no route' }, 'NO_ROUTE'],
    ['a rate limit', 200, { code: 429, error: 'too many' }, 'RESTING'],
    ['a failure', 200, { code: 500, error: 'internal' }, 'FAILED'],
  ],
})
