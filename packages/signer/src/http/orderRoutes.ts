import type { Hex } from '@pit/chain'
import type { CosignDeps } from '../leaves/cosignTrade.ts'
import { rehearseTrade } from '../leaves/rehearseTrade.ts'
import { cancelOrders } from '../orders/cancelOrders.ts'
import { confirmStates } from '../orders/confirmStates.ts'
import type { OrderDeps } from '../orders/deps.ts'
import { describeControls, describeLevels } from '../orders/describeControls.ts'
import { registerOrders } from '../orders/registerOrders.ts'
import { type SettleDeps, settleLeaf } from '../orders/settleLeaf.ts'
import { readCosign } from './readCalls.ts'
import { readCancelOrders, readLevels, readRegisterOrders, readSettle, readStates } from './readOrderCalls.ts'
import type { CallRoutes } from './serveCalls.ts'

/** Calls about signed orders and the controls of a session. */
export function orderRoutes(deps: CosignDeps & OrderDeps & SettleDeps): CallRoutes {
  return [
    {
      method: 'POST',
      path: '/leaves/check',
      handle: ({ body, caller }) => rehearseTrade(deps, readCosign(body, caller.nonce)),
    },
    { method: 'POST', path: '/leaves/settle', handle: ({ body }) => settleLeaf(deps, readSettle(body)) },
    { method: 'POST', path: '/orders', handle: ({ body }) => registerOrders(deps, readRegisterOrders(body)) },
    {
      method: 'POST',
      path: '/orders/cancel',
      handle: ({ body }) => cancelOrders(deps, readCancelOrders(body)),
    },
    {
      method: 'POST',
      path: '/orders/states',
      handle: ({ body }) => confirmStates(deps, readStates(body)),
    },
    {
      method: 'POST',
      path: '/roots/levels',
      handle: ({ body }) => describeLevels(deps, readLevels(body)),
    },
    {
      method: 'GET',
      path: /^\/roots\/0x[0-9a-f]{64}\/controls$/,
      handle: ({ path }) => describeControls(deps, path.split('/')[2] as Hex),
    },
  ]
}
