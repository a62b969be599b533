import { ETH, USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const summary = (field: string) => ['data', 'routeSummary', field]

describeAggregator({
  kind: 'kyberswap',
  request: {
    url: `/robinhood/api/v1/routes?tokenIn=${EEEE}&tokenOut=${USDG}&amountIn=1000&gasInclude=1`,
    headers: { 'x-client-id': 'pit' },
  },
  good: {
    code: 0,
    message: 'successfully',
    data: {
      routeSummary: {
        tokenIn: EEEE,
        amountIn: '1000',
        amountInUsd: '3000',
        tokenOut: USDG.toUpperCase().replace('0X', '0x'),
        amountOut: '4000',
        gas: '200000',
        gasPrice: '50000000',
        route: [[{ pool: ETH, exchange: 'uniswapv3' }]],
      },
      routerAddress: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
    },
    requestId: '1',
  },
  matter: [
    ['code'],
    ['data'],
    ['data', 'routeSummary'],
    ...['tokenIn', 'tokenOut', 'amountIn', 'amountOut'].map(summary),
  ],
  refusals: [
    ['no route', 400, { code: 4_008, message: 'route not found' }, 'NO_ROUTE'],
    ['unknown token', 400, { code: 4_011, message: 'token not found' }, 'NO_ROUTE'],
    ['a failure', 200, { code: 4_990, message: 'failed' }, 'FAILED'],
  ],
})
