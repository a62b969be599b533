import { toWireOrders } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withDb'
import { createSignerClient, type SignerClient } from '@pit/signer-wire'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  CHALLENGE,
  type ControlWorld,
  idsOf,
  isFrom,
  makeList,
  makeOrder,
  openControlWorld,
  sale,
  signList,
  word,
} from '../../test/controlKit.ts'
import { E18, swapCall } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { callRoutes } from './callRoutes.ts'
import { createGate } from './gate.ts'
import { serveCalls } from './serveCalls.ts'

const SECRET = 'a secret of the server '.repeat(2)

async function serve(world: ControlWorld, db: Db) {
  const routes = callRoutes({
    ...world.deps,
    db,
    vault: null as never,
    sanctions: { state: () => ({ status: 'ok' }) } as never,
    home: { trouble: () => null, accept: async () => 0 },
  })
  const served = await serveCalls({
    door: { kind: 'loopback', port: 0 },
    routes,
    gate: createGate({ secrets: { server: SECRET, operator: null }, clock: systemClock, startedAtMs: 0 }),
    logger: createLogger({ level: 'silent' }),
    maxInFlight: 8,
  })
  const client = createSignerClient({ url: served.url, secret: SECRET, clock: systemClock })
  return { client, close: () => Promise.all([client.close(), served.close()]) }
}

withDb(
  'the calls about orders',
  (db) => {
    let world: ControlWorld
    let signer: SignerClient
    let close: () => Promise<unknown>
    beforeEach(async () => {
      world = openControlWorld(db)
      const served = await serve(world, db)
      signer = served.client
      close = served.close
    })
    afterEach(() => close())

    it('go from the list to the receipt of the revocation', async () => {
      const root_hash = await world.open({
        signature_above_micro_usd: 10_000_000,
        breakers: [{ max_fall_micro_usd: 10_000_000, window_s: 3_600, cool_down_s: 60 }],
      })
      const list = makeList(root_hash, [makeOrder({ amountIn: E18 / 25n })])
      const [id] = idsOf(list)
      const placed = await signer.registerOrders({
        root_hash,
        list: toWireOrders(list),
        signature: signList(list),
        challenge: CHALLENGE,
      })
      expect(placed.ids).toEqual([id])
      expect(isFrom(placed.receipt)).toBe(true)

      const unsigned = { root_hash, execution: swapCall(sale(25)) }
      await expect(signer.cosign(unsigned)).rejects.toMatchObject({
        code: 'REFUSED',
        extras: {
          signer_checks: [{ rule: 'SIGNATURE_REQUIRED', ok: false, value: '25000000', limit: 10_000_000 }],
        },
      })
      const rehearsal = await signer.rehearse(unsigned)
      expect(rehearsal.checks.filter(({ ok }) => !ok).map(({ rule }) => rule)).toEqual(['SIGNATURE_REQUIRED'])

      const order = { id: id!, part: 1, rounds: [] }
      const leaf = await signer.cosign({ ...unsigned, order, slippage_bps: 100 })
      expect(leaf.sequence).toBe(1)
      expect(await signer.controls(root_hash)).toEqual({
        root_hash,
        unsigned_micro_usd: 0,
        breakers: [
          { max_fall_micro_usd: 10_000_000, best_micro_usd: 0, now_micro_usd: 0, tripped_until: null },
        ],
        orders: [
          {
            id,
            list_hash: placed.list_hash,
            position: 0,
            registered_at: placed.receipt.at,
            ended: null,
            met: true,
            reserved_in: sale(25).amountIn.toString(),
            spent_in: '0',
            received_out: '0',
          },
        ],
      })
      const { orders: _, ...levels } = await signer.controls(root_hash)
      const plain = await world.open(null, { nonce: word(7) })
      expect(await signer.levels([plain, root_hash, word(8)])).toEqual({ levels: [levels] })
      expect(await signer.settleLeaf({ root_hash, sequence: 1, tx_hash: word(9) })).toEqual({
        state: 'open',
        received: null,
        settled_at: null,
      })
      const { receipts } = await signer.cancelOrders({ root_hash, all: true, challenge: CHALLENGE })
      expect(receipts.map((receipt) => [receipt.id, isFrom(receipt)])).toEqual([[id, true]])
      const revoked = await signer.revokeRoot(root_hash, CHALLENGE)
      expect(isFrom(revoked.receipt!)).toBe(true)
      expect(revoked.receipt).toMatchObject({ what: 'revoked', id: root_hash, outstanding: '25000000' })
      expect(await signer.revokeRoot(root_hash)).not.toHaveProperty('receipt')
    })
  },
  ledgerMigrations(),
)
