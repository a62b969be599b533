import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from './fuzz/random.ts'
import { done } from './hosted/liveAgent.ts'
import { type ModelRun, nameOf, randomRun, toListed } from './orders/modelRun.ts'
import {
  buyEth,
  ETH,
  ethPrice,
  type OrderAgent,
  type OrderRow,
  openLiveAgent,
  openPaperAgent,
  setEth,
  USDG,
} from './orders/orderAgent.ts'
import { openParty, type Party } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'

/**
 * Random lists of orders on a random path of the price, live and on paper: after each price exactly the ones
 * that the plain reference of `@pit/orders` expects have been filled, within their signed bounds.
 */

// Twenty by hand: ORDER_MODEL_LISTS=20 npx vitest run --project e2e e2e/ordersModel.test.ts
const LISTS = Number(process.env['ORDER_MODEL_LISTS'] ?? 2)
const SEED = Number(process.env['ORDER_MODEL_SEED'] ?? 4663)
const FILL_MS = 90_000
/** A later part of a sliced order. */
const SLICES_MS = 120_000

let world: SessionWorld
let owner: Party
let agents: { name: string; agent: OrderAgent }[]
let base: number

beforeAll(async () => {
  world = await openSessionWorld({ devnet: { MARKET: 'on' } })
  owner = await openParty(world.server.url, keccak256(stringToHex('order model owner')))
  await world.fund(owner.wallet, { wei: 2n * ETH, usdg: 2_000n * USDG })
  base = await ethPrice(owner)
  await setEth(world, base)
  const paper = await openPaperAgent(owner)
  agents = [
    { name: 'live', agent: await openLiveAgent(world, owner) },
    { name: 'paper', agent: paper },
  ]
  // A paper book starts with dollars only.
  const [id] = await paper.place([buyEth(world, 1_000n * USDG)])
  await paper.inState(id!, ['filled'])
}, 300_000)
afterAll(() => world?.close())

for (let n = 0; n < LISTS; n++) {
  it(`list ${n} is carried out as the reference says`, { timeout: 900_000 }, async () => {
    const run = randomRun(createRandom(SEED + n), { withSlices: n === 0 })
    await setEth(world, base)
    await sleep(3_000)
    const placed = []
    for (const { name, agent } of agents) placed.push({ name, agent, names: await place(agent, run) })
    // A round counts only if it is later than the second of the registration.
    await sleep(1_200)
    for (const one of placed) await expectFilled(one, run.filledAfter[0]!)
    for (const [step, cents] of run.path.entries()) {
      await setEth(world, (base * cents) / 1_000)
      for (const one of placed) await expectFilled(one, run.filledAfter[step + 1]!)
      // Exits are armed by the fills before the next price.
      await sleep(2_500)
      for (const one of placed) await expectFilled(one, run.filledAfter[step + 1]!)
    }
    for (const one of placed) await checkEnd(one, run)
    for (const { agent } of agents) await done(owner, `hosted/${agent.id}/orders/cancel`, { all: true })
    console.log(`list ${n}: prices ${run.path.join()}, filled ${run.filledAfter.at(-1)!.join()}`)
  })
}

interface Placed {
  name: string
  agent: OrderAgent
  names: Map<Hex, string>
}

async function place(agent: OrderAgent, { lists }: ModelRun): Promise<Map<Hex, string>> {
  const names = new Map<Hex, string>()
  for (const [list, orders] of lists.entries()) {
    const ids = await agent.place(orders.map((order) => toListed(world, order, base)))
    for (const [position, id] of ids.entries()) names.set(id, nameOf(list, position))
  }
  return names
}

const rowsOf = async ({ agent, names }: Placed): Promise<OrderRow[]> =>
  (await agent.rows()).filter(({ id }) => names.has(id))

/** Waits until exactly these orders have a fill. */
async function expectFilled(one: Placed, expected: readonly string[]): Promise<void> {
  const seen = async () =>
    (await rowsOf(one)).filter(({ filled_in }) => filled_in !== '0').map(({ id }) => one.names.get(id)!)
  await until(async () => (await seen()).sort().join() === expected.join(), {
    withinMs: FILL_MS,
    everyMs: 250,
    said: async () => ({ of: one.name, expected, rows: await rowsOf(one), logs: await one.agent.logs() }),
  })
}

async function checkEnd(one: Placed, { lists, cancelled, filledAfter }: ModelRun): Promise<void> {
  const filled = filledAfter.at(-1)!
  const isEnded = (rows: readonly OrderRow[]) =>
    rows.every(({ id, state }) => !filled.includes(one.names.get(id)!) || state === 'filled')
  const rows = await until(() => rowsOf(one), { holds: isEnded, withinMs: SLICES_MS, everyMs: 500 })
  const byName = new Map(rows.map((row) => [one.names.get(row.id)!, row]))
  for (const [name, { order, state, filled_in, filled_out, why }] of byName) {
    const where = `${one.name} ${name}: ${why}`
    const [amount, least] = [BigInt(order.amount_in), BigInt(order.min_amount_out)]
    expect(BigInt(filled_in), where).toBeLessThanOrEqual(amount)
    expect(BigInt(filled_out) * amount, where).toBeGreaterThanOrEqual(least * BigInt(filled_in))
    if (filled.includes(name) && order.parent === 0) expect(BigInt(filled_in), where).toBe(amount)
    if (order.parent > 0) {
      const entry = byName.get(nameOf(Number(name.split('.')[0]), order.parent - 1))!
      expect(BigInt(filled_in), where).toBeLessThanOrEqual(BigInt(entry.filled_out))
    }
    expect(state === 'cancelled', where).toBe(cancelled.includes(name))
  }
  expect(byName.size).toBe(lists.flat().length)
}
