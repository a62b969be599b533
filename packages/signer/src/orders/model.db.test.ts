import { type Hex, NATIVE, type Order } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import { expect, it } from 'vitest'
import {
  idsOf,
  makeList,
  makeOrder,
  openControlWorld,
  outcome,
  purchase,
  replacing,
  sale,
  use,
} from '../../test/controlKit.ts'
import { USDG } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { settleExpired } from './settleExpired.ts'
import { settle } from './settleLeaf.ts'

// More by hand: ORDER_STEPS=3000 npx vitest run --project db packages/signer/src/orders/model.db.test.ts
const STEPS = Number(process.env['ORDER_STEPS'] ?? 150)
const SEEDS = [1, 2]

/** Mulberry32. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

interface Leaf {
  id: Hex
  part: number
  firstMs: number
  /** When the ledger learned that it was used; the leaf cannot be mined later. */
  settledMs: number | null
  sequence: number
  amountIn: bigint
  minOut: bigint
  expires: number
  state: 'open' | 'used' | 'unused'
}

interface ModelOrder {
  order: Order
  budget: Hex
  parent: Hex | null
  ended: boolean
  /** The first order of those that replaced one another: its amount is the budget of all. */
  intention: Hex
}

/** A plain account of what every order may spend, which the ledger must never exceed. */
withDb(
  'random lists and trades',
  (db) => {
    it.each(SEEDS)(
      `never spend more than was signed, seed %i, ${STEPS} steps`,
      async (seed) => {
        const random = randomOf(seed)
        const world = openControlWorld(db)
        const limits = {
          max_trade_micro_usd: 100_000_000,
          max_day_micro_usd: 10_000_000_000,
          max_trades: 5_000,
        }
        const session = await world.open(
          {},
          { limits, expires_at: Math.floor(world.time.nowMs / 1000) + 80_000 },
        )
        const orders = new Map<Hex, ModelOrder>()
        const leaves: Leaf[] = []
        const stored = (await world.deps.sessions.find(session))!
        let signed = 0
        let replacedOnes = 0

        const place = async () => {
          const expiresAt = Math.floor(world.time.nowMs / 1000) + 60 + random(3_000)
          const amountIn = sale(10 + random(60)).amountIn
          const entry = makeOrder({
            tokenIn: USDG,
            tokenOut: NATIVE,
            amountIn: BigInt(10 + random(60)) * 1_000_000n,
            expiresAt,
          })
          const exit = { parent: 1, group: 1, amountIn, expiresAt }
          const lists = [
            [makeOrder({ amountIn, expiresAt })],
            [makeOrder({ amountIn, expiresAt, group: 1 }), makeOrder({ amountIn, expiresAt, group: 1 })],
            [entry, makeOrder(exit), makeOrder(exit)],
            [makeOrder({ amountIn, expiresAt, slices: 4, everyS: 60 + random(300) })],
          ]
          const list = makeList(session, lists[random(lists.length)]!)
          if (typeof (await outcome(world.place(session, list))) === 'string') return
          const ids = idsOf(list)
          list.orders.forEach((order, i) => {
            const first = list.orders.findIndex(({ group }) => group !== 0 && group === order.group)
            const parent = order.parent === 0 ? null : ids[order.parent - 1]!
            const budget = ids[first < 0 ? i : first]!
            orders.set(ids[i]!, { order, budget, parent, ended: false, intention: budget })
          })
        }
        /** Mostly those that may still trade. */
        const recent = () => [...orders].slice(random(4) === 0 ? 0 : -10)
        const trade = async () => {
          const open = recent()
          if (open.length === 0) return
          const [id, { order }] = open[random(open.length)]!
          const usd = 1 + random(60)
          const path = order.tokenIn === NATIVE ? sale(usd) : purchase(usd)
          const part = 1 + random(6)
          const answer = await outcome(world.trade(session, { ...path, ...use(id, part) }))
          if (typeof answer === 'string') return
          signed++
          const { nowMs } = world.time
          const earlier = leaves.find(({ sequence }) => sequence === answer.sequence)
          const others = leaves.filter((one) => one.id === id && one.state !== 'unused' && one !== earlier)
          expect(others.some((one) => one.part === part)).toBe(false)
          const latestMs = Math.max(
            0,
            ...others.map(({ expires, settledMs }) => Math.min(expires * 1000, settledMs ?? expires * 1000)),
          )
          if (order.slices > 1 && !earlier && latestMs > 0)
            expect(nowMs).toBeGreaterThanOrEqual(latestMs + order.everyS * 1000)
          if (earlier) {
            expect(path.amountIn <= earlier.amountIn).toBe(true)
            expect(earlier.expires * 1000).toBeGreaterThan(nowMs)
            expect(answer.expires_at * 1000).toBeLessThanOrEqual(earlier.firstMs + 360_000)
            earlier.expires = answer.expires_at
            if (path.amountOutMin < earlier.minOut) earlier.minOut = path.amountOutMin
          } else
            leaves.push({
              id,
              part,
              firstMs: nowMs,
              settledMs: null,
              sequence: answer.sequence,
              amountIn: path.amountIn,
              minOut: path.amountOutMin,
              expires: answer.expires_at,
              state: 'open',
            })
          expect(orders.get(id)!.ended).toBe(false)
        }
        const run = async () => {
          const open = leaves.filter(
            ({ state, expires }) => state === 'open' && expires * 1000 > world.time.nowMs,
          )
          const leaf = open[random(open.length)]
          if (!leaf) return
          leaf.state = 'used'
          world.useLeaf(session, leaf.sequence)
          if (random(2) === 0) {
            leaf.settledMs = world.time.nowMs
            await settle(world.deps, stored, {
              sequence: leaf.sequence,
              state: 'used',
              received: leaf.minOut,
            })
          }
        }
        const wait = async () => {
          world.time.nowMs += random(150) * 1000
          const nowS = Math.floor(world.time.nowMs / 1000)
          for (const leaf of leaves) if (leaf.state === 'open' && leaf.expires < nowS) leaf.state = 'unused'
          await settleExpired(world.deps)
        }
        const cancel = async () => {
          const [id] = [...orders.keys()].slice(random(orders.size + 1))
          if (id === undefined) return
          const { receipts } = await world.cancel(session, [id])
          for (const receipt of receipts) orders.get(receipt.id)!.ended = true
        }

        /** By the co-signer's figure or another one; the new order may spend what is left of the intention. */
        const replace = async () => {
          const open = recent().filter(([, { order }]) => order.group === 0 && order.parent === 0)
          if (open.length === 0) return
          const [id, { order, ended, intention }] = open[random(open.length)]!
          const { receipts } = await world.states(session, [id])
          const { spent, after } = receipts[0]!
          const spentIn = BigInt(spent) + BigInt(random(3) === 0 ? random(1_000) : 0)
          const rest = order.amountIn - spentIn
          if (rest <= 0n || order.slices > 1) return
          const expiresAt = Math.floor(world.time.nowMs / 1000) + 60 + random(3_000)
          const moved = makeOrder({ ...order, amountIn: rest, expiresAt })
          const list = makeList(session, [moved], replacing([id], spentIn))
          const answer = await outcome(world.place(session, list))
          if (typeof answer === 'string') {
            if (after === 'open' && spentIn !== BigInt(spent)) expect(answer).toContain('ORDER_REPLACED')
            if (ended) expect(answer).toContain('ORDER_ENDED')
            return
          }
          expect([ended, spentIn]).toEqual([false, BigInt(spent)])
          replacedOnes++
          orders.get(id)!.ended = true
          const [newId] = idsOf(list) as [Hex]
          orders.set(newId, { order: moved, budget: newId, parent: null, ended: false, intention })
        }

        const steps = [place, trade, trade, trade, trade, trade, run, run, wait, cancel, replace, replace]
        for (let i = 0; i < STEPS; i++) {
          await steps[random(i < 5 ? 1 : steps.length)]!()
          for (const [budget, { order, parent }] of orders) {
            const members = new Set([...orders].flatMap(([id, one]) => (one.budget === budget ? [id] : [])))
            if (members.size === 0) continue
            const spent = leaves
              .filter(({ id, state }) => members.has(id) && state !== 'unused')
              .reduce((sum, { amountIn }) => sum + amountIn, 0n)
            expect(spent <= order.amountIn).toBe(true)
            if (orders.get(budget)!.intention === budget) {
              const whole = [...orders].flatMap(([id, one]) => (one.intention === budget ? [id] : []))
              const sold = leaves
                .filter(({ id, state }) => whole.includes(id) && state !== 'unused')
                .reduce((sum, { amountIn }) => sum + amountIn, 0n)
              expect(sold <= order.amountIn).toBe(true)
            }
            if (parent === null) continue
            const received = leaves
              .filter(({ id, state }) => id === parent && state === 'used')
              .reduce((sum, { minOut }) => sum + minOut, 0n)
            expect(spent <= received).toBe(true)
          }
        }
        expect(signed).toBeGreaterThan(STEPS / 20)
        expect(replacedOnes).toBeGreaterThan(STEPS / 100)
      },
      120_000,
    )
  },
  ledgerMigrations(),
)
