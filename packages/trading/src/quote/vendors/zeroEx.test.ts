import { USDG } from '../test/fakeWorld.ts'
import { describeAggregator } from './test/vendorCase.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

describeAggregator({
  kind: '0x',
  request: {
    url: `/swap/allowance-holder/price?chainId=4663&sellToken=${EEEE}&buyToken=${USDG}&sellAmount=1000`,
    headers: { '0x-api-key': 'KEY', '0x-version': 'v2' },
  },
  good: {
    liquidityAvailable: true,
    sellToken: EEEE,
    buyToken: USDG,
    sellAmount: '1000',
    buyAmount: '4000',
    minBuyAmount: '3960',
    gas: '200000',
    blockNumber: '72000000',
    issues: { allowance: null, balance: null, simulationIncomplete: false, invalidSourcesPassed: [] },
  },
  matter: [['liquidityAvailable'], ['sellToken'], ['buyToken'], ['sellAmount'], ['buyAmount']],
  refusals: [
    ['no liquidity', 200, { liquidityAvailable: false }, 'NO_ROUTE'],
    ['an invalid key', 401, { name: 'UNAUTHORIZED' }, 'NOT_LET_IN'],
  ],
})
