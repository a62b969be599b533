import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import {
  type Aggregator,
  atomsOf,
  expectAmount,
  expectToken,
  gasOf,
  refuseNoRoute,
  urlOf,
  withEeee,
} from './aggregator.ts'

/** Sushi echoes tokens (by index in a list) and amount, but not the chain. */
export const sushi: Aggregator = {
  key: 'none',
  rate: { perMinute: 60, burst: 10 },
  request: (baseUrl, { tokenIn, tokenOut, swapIn }) => ({
    url: urlOf(baseUrl, `/quote/v7/${CHAIN_ID}`, {
      tokenIn: withEeee(tokenIn),
      tokenOut: withEeee(tokenOut),
      amount: swapIn.toString(),
      maxSlippage: '0.005',
      referrer: 'pit',
    }),
  }),
  read(answer, params) {
    refuseStatus(answer)
    const { body } = answer
    refuseNoRoute(answer, 'status', ['NoWay'])
    const status = fieldAt(body, 'status')
    if (status === 'Partial') throw new VendorRefused('PARTIAL')
    if (status !== 'Success') throw new VendorRefused('FAILED')
    const tokenAt = (field: string): unknown => {
      const place = fieldAt(body, field)
      return typeof place === 'number' ? fieldAt(body, 'tokens', place, 'address') : undefined
    }
    expectToken(tokenAt('tokenFrom'), params.tokenIn)
    expectToken(tokenAt('tokenTo'), params.tokenOut)
    expectAmount(fieldAt(body, 'amountIn'), params)
    return { amountOut: atomsOf(fieldAt(body, 'assumedAmountOut')), gas: gasOf(fieldAt(body, 'gasSpent')) }
  },
}
