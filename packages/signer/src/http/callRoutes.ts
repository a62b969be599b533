import type { Hex } from '@pit/chain'
import type { Sanctions } from '@pit/platform/sanctions'
import { fail } from '@pit/protocol'
import { type SignerHealth, toWireDelegation } from '@pit/signer-wire'
import manifest from '../../package.json' with { type: 'json' }
import type { ExecutorDeps } from '../executors/deps.ts'
import { type CosignDeps, cosignTrade } from '../leaves/cosignTrade.ts'
import type { Home } from '../ledger/openHome.ts'
import type { OrderDeps } from '../orders/deps.ts'
import { confirm, outstandingOfSession } from '../orders/receipts.ts'
import type { SettleDeps } from '../orders/settleLeaf.ts'
import { type RegisterDeps, registerRoot } from '../roots/registerRoot.ts'
import { executorRoutes } from './executorRoutes.ts'
import { orderRoutes } from './orderRoutes.ts'
import { readAccept, readCosign, readFreeze, readRegister, readRevoke } from './readCalls.ts'
import type { CallRoutes } from './serveCalls.ts'

export type CallDeps = CosignDeps &
  RegisterDeps &
  ExecutorDeps &
  OrderDeps &
  SettleDeps & { sanctions: Sanctions; home: Pick<Home, 'trouble' | 'accept'> }

/** Every call of the signer. */
export function callRoutes(deps: CallDeps): CallRoutes {
  const { ledger, home, db, clock, cosigner } = deps
  return [
    { method: 'GET', path: '/health', handle: () => healthOf(deps) },
    {
      method: 'POST',
      path: '/leaves',
      async handle({ body, caller }) {
        if (home.trouble() !== null) fail('SIGNER_FROZEN', RESTORED)
        const { leaf, fee_leaf, ...rest } = await cosignTrade(deps, readCosign(body, caller.nonce))
        return {
          leaf: toWireDelegation(leaf),
          ...(fee_leaf && { fee_leaf: toWireDelegation(fee_leaf) }),
          ...rest,
        }
      },
    },
    {
      method: 'POST',
      path: '/roots',
      handle: async ({ body }) => ({
        root_hash: await registerRoot(deps, readRegister(body)),
        registered: true,
      }),
    },
    {
      method: 'POST',
      path: '/roots/revoke',
      async handle({ body }) {
        const { rootHash, challenge } = readRevoke(body)
        const before = (await ledger.status(rootHash))?.status ?? 'not_registered'
        const revokedAtMs = await ledger.revoke(rootHash)
        const answer = { revoked: true, revoked_at: Math.floor(revokedAtMs / 1000) }
        if (challenge === undefined) return answer
        const change = { what: 'revoked', before, after: 'revoked', atMs: revokedAtMs } as const
        const outstanding = await outstandingOfSession(db, rootHash, clock.nowMs())
        const statement = { ...change, session: rootHash, id: rootHash, outstanding }
        return { ...answer, receipt: await confirm(cosigner, statement, challenge) }
      },
    },
    {
      method: 'GET',
      path: /^\/roots\/0x[0-9a-f]{64}$/,
      handle: async ({ path }) =>
        (await ledger.status(path.slice('/roots/'.length) as Hex)) ??
        fail('NO_SESSION', { message: 'The root is not registered.' }),
    },
    {
      method: 'POST',
      path: '/freeze',
      async handle({ body, caller }) {
        const { frozen } = readFreeze(body)
        // An attacker who controls the server can freeze the co-signer, but not lift a freeze.
        if (!frozen && caller.by !== 'operator') {
          fail('FORBIDDEN', { message: 'Only the operator’s secret can lift a freeze.' })
        }
        await ledger.setFrozen(frozen, caller.nonce)
        return { frozen }
      },
    },
    {
      method: 'POST',
      path: '/ledger/accept',
      async handle({ body, caller }) {
        const { lost } = readAccept(body)
        if (caller.by !== 'operator')
          fail('FORBIDDEN', { message: 'Only the operator’s secret can accept a restored ledger.' })
        return { accepted: true, sessions_ended: await home.accept(lost) }
      },
    },
    ...orderRoutes(deps),
    ...executorRoutes(deps),
  ]
}

const RESTORED = {
  message:
    'The co-signer’s ledger was restored from a backup: it signs nothing until its operator accepts it.',
}

async function healthOf({ cosigner, ledger, prices, sanctions, home }: CallDeps): Promise<SignerHealth> {
  const list = sanctions.state()
  const trouble = home.trouble() ?? cosigner.trouble()
  const why =
    trouble !== null
      ? trouble
      : !prices.isChainRead()
        ? (prices.whyUnread?.() ?? 'the chain cannot be read')
        : prices.unpriced() > 0
          ? `${prices.unpriced()} tokens have no fresh price`
          : list.status === 'degraded'
            ? list.why
            : null
  return {
    status: why === null ? 'ok' : 'degraded',
    ...(why !== null && { why }),
    cosigner: cosigner.address,
    frozen: await ledger.isFrozen(),
    version: manifest.version,
  }
}
