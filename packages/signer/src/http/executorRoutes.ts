import type { Address } from '@pit/chain'
import { attestStock, revokeStock } from '../executors/attestStock.ts'
import { createExecutor, describeExecutor } from '../executors/createExecutor.ts'
import type { ExecutorDeps } from '../executors/deps.ts'
import { refundGas } from '../executors/refundGas.ts'
import { signExecutorTx } from '../executors/signExecutorTx.ts'
import { readAttest, readCreate, readExecutor, readSign } from './readCalls.ts'
import type { CallRoutes } from './serveCalls.ts'

/** Calls about executors of hosted agents, whose keys are the signer's own. */
export function executorRoutes(deps: ExecutorDeps): CallRoutes {
  return [
    {
      method: 'POST',
      path: '/executors',
      handle: ({ body, caller }) => createExecutor(deps, readCreate(body, caller.nonce)),
    },
    {
      method: 'POST',
      path: '/executors/sign',
      handle: ({ body }) => signExecutorTx(deps, readSign(body)),
    },
    {
      method: 'POST',
      path: '/executors/stock',
      async handle({ body }) {
        await attestStock(deps, readAttest(body))
        return { accepted: true }
      },
    },
    {
      method: 'POST',
      path: '/executors/stock/revoke',
      async handle({ body }) {
        const revokedAtMs = await revokeStock(deps, readExecutor(body).executor)
        return { revoked: true, revoked_at: Math.floor(revokedAtMs / 1000) }
      },
    },
    {
      method: 'POST',
      path: '/executors/refund',
      handle: ({ body }) => refundGas(deps, readExecutor(body).executor),
    },
    {
      method: 'GET',
      path: /^\/executors\/0x[0-9a-f]{40}$/,
      handle: ({ path }) => describeExecutor(deps, path.slice('/executors/'.length) as Address),
    },
  ]
}
