import { ETH, USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const quoteField = (...path: string[]) => ['quote', ...path]

describeAggregator({
  kind: 'uniswap',
  request: {
    method: 'POST',
    url: '/v1/quote',
    headers: { 'x-api-key': 'KEY', 'content-type': 'application/json' },
    body: {
      type: 'EXACT_INPUT',
      amount: '1000',
      tokenIn: ETH,
      tokenOut: USDG,
      tokenInChainId: 4_663,
      tokenOutChainId: 4_663,
      swapper: '0x000000000000000000000000000000000000dead',
      protocols: ['V2', 'V3', 'V4'],
    },
  },
  good: {
    requestId: '1',
    routing: 'CLASSIC',
    permitData: null,
    quote: {
      chainId: 4_663,
      tradeType: 'EXACT_INPUT',
      input: { token: ETH, amount: '1000' },
      output: { token: USDG, amount: '4000', recipient: '0x000000000000000000000000000000000000dEaD' },
      gasUseEstimate: '200000',
      slippage: 0.5,
      route: [],
    },
  },
  matter: [
    ['routing'],
    quoteField(),
    quoteField('chainId'),
    quoteField('input', 'token'),
    quoteField('input', 'amount'),
    quoteField('output', 'token'),
    quoteField('output', 'amount'),
  ],
  refusals: [
    ['no quotes', 404, { errorCode: 'ResourceNotFound', detail: 'No quotes available' }, 'NO_ROUTE'],
    ['an auction', 200, { routing: 'DUTCH_V2', quote: { orderInfo: {} } }, 'MALFORMED'],
    ['an invalid key', 403, { message: 'Forbidden' }, 'NOT_LET_IN'],
  ],
})
