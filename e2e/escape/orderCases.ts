import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HOSTILE_LISTS } from './hostileLists.ts'
import { type Attempt, HOSTILE_TRADES } from './hostileOrders.ts'
import { send } from './intent.ts'
import { cosign, idsOf, listFor, orderFor, place, type Swap, USD } from './orderKit.ts'
import { freshStage, type OrderStage, openOrderStage, SALE } from './orderStage.ts'
import { FEED, STOCK, setRound } from './setRound.ts'
import type { Granted, World } from './world.ts'

// Ten thousand by hand: ESCAPE_ORDERS=10000 npx vitest run --project e2e e2e/escape.test.ts -t orders
const ORDERS = Number(process.env['ESCAPE_ORDERS'] ?? 300)
const AT_ONCE = 16
const BATCH = 100
const HONEST_PER_BATCH = 10

const KINDS = { ...HOSTILE_TRADES, ...HOSTILE_LISTS }

/** The owner signs orders, and the server asks for everything else. */
export function orderCases(getWorld: () => World): void {
  test(`refuses ${ORDERS} hostile trades and lists of sessions with signed orders`, {
    timeout: 3_600_000,
  }, async () => {
    const world = getWorld()
    let stage = await openOrderStage(world)
    const kinds = Object.keys(KINDS)
    const tried: Record<string, Record<string, number>> = {}
    const faults: string[] = []
    let honest = 0
    for (let count = 0; count < Math.max(ORDERS, kinds.length); ) {
      stage = await freshStage(stage)
      const length = Math.min(BATCH, Math.max(ORDERS, kinds.length) - count)
      const attempts = Array.from({ length }, (_, i) => {
        const kind = kinds[(count + i) % kinds.length]!
        return KINDS[kind]!(stage, kind)
      })
      count += length
      const before = await ledgerOf(stage)
      await inTurns(attempts, async (attempt) => {
        const outcome = await outcomeOf(world, attempt)
        const { kind } = attempt.intent
        tried[kind] = { ...tried[kind], [outcome]: (tried[kind]?.[outcome] ?? 0) + 1 }
        const isRefused = outcome !== 'OK' && outcome !== 'used'
        const names = outcome.split(' ')
        if (!isRefused || (attempt.rules.length > 0 && !attempt.rules.some((rule) => names.includes(rule))))
          faults.push(`${kind}: ${outcome}, not ${attempt.rules}`)
      })
      expect(faults.slice(0, 10)).toEqual([])
      // Nothing was registered, counted, met or settled.
      expect(await ledgerOf(stage)).toEqual(before)
      honest += await tradeHonestly(world)
    }
    honest += await tradeByTriggers(stage)
    const total = Object.values(tried)
      .flatMap(Object.values)
      .reduce((sum, n) => sum + n, 0)
    console.log(`${total} hostile trades and lists of ${Object.keys(tried).length} kinds, ${honest} honest`)
    if (process.env['ESCAPE_SHOW']) console.log(tried)
    expect(Object.keys(tried).sort()).toEqual(kinds.sort())
  })
}

/** The rules that refused it, or its code; of a settlement whether it was believed. */
async function outcomeOf(world: World, { intent }: Attempt): Promise<string> {
  const { status, code, rules, body } = await send(world, intent)
  if (status === 200 && intent.path === '/leaves/settle')
    return body['state'] === 'used' || body['received'] !== null ? 'used' : 'NOT_SETTLED'
  return rules.length > 0 ? rules.join(' ') : code
}

/** Everything the co-signer counts, of every session of the stage. */
async function ledgerOf({ world, main, other, ended, full, chain, aging }: OrderStage): Promise<unknown[]> {
  const { client } = world.signer
  const { session, above, braked, reserved } = aging
  const all: Granted[] = [main, other, ended, full, chain.session, session, above, braked, reserved]
  return Promise.all(
    all.map(async ({ rootHash }) => {
      const [{ sequence, spend }, controls] = await Promise.all([
        client.root(rootHash),
        client.controls(rootHash),
      ])
      return { sequence, spend, orders: controls.orders, unsigned: controls.unsigned_micro_usd }
    }),
  )
}

/** Orders and trades as their owner signed them; each must be registered and co-signed. */
async function tradeHonestly(world: World): Promise<number> {
  const { random } = world
  const controls = {
    signature_above_micro_usd: 20 * USD,
    breakers: [{ max_fall_micro_usd: 200 * USD, window_s: 3_600, cool_down_s: 600 }],
  }
  const session = world.grant({ controls })
  await world.register(session)
  for (let i = 0; i < HONEST_PER_BATCH; i++) {
    const swap: Swap = { side: random.pick(['sell', 'buy']), microUsd: 4 * USD + random.below(150 * USD) }
    const parts = random.pick([1, 1, 2, 3])
    const whole = { ...swap, microUsd: swap.microUsd * parts }
    const minAmountOut = swap.side === 'sell' ? BigInt(Math.floor(whole.microUsd * 0.98)) : 0n
    const order = orderFor(world, whole, {
      minAmountOut,
      ...(parts === 3 && { slices: 3, everyS: 60 }),
      startsAt: random.pick([0, Math.floor(Date.now() / 1000) - 60]),
    })
    const list = listFor(world, session, [order, orderFor(world, SALE)])
    expect(await place(world, session, list)).toEqual(idsOf(world, list))
    const [id] = idsOf(world, list)
    // A slice waits for its time; other orders trade in parts at once.
    for (let part = 1; part <= (parts === 3 ? 1 : parts); part++) {
      const { sequence } = await cosign(world, session, swap, { id: id!, part })
      // The same part again, for less: under the same sequence.
      const again = await cosign(
        world,
        session,
        { ...swap, microUsd: swap.microUsd - USD },
        { id: id!, part },
      )
      expect(again.sequence).toBe(sequence)
    }
  }
  for (let i = 0; i < 4; i++) await cosign(world, session, { ...SALE, microUsd: 4_900_000 })
  return HONEST_PER_BATCH + 4
}

/** The same orders that were refused trade by the rounds that meet them. */
async function tradeByTriggers(stage: OrderStage): Promise<number> {
  const { world, main, orders, rounds, startsAt, chain, aging } = stage
  await cosign(world, main, SALE, { id: orders.stop, rounds: [rounds.low] })
  await cosign(world, main, SALE, { id: orders.trailing, rounds: [rounds.high, rounds.low] })
  await cosign(world, main, SALE, { id: orders.open })
  await cosign(world, main, { ...SALE, lossBps: 200 }, { id: orders.limit })
  await sleep(Math.max(0, startsAt * 1000 - Date.now()))
  const [round, ofStock] = [await setRound(world, FEED, 0.94), await setRound(world, STOCK, 0.94)]
  await cosign(world, main, SALE, { id: orders.starting, rounds: [round] })
  await cosign(world, main, SALE, { id: orders.ofStock, rounds: [ofStock] })
  await cosign(world, chain.session, { side: 'buy', microUsd: 5 * USD }, { id: chain.stop, rounds: [round] })
  // Later tests trade both tokens at their first prices.
  await setRound(world, FEED, 1)
  await setRound(world, STOCK, 1)
  const exit: Swap = { side: 'buy', microUsd: Number(chain.received), amountIn: chain.received }
  await cosign(world, chain.session, exit, { id: chain.exit })
  // Closing trades pass a breaker and have their day reserved.
  const sale = orderFor(world, { ...SALE, microUsd: 50 * USD })
  const [id] = await place(world, aging.braked, listFor(world, aging.braked, [sale]))
  await cosign(world, aging.braked, { ...SALE, microUsd: 50 * USD }, { id: id! })
  return 9
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
    }),
  )
}
