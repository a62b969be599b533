import {
  createCrypto,
  NATIVE,
  orderDigest,
  orderListHash,
  serializeSignature,
  toWireOrders,
} from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { CHAIN_ID } from '@pit/protocol'
import { expect, it } from 'vitest'
import { createHostedSigner } from '../../test/hostedSigner.ts'
import { at, buy, listOf, openOrderWorld, sell, trailing } from '../../test/orderWorld.ts'
import { codeOf, ETHER, JUNK, TOKENS, USD, WALLET } from '../../test/paperWorld.ts'
import { MANAGER } from '../../test/tickWorld.ts'
import { pauseByOwner } from '../life/pause.ts'
import { stopAgent } from '../life/stop.ts'
import { updateAgent } from '../life/update.ts'
import { cancelOrders } from './cancel.ts'
import { placeOrders } from './place.ts'
import { CROSSED } from './wake.ts'
import { storeWanted } from './wanted.ts'

const crypto = await createCrypto()
const OWNER_KEY = `0x${'11'.repeat(32)}` as const
const OWNER = crypto.addressOf(OWNER_KEY)
const COSIGNER_KEY = `0x${'22'.repeat(32)}` as const

withDb('placing and cancelling signed orders', (db) => {
  const fieldOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { code: string; extras: { field?: string } }) => `${error.code} ${error.extras.field}`,
    )

  it('stores a list once, however often it is placed', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    const list = listOf([
      buy({ trigger: at('at_or_below', 2_000) }),
      sell({ trigger: at('at_or_above', 3_000) }),
    ])
    const first = await world.place(id, list)
    expect(first).toMatchObject({ receipt: null, list: { orders: [{ state: 'armed' }, { state: 'armed' }] } })
    expect(await world.place(id, list)).toEqual(first)
    expect(first.list.orders.map((one) => one.id)).toEqual(world.idsOf(list))
    expect((await world.list(id, true)).lists).toHaveLength(1)
    // Another agent of the owner may have the same list.
    const other = await world.addOrders()
    expect((await world.place(other, list)).list.hash).toBe(first.list.hash)
  })

  it('rejects a list with the field of its fault', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    const nowS = Math.floor(world.clock.ms / 1_000)
    const cases: [string, ReturnType<typeof listOf>][] = [
      ['list.orders.0.amount_in', listOf([buy({ amountIn: 0n })])],
      ['list.orders.1.token_in', listOf([buy(), buy({ tokenIn: TOKENS.cbBTC })])],
      ['list.orders.0.expires_at', listOf([buy({ expiresAt: nowS })])],
      ['list.orders.0.amount_in', listOf([buy({ amountIn: USD - 1n })])],
      ['list.orders.0.slices', listOf([buy({ slices: 101, everyS: 60 })])],
      [
        'list.orders.0.trigger.token',
        listOf([buy({ trigger: { ...at('at_or_below', 1), token: TOKENS.USDG } })]),
      ],
      ['list.orders.0.trigger.token', listOf([buy({ trigger: { ...at('at_or_below', 1), token: JUNK } })])],
      ['list.session', listOf([buy()], [], `0x${'1'.repeat(64)}`)],
    ]
    for (const [field, list] of cases)
      expect(await fieldOf(world.place(id, list))).toBe(`BAD_REQUEST ${field}`)
    expect(await fieldOf(world.place(id, listOf([buy()]), { signature: '0x' }))).toBe('BAD_REQUEST signature')
    expect((await world.list(id)).lists).toEqual([])
  })

  it('keeps strangers and agents with other brains out', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders({ wallet: OWNER })
    expect(await codeOf(world.place(id, listOf([buy()])))).toBe('FORBIDDEN')
    expect(await codeOf(world.cancel(id, null))).toBe('FORBIDDEN')
    expect(await codeOf(world.list(id))).toBe('FORBIDDEN')
    expect(await codeOf(world.place('a_unknown', listOf([buy()])))).toBe('NOT_FOUND')
    const dca = await world.addAgent()
    expect(await codeOf(world.place(dca, listOf([buy()])))).toBe('NOT_ORDERS')
    // Orders of another agent cannot be cancelled through the own one.
    const [own, other] = [await world.addOrders(), await world.addOrders()]
    const list = listOf([buy({ trigger: at('at_or_below', 2_000) })])
    await world.place(other, list)
    expect(await fieldOf(world.cancel(own, world.idsOf(list)))).toBe('BAD_REQUEST ids.0')
    expect(await world.states(other)).toEqual(['armed'])
  })

  it('has at most fifty open orders; replaced ones make room', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    const far = buy({ trigger: at('at_or_below', 1_000) })
    const lists = [16, 16, 16, 2].map((count) => listOf(Array(count).fill(far)))
    for (const list of lists) await world.place(id, list)
    expect(await codeOf(world.place(id, listOf([far])))).toBe('ORDER_LIMIT')
    const replaced = world.idsOf(lists[3]!)
    await world.place(id, listOf([far, far], replaced))
    expect((await world.list(id, true)).lists.flatMap(({ orders }) => orders)).toHaveLength(50)
    const states = (await world.orders(id))
      .filter((one) => replaced.includes(one.id))
      .map(({ state }) => state)
    expect(states).toEqual(['replaced', 'replaced'])
  })

  it('cancels some or all, with the exits of an unfilled entry', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    const bracket = listOf([
      buy({ trigger: at('at_or_below', 2_000) }),
      sell({ parent: 1, trigger: at('at_or_below', 1_900) }),
    ])
    const single = listOf([buy({ trigger: at('at_or_below', 2_000) })])
    await world.place(id, bracket)
    await world.place(id, single)
    const { orders, receipts } = await world.cancel(id, [world.idsOf(bracket)[0]!])
    expect(orders).toMatchObject([{ order: { state: 'cancelled' } }])
    expect(receipts).toEqual([])
    expect(await world.states(id)).toEqual(['armed', 'cancelled', 'cancelled'])
    await world.cancel(id, null)
    expect(await world.states(id)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    await world.price(1_800)
    await world.drain()
    expect(await world.ordersOf(id)).toEqual([])
  })

  it('ends orders with their agent, its brain or its pairs, and warns when it is paused', async () => {
    const world = openOrderWorld(db, { sessions: {} as never, leaveLeague: async () => {} })
    const far = listOf([buy({ trigger: at('at_or_below', 1_000) })])
    const [stopped, paused, changed] = [
      await world.addOrders(),
      await world.addOrders(),
      await world.addOrders(),
    ]
    for (const id of [stopped, paused, changed]) await world.place(id, { ...far })
    await stopAgent(world.deps, { by: world.by, id: stopped })
    expect(await world.orders(stopped)).toMatchObject([{ state: 'cancelled', why: 'The agent was stopped.' }])
    const detail = await pauseByOwner(world.deps, { by: world.by, id: paused })
    expect(detail.orders).toEqual({ open: 1, wanted: 0 })
    expect((await world.logsOf(paused)).at(-1)?.message).toContain(
      '1 open orders, stops included, do not run',
    )
    const { brains } = world.deps
    Object.assign(brains, { readParams: () => ({}), checkPairs: () => {} })
    await updateAgent(world.deps, {
      by: world.by,
      id: changed,
      brain: 'dca',
      fields: ['brain'],
      admit: async () => {},
    })
    expect(await world.states(changed)).toEqual(['cancelled'])
  })

  it('finds crossed orders among ten thousand by the index', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    await world.place(id, listOf([buy({ trigger: at('at_or_below', 2_000) })]))
    await db.query(
      `insert into signed_orders (agent_id, id, list_hash, position, state, since_ms, expires_at_s, watched_from_s,
         trigger_token, trigger_kind, below_e18, above_e18)
       select agent_id, '0x' || lpad(to_hex(n), 64, '0'), list_hash, 0, 'armed', 0, 1900000000, 0, trigger_token,
         case when n % 2 = 0 then 'at_or_below' else 'at_or_above' end,
         case when n % 2 = 0 then (n / 10) * 1e18 end, case when n % 2 = 1 then (2500 + n) * 1e18 end
       from signed_orders, generate_series(1, 10000) as n where agent_id = $1`,
      [id],
    )
    await db.exec('analyze signed_orders')
    const plan = await db.query<{ 'QUERY PLAN': string }>(
      `explain ${CROSSED.replaceAll('$1', `'${NATIVE}'`)
        .replaceAll('$2', `'${1_999n * ETHER}'`)
        .replaceAll('$3', '1800000000')}`,
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).not.toContain('Seq Scan')
    expect(text).toContain('signed_orders_below')
    expect(text).toContain('signed_orders_above')
    const started = performance.now()
    await world.price(1_999)
    expect(performance.now() - started).toBeLessThan(2_000)
    const met = await db.query('select 1 from signed_orders where agent_id = $1 and met_rounds is not null', [
      id,
    ])
    expect(met).toHaveLength(1)
    await db.query('delete from signed_orders where agent_id = $1', [id])
  })

  it('takes trailing orders only for tokens whose feed has rounds', async () => {
    const world = openOrderWorld(db)
    const id = await world.addOrders()
    const list = listOf([buy({ trigger: { ...trailing(500), token: TOKENS.PARTNER } })])
    expect(await fieldOf(world.place(id, list))).toContain('BAD_REQUEST list.orders.0.trigger')
  })
})

withDb('placing orders of a live agent', (db) => {
  let roots = 0

  async function openLive(controls: object | null = { signature_above_micro_usd: 0 }) {
    const signer = createHostedSigner(crypto, {
      cosignerKey: COSIGNER_KEY,
      balanceOf: () => 0n,
      nonceOf: () => 0,
    })
    const world = openOrderWorld(db, { signer })
    const ROOT = `0x${(++roots).toString(16).padStart(64, 'a')}` as const
    const sessionId = `s_live_${roots}`
    const binding = { version: 3, ...(controls && { controls }) }
    await db.query(
      `insert into sessions (id, wallet, executor, status, binding, binding_version, root, root_hash, created_at_s,
         expires_at_s) values ($1, $2, $3, 'active', $4, 3, '{}', $5, 0, 4000000000)`,
      [sessionId, OWNER, WALLET, JSON.stringify(binding), ROOT],
    )
    const by = { keyId: 1, wallet: OWNER }
    const id = await world.addOrders({ mode: 'live', live: true, wallet: OWNER, executor: WALLET, sessionId })
    const sign = (list: ReturnType<typeof listOf>, key: `0x${string}` = OWNER_KEY) =>
      serializeSignature(crypto.sign(orderDigest(crypto, { chainId: CHAIN_ID, manager: MANAGER }, list), key))
    const place = (list: ReturnType<typeof listOf>, rest: object = {}) =>
      world.place(id, list, { by, signature: sign(list), ...rest })
    return { ...world, ROOT, signer, id, sign, place, sessionId, by }
  }
  const far = buy({ trigger: at('at_or_below', 1_000) })

  it('registers at the co-signer, and again with the challenge of each request', async () => {
    const world = await openLive()
    const { ROOT } = world
    const list = listOf([far], [], ROOT)
    const challenge = `0x${'cd'.repeat(32)}` as const
    const stored = await world.place(list, { challenge })
    expect(stored).toMatchObject({
      list: { sessionId: world.sessionId },
      receipt: { what: 'registered', challenge },
    })
    expect([...world.signer.lists.values()]).toMatchObject([{ root_hash: ROOT, list: toWireOrders(list) }])
    const next = `0x${'ce'.repeat(32)}` as const
    const again = await world.place(list, { challenge: next })
    expect(again).toMatchObject({ list: stored.list, receipt: { what: 'registered', challenge: next } })
  })

  it('is repeated after a crash between the co-signer and the store', async () => {
    const world = await openLive()
    const { ROOT } = world
    const list = listOf([far], [], ROOT)
    world.signer.afterRegister = () => {
      throw new Error('killed')
    }
    await expect(world.place(list)).rejects.toThrow('killed')
    expect(world.signer.lists.size).toBe(1)
    expect(await db.query('select 1 from signed_lists where agent_id = $1', [world.id])).toEqual([])
    world.signer.afterRegister = () => {}
    expect((await world.place(list)).receipt).not.toBe(null)
    expect(world.signer.lists.size).toBe(1)
  })

  it('needs the owner’s signature, the attached session and its controls', async () => {
    const world = await openLive()
    const { ROOT } = world
    const list = listOf([far], [], ROOT)
    const thief = world.sign(list, COSIGNER_KEY)
    expect(await codeOf(world.place(list, { signature: thief }))).toBe('BAD_SIGNATURE')
    expect(await codeOf(world.place(listOf([far], [], `0x${'ff'.repeat(32)}`)))).toBe('BAD_REQUEST')
    world.signer.refuses = 'REFUSED'
    expect(await codeOf(world.place(list))).toBe('REFUSED')
    world.signer.refuses = null
    world.signer.reachable = false
    expect(await codeOf(world.place(list))).toBe('SIGNER_UNAVAILABLE')
    expect(await db.query('select 1 from signed_lists where agent_id = $1', [world.id])).toEqual([])
    const plain = await openLive(null)
    expect(await codeOf(plain.place(listOf([far], [], plain.ROOT)))).toBe('BAD_SESSION')
  })

  it('cancels at the co-signer first, and unknown ids there too', async () => {
    const world = await openLive()
    const { ROOT } = world
    const list = listOf([far, far], [], ROOT)
    await world.place(list)
    const [first] = world.idsOf(list)
    const strange = `0x${'77'.repeat(32)}` as const
    const cancel = (ids: readonly `0x${string}`[] | null) =>
      cancelOrders(world.deps, { by: world.by, id: world.id, ids })
    world.signer.reachable = false
    expect(await codeOf(cancel([first!]))).toBe('SIGNER_UNAVAILABLE')
    world.signer.reachable = true
    const { orders, receipts } = await cancel([first!, strange])
    expect(orders).toMatchObject([{ order: { id: first, state: 'cancelled' } }])
    expect(receipts).toMatchObject([
      { what: 'cancelled', id: first },
      { what: 'not_registered', id: strange },
    ])
    await cancel(null)
    expect(world.signer.cancelled).toEqual(new Set([...world.idsOf(list), strange]))
  })

  it('lets another brain take a list that its trade waits for', async () => {
    const world = await openLive()
    const { ROOT } = world
    const dca = await world.addAgent({
      mode: 'live',
      live: true,
      wallet: OWNER,
      executor: WALLET,
      sessionId: world.sessionId,
    })
    const list = listOf([buy()], [], ROOT)
    const wire = toWireOrders(list)
    const { by } = world
    const place = () => placeOrders(world.deps, { by, id: dca, list: wire, signature: world.sign(list) })
    expect(await codeOf(place())).toBe('NOT_ORDERS')
    const request = {
      id: orderListHash(crypto, list),
      list: wire as never,
      why: 'a trade',
      valid_until: 1_900_000_000,
    }
    await storeWanted(db, dca, request, world.clock.ms)
    expect((await place()).list.orders).toMatchObject([{ state: 'armed' }])
    expect(await db.query('select 1 from wanted_signatures where agent_id = $1', [dca])).toEqual([])
    for (let n = 0; n < 8; n++) await storeWanted(db, dca, { ...request, id: `0x${n}` }, world.clock.ms + n)
    expect((await db.query('select 1 from wanted_signatures where agent_id = $1', [dca])).length).toBe(5)
  })
})
