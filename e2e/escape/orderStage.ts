import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex, OrderList } from '@pit/chain'
import { endAll, type OrderChain, openOrderChain } from './orderChain.ts'
import { cosign, idsOf, listFor, nowS, orderFor, place, placeOne, type Swap, USD } from './orderKit.ts'
import { FEED, STOCK, setRound, stopOf } from './setRound.ts'
import type { Granted, World } from './world.ts'

/** Sessions with controls, and orders in every state in which a trade must be refused. */
export interface OrderStage {
  world: World
  /** Every trade needs a signed order; it has a breaker that nothing here trips. */
  main: Granted
  /** Another session of the same wallet, with an order. */
  other: Granted
  /** Its wallet ended all of its sessions. */
  ended: Granted
  /** It has as many open orders as it may. */
  full: Granted
  plain: Granted
  orders: Record<Fixture, Hex>
  lists: { main: OrderList; other: OrderList; cancelled: OrderList }
  /** Of the order that starts later, in seconds. */
  startsAt: number
  /** Round ids of the trigger's feed: before the registration and after it. */
  rounds: { before: bigint; high: bigint; low: bigint; last: bigint; paused: bigint }
  chain: OrderChain
  /** Made anew before its leaves expire. */
  aging: Aging
}

type Fixture =
  | 'open'
  | 'limit'
  | 'future'
  | 'expired'
  | 'cancelled'
  | 'replaced'
  | 'stop'
  | 'trailing'
  | 'starting'
  | 'ofStock'
  | 'ofOther'
  | 'ofEnded'
  | 'exit'

/** Sessions with co-signed leaves that may still be sent. */
export interface Aging {
  atMs: number
  session: Granted
  /** 15 of 20 dollars of unsigned trades are used. */
  above: Granted
  /** Its breaker takes no more opening trades. */
  braked: Granted
  /** Its day is reserved for a closing order. */
  reserved: Granted
  orders: Record<'spent' | 'exit' | 'second' | 'sliced' | 'again' | 'named' | 'opening' | 'entry', Hex>
}

export const SALE: Swap = { side: 'sell', microUsd: 30 * USD }
export const BUY: Swap = { side: 'buy', microUsd: 30 * USD }
const FRESH_MS = 60_000
/** Longer than the rounds take that are made before the start. */
const STARTS_IN_S = 20
const NEVER = { max_fall_micro_usd: 5_000 * USD, window_s: null, cool_down_s: 3_600 }

export async function openOrderStage(world: World): Promise<OrderStage> {
  const { grant, register, signer } = world
  const walletKey = world.keyOf()
  const strict = { signature_above_micro_usd: 0 }
  const main = grant({ walletKey, controls: { ...strict, breakers: [NEVER] } })
  const other = grant({ walletKey, controls: strict })
  const [ended, full, plain] = [grant({ controls: strict }), grant({ controls: strict }), grant()]
  for (const one of [main, other, ended, full, plain]) await register(one)
  const at = (session: Granted, change: Parameters<typeof placeOne>[3] = {}) =>
    placeOne(world, session, SALE, change)

  const roundAt = (share: number) => setRound(world, FEED, share)
  const before = await roundAt(0.9)
  await roundAt(1)
  const trigger = { token: world.at.symbol(FEED), priceE18: 0n, trailBps: 0 }
  const below = stopOf(world, FEED)
  const startsAt = nowS() + STARTS_IN_S
  const expiring = await at(main, { expiresAt: nowS() + 2 })
  const lists = {
    main: listFor(world, main, [orderFor(world, SALE)]),
    other: listFor(world, other, [orderFor(world, SALE)]),
    cancelled: listFor(world, main, [orderFor(world, SALE)]),
  }
  const [open] = (await place(world, main, lists.main)) as [Hex]
  const [ofOther] = (await place(world, other, lists.other)) as [Hex]
  const [cancelled, replaced] = [await at(main), await at(main)]
  const bracket = listFor(world, main, [orderFor(world, SALE), orderFor(world, BUY, { parent: 1 })])
  const orders = {
    open,
    ofOther,
    cancelled,
    replaced,
    limit: await at(main, { minAmountOut: 29_400_000n }),
    future: await at(main, { startsAt: nowS() + 2_000 }),
    expired: expiring,
    stop: await at(main, { trigger: below }),
    trailing: await at(main, { trigger: { ...trigger, kind: 'trailing', trailBps: 500 } }),
    starting: await at(main, { trigger: below, startsAt }),
    ofStock: await at(main, { trigger: stopOf(world, STOCK) }),
    ofEnded: await at(ended),
    exit: (await place(world, main, bracket))[1]!,
  }
  const moved = listFor(world, main, [orderFor(world, SALE)], {
    replaces: [{ id: replaced, spentIn: 0n }],
  })
  await place(world, main, moved)
  const root_hash = main.rootHash
  const never = idsOf(world, lists.cancelled)
  await signer.client.cancelOrders({ root_hash, ids: [cancelled, ...never], challenge: root_hash })
  for (let i = 0; i < 5; i++)
    await place(
      world,
      full,
      listFor(
        world,
        full,
        Array.from({ length: 10 }, () => orderFor(world, SALE)),
      ),
    )
  // Rounds count from the second after the registration.
  await sleep(1_500)
  const high = await roundAt(1)
  const low = await roundAt(0.94)
  const last = await roundAt(1)
  await world.devnet.rpc('devnet_pauseOracle', [STOCK, true])
  const paused = await setRound(world, STOCK, 0.94)
  await world.devnet.rpc('devnet_pauseOracle', [STOCK, false])
  await setRound(world, STOCK, 1)
  await endAll(world, ended)
  // The co-signer's reading of the nonce is cached for half a second.
  await sleep(1_000)
  const chain = await openOrderChain(world)
  const rounds = { before, high, low, last, paused }
  return {
    world,
    main,
    other,
    ended,
    full,
    plain,
    orders,
    lists,
    startsAt,
    rounds,
    chain,
    aging: await openAging(world),
  }
}

/** The stage with leaves that are young enough to be refused for their content and not for their age. */
export async function freshStage(stage: OrderStage): Promise<OrderStage> {
  if (Date.now() - stage.aging.atMs < FRESH_MS) return stage
  return { ...stage, aging: await openAging(stage.world) }
}

async function openAging(world: World): Promise<Aging> {
  const { grant, register } = world
  const strict = { signature_above_micro_usd: 0 }
  const session = grant({ controls: strict })
  const above = grant({ controls: { signature_above_micro_usd: 20 * USD } })
  const tight = { max_fall_micro_usd: 1 * USD, window_s: null, cool_down_s: 3_600 }
  const braked = grant({ controls: { ...strict, breakers: [tight] } })
  const limits = { max_trade_micro_usd: 40 * USD, max_day_micro_usd: 100 * USD, max_trades: 100 }
  const reserved = grant({ limits, controls: { ...strict, breakers: [NEVER] } })
  for (const one of [session, above, braked, reserved]) await register(one)
  const atMs = Date.now()
  const group = { group: 1 }
  const shared = listFor(world, session, [orderFor(world, SALE, group), orderFor(world, SALE, group)])
  const [first, second] = (await place(world, session, shared)) as [Hex, Hex]
  const bracket = listFor(world, session, [orderFor(world, SALE), orderFor(world, BUY, { parent: 1 })])
  const [entry, exit] = (await place(world, session, bracket)) as [Hex, Hex]
  const whole = { ...SALE, microUsd: 4 * SALE.microUsd }
  const orders = {
    spent: await placeOne(world, session, SALE),
    second,
    entry,
    exit,
    sliced: await placeOne(world, session, whole, { slices: 4, everyS: 600 }),
    again: await placeOne(world, session, whole),
    named: await placeOne(world, session, SALE),
    opening: await placeOne(world, braked, { ...BUY, microUsd: 300 * USD }),
  }
  for (const id of [orders.spent, first, entry, orders.sliced, orders.again])
    await cosign(world, session, SALE, { id })
  await cosign(world, session, SALE, { id: orders.named }, { client_id: 'named-once' })
  const { client } = world.signer
  const root_hash = session.rootHash
  await client.cancelOrders({ root_hash, ids: [orders.named], challenge: root_hash })
  await cosign(world, above, { ...SALE, microUsd: 15 * USD })
  await cosign(world, braked, { ...BUY, microUsd: 40 * USD }, { id: orders.opening })
  await placeOne(world, reserved, { ...SALE, microUsd: 80 * USD })
  return { atMs, session, above, braked, reserved, orders }
}
