import { ETH, USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const DEAD = '0x000000000000000000000000000000000000dead'

describeAggregator({
  kind: 'lifi',
  request: {
    url:
      `/v1/quote?fromChain=4663&toChain=4663&fromToken=${ETH}&toToken=${USDG}` +
      `&fromAmount=1000&fromAddress=${DEAD}`,
    headers: { 'x-lifi-api-key': 'KEY' },
  },
  good: {
    type: 'lifi',
    tool: 'uniswap',
    action: {
      fromChainId: 4_663,
      toChainId: 4_663,
      fromToken: { address: ETH, chainId: 4_663, symbol: 'ETH', decimals: 18 },
      toToken: { address: USDG, chainId: 4_663, symbol: 'USDG', decimals: 6 },
      fromAmount: '1000',
      slippage: 0.005,
    },
    estimate: {
      fromAmount: '1000',
      toAmount: '4000',
      toAmountMin: '3980',
      gasCosts: [{ estimate: '200000' }],
    },
  },
  matter: [
    ['action'],
    ['action', 'fromChainId'],
    ['action', 'toChainId'],
    ['action', 'fromToken', 'address'],
    ['action', 'toToken', 'address'],
    ['action', 'fromAmount'],
    ['estimate', 'toAmount'],
  ],
  refusals: [
    ['no quotes', 404, { message: 'No available quotes', code: 1_002, errors: [] }, 'NO_ROUTE'],
    ['unknown token', 404, { message: 'Not found', code: 1_003 }, 'NO_ROUTE'],
    ['an invalid key', 401, { message: 'Unauthorized', code: 1_010 }, 'NOT_LET_IN'],
  ],
})
