import { USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

describeAggregator({
  kind: '1inch',
  request: {
    url: `/swap/v6.1/4663/quote?src=${EEEE}&dst=${USDG}&amount=1000&includeTokensInfo=true&includeGas=true`,
    headers: { authorization: 'Bearer KEY' },
  },
  good: {
    srcToken: { address: EEEE, symbol: 'ETH', decimals: 18 },
    dstToken: { address: USDG, symbol: 'USDG', decimals: 6 },
    dstAmount: '4000',
    gas: 200_000,
  },
  matter: [['srcToken'], ['srcToken', 'address'], ['dstToken'], ['dstToken', 'address'], ['dstAmount']],
  refusals: [
    [
      'insufficient liquidity',
      400,
      { error: 'Bad Request', description: 'insufficient liquidity', statusCode: 400 },
      'NO_ROUTE',
    ],
    ['an invalid key', 401, { error: 'Unauthorized' }, 'NOT_LET_IN'],
  ],
})
