import { USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

describeAggregator({
  kind: 'sushi',
  request: {
    url: `/quote/v7/4663?tokenIn=${EEEE}&tokenOut=${USDG}&amount=1000&maxSlippage=0.005&referrer=pit`,
  },
  good: {
    status: 'Success',
    tokens: [
      { address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', symbol: 'ETH', name: 'Ether', decimals: 18 },
      { address: USDG, symbol: 'USDG', name: 'Global Dollar', decimals: 6 },
    ],
    tokenFrom: 0,
    tokenTo: 1,
    swapPrice: 4,
    priceImpact: 0.0001,
    amountIn: '1000',
    assumedAmountOut: '4000',
    gasSpent: 200_000,
  },
  matter: [
    ['status'],
    ['tokens'],
    ['tokens', 0, 'address'],
    ['tokens', 1, 'address'],
    ['tokenFrom'],
    ['tokenTo'],
    ['amountIn'],
    ['assumedAmountOut'],
  ],
  refusals: [
    ['no route', 200, { status: 'NoWay' }, 'NO_ROUTE'],
    ['a partial fill', 200, { status: 'Partial', amountIn: '500', assumedAmountOut: '2000' }, 'PARTIAL'],
    ['an unknown status', 200, { status: 'Perhaps' }, 'FAILED'],
  ],
})
