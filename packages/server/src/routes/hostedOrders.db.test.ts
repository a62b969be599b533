import { storeWanted } from '@pit/agents/internal/signed/wanted'
import { NATIVE, orderDigest, orderListHash, serializeSignature, toWireOrders } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { CHAIN_ID, lower } from '@pit/protocol'
import { USDG } from '@pit/trading/test/tradeFixtures'
import { beforeEach, expect, it } from 'vitest'
import { emptyHosted, type HostedWorld, openHostedWorld } from '../../test/hostedWorld.ts'
import { crypto, KEYS, refused } from '../../test/sessionWorld.ts'

withDb('routes of signed orders', (db) => {
  let world: HostedWorld
  beforeEach(async () => {
    await emptyHosted(db)
    world = openHostedWorld(db)
  })

  const listOf = (nonce: number, session = `0x${'0'.repeat(64)}` as const) => ({
    session: session as `0x${string}`,
    nonce: `0x${nonce.toString(16).padStart(64, '0')}` as const,
    replaces: [],
    orders: [
      {
        tokenIn: USDG.address,
        tokenOut: NATIVE,
        amountIn: 5_000_000n,
        minAmountOut: 0n,
        maxSlippageBps: 50,
        trigger: { kind: 'at_or_below', token: NATIVE, priceE18: 10n ** 18n, trailBps: 0 } as const,
        slices: 1,
        everyS: 0,
        startsAt: 0,
        expiresAt: world.nowS() + 3_600,
        group: 0,
        parent: 0,
      },
    ],
  })

  it('place, list and cancel orders of a paper agent', async () => {
    const agent = await world.create({ brain: 'orders', params: {} })
    expect(agent.orders).toEqual({ open: 0, wanted: 0 })
    const list = listOf(1)
    const placed = await world.place(agent, { list: toWireOrders(list) })
    expect(placed).toMatchObject({
      agent_id: agent.id,
      receipt: null,
      orders: [
        { state: 'armed', order: toWireOrders(list).orders[0], filled_in: '0', average_price_usd: null },
      ],
    })
    expect(await world.place(agent, { list: toWireOrders(list) })).toEqual(placed)
    expect((await world.get(agent)).orders).toEqual({ open: 1, wanted: 0 })
    expect((await world.orders(agent, { open: '1' })).orders).toEqual(placed.orders)
    const { id } = placed.orders[0]!
    expect((await world.cancel(agent, { ids: [id.toUpperCase().replace('0X', '0x')] })).orders).toMatchObject(
      [{ id, state: 'cancelled' }],
    )
    expect((await world.orders(agent, { open: '1' })).orders).toEqual([])
    expect((await world.orders(agent)).orders).toMatchObject([{ id, state: 'cancelled' }])
    expect((await world.create()).orders).toBeNull()
  })

  it('are the owner’s alone', async () => {
    const agent = await world.create({ brain: 'orders', params: {} })
    const list = toWireOrders(listOf(2))
    expect(await refused(world.place(agent, { list }, 'stranger'))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await refused(world.orders(agent, {}, 'stranger'))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await refused(world.cancel(agent, { all: true }, 'stranger'))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await refused(world.place({ id: 'agt_none' }, { list }))).toMatchObject({ code: 'NOT_FOUND' })
    const dca = await world.create()
    expect(await refused(world.place(dca, { list }))).toMatchObject({ code: 'NOT_ORDERS' })
  })

  it('answer the co-signer’s receipts, and wanted signatures as typed data', async () => {
    const agent = await world.live({ brain: 'orders', params: {} })
    const sessionId = await world.grantTo(agent)
    const attached = await world.attach(agent, sessionId)
    const root = attached.session_root_hash as `0x${string}`
    const list = listOf(3, root as never)
    const manager = lower(world.deps.profile.delegation.delegation_manager)
    const digest = orderDigest(crypto, { chainId: CHAIN_ID, manager }, list)
    const body = { list: toWireOrders(list), signature: serializeSignature(crypto.sign(digest, KEYS.owner)) }
    expect(await refused(world.place(agent, body))).toMatchObject({ code: 'BAD_SESSION' })
    const controls = { signature_above_micro_usd: 0 }
    await db.query(`update sessions set binding = binding || $2::jsonb where id = $1`, [
      sessionId,
      JSON.stringify({ controls }),
    ])
    const placed = await world.place(agent, body)
    expect(placed.receipt).toMatchObject({ what: 'registered', session: root, id: placed.list })
    const { receipts } = await world.cancel(agent, { all: true })
    expect(receipts).toMatchObject([{ what: 'cancelled', id: placed.orders[0]!.id }])
    const request = {
      id: orderListHash(crypto, list),
      list: toWireOrders(list) as never,
      why: 'A trade of 50 USD.',
      valid_until: world.nowS() + 60,
    }
    await storeWanted(db, agent.id, request, 1)
    const { wanted } = await world.orders(agent)
    expect(wanted).toMatchObject([
      { id: request.id, typed_data: { primaryType: 'Orders', message: { session: root } } },
    ])
  })
})
