import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { findPostgres } from '@pit/platform/test/postgresServer'
import { until } from '@pit/platform/test/until'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from './fuzz/random.ts'
import { NATIVE } from './hosted/liveAgent.ts'
import { type KillWorld, openKillWorld } from './orders/killWorld.ts'
import {
  buyEth,
  ETH,
  ethPrice,
  type LiveOrderAgent,
  type OrderRow,
  openLiveAgent,
  sellEth,
  setEth,
  USDG,
  when,
} from './orders/orderAgent.ts'
import { openParty } from './session/party.ts'
import { balanceOf } from './trading/trader.ts'

/**
 * Processes are killed between the round that meets an order's trigger and the order's fill. Each order is
 * filled once: the wallet's balances change by exactly its fills, and no transaction is relayed twice.
 */

// Forty by hand: ORDER_KILLS=40 npx vitest run --project e2e e2e/ordersKill.test.ts
const KILLS = Number(process.env['ORDER_KILLS'] ?? 3)
const SEED = Number(process.env['ORDER_KILLS_SEED'] ?? 4663)
/** A leaf whose transaction was lost with its worker must expire before the part is tried again. */
const SETTLE_MS = 300_000
const DOLLARS = 6n
const POINT_MS = 20_000
/** When a process is killed: before its bytes reach the sequencer, before it has the answer, or any time. */
const POINTS = ['any time', 'departure', 'answer'] as const
const ENDED = ['filled', 'expired', 'cancelled', 'replaced', 'unfillable']

const bin = findPostgres()
const STORES = [
  { name: 'the embedded store', bin: null, isPresent: true },
  { name: 'PostgreSQL with two API and two job processes', bin, isPresent: bin !== null },
]
const only = process.env['ORDER_KILLS_STORE']

for (const store of STORES) {
  const isChosen = only === undefined || (only === 'postgres') === (store.bin !== null)
  describe.skipIf(!store.isPresent || !isChosen)(`kills on ${store.name}`, () => {
    const random = createRandom(SEED)
    let world: KillWorld
    let agent: LiveOrderAgent
    let isHigh = false
    let base: number

    beforeAll(async () => {
      world = await openKillWorld(store.bin)
      const key = keccak256(stringToHex(`order kills ${store.name}`))
      const owner = await openParty(world.server.url, key, world.call)
      await world.fund(owner.wallet, { wei: 2n * ETH, usdg: 2_000n * USDG })
      base = await ethPrice(owner)
      await setEth(world, base)
      agent = await openLiveAgent(world, owner)
    }, 300_000)
    afterAll(() => world?.close())

    const balances = async () => ({
      eth: await balanceOf(world.devnet, NATIVE, agent.owner.wallet),
      usdg: await balanceOf(world.devnet, world.core('USDG'), agent.owner.wallet),
    })

    /** A stop that the next price meets, and sometimes a market order. */
    function ordersOf(): Parameters<LiveOrderAgent['place']>[0] {
      const eth = (ETH * DOLLARS) / BigInt(Math.round(base))
      const trigger = isHigh ? when('at_or_below', base * 1.005) : when('at_or_above', base * 1.005)
      const stop = random.chance(0.5)
        ? sellEth(world, eth, { trigger })
        : buyEth(world, DOLLARS * USDG, { trigger })
      const market = random.chance(0.5) ? sellEth(world, eth) : buyEth(world, DOLLARS * USDG)
      return random.chance(0.5) ? [stop, market] : [stop]
    }

    /** Watches the sequencer; the returned function waits for the point and returns if bytes have left. */
    function watchFor(point: (typeof POINTS)[number]): () => Promise<boolean> {
      let hasLeft = false
      let arrive = () => {}
      const arrival = new Promise<void>((resolve) => {
        arrive = resolve
      })
      const pass = point !== 'departure'
      world.gate.watch({
        arrived() {
          hasLeft = true
          if (!pass) arrive()
          return pass
        },
        answered() {
          if (point === 'answer') arrive()
          return point !== 'answer'
        },
      })
      return async () => {
        const waits = point === 'any time' ? [] : [arrival]
        await Promise.race([sleep(waits.length > 0 ? POINT_MS : random.below(1_500)), ...waits])
        return hasLeft
      }
    }

    // Orders without a trigger stay armed while an earlier transaction is pending.
    const isArmed = ({ state, order }: OrderRow) => state === 'armed' && order.trigger.kind !== 'none'
    const said = async () => [await agent.rows(), await agent.logs()]

    it(`fills each order once in ${KILLS} kills`, { timeout: 600_000 + KILLS * 60_000 }, async () => {
      const before = await balances()
      const victims: string[] = []
      for (let kill = 0; kill < KILLS; kill++) {
        const ids = await agent.place(ordersOf())
        // A round counts only if it is later than the second of the registration.
        await sleep(1_200)
        isHigh = !isHigh
        const point = POINTS[kill % POINTS.length]!
        const reached = watchFor(point)
        await setEth(world, base * (isHigh ? 1.01 : 1))
        const hasLeft = await reached()
        // Only workers relay.
        const victim =
          point === 'any time' ? random.pick(world.names) : world.workers[kill % world.workers.length]!
        victims.push(`${victim} at ${point}${point === 'any time' && hasLeft ? ' after a relay' : ''}`)
        await world.killAndRestart(victim, random.below(1_000))
        world.gate.watch({})
        // A price that returns while no process reads it does not count.
        const isMet = async () => !(await agent.rows()).some((row) => ids.includes(row.id) && isArmed(row))
        await until(isMet, { withinMs: 60_000, everyMs: 200, said })
      }
      const isEnded = async () => (await agent.rows()).every(({ state }) => ENDED.includes(state))
      await until(isEnded, { withinMs: SETTLE_MS, everyMs: 500, said })
      const states = await check(before)
      console.log(`${store.name}: killed ${victims.join(', ')}; ${JSON.stringify(states)}`)
    })

    /** By the chain alone, apart from the fills that the agent reports. */
    async function check(before: { eth: bigint; usdg: bigint }): Promise<Record<string, number>> {
      const rows = await agent.rows()
      const states: Record<string, number> = {}
      const change = { eth: 0n, usdg: 0n }
      for (const { order, state, why, filled_in, filled_out } of rows) {
        states[state] = (states[state] ?? 0) + 1
        if (state !== 'filled') expect(why).not.toBeNull()
        expect(BigInt(filled_in)).toBeLessThanOrEqual(BigInt(order.amount_in))
        const [sold, bought] =
          order.token_in === NATIVE ? (['eth', 'usdg'] as const) : (['usdg', 'eth'] as const)
        change[sold] -= BigInt(filled_in)
        change[bought] += BigInt(filled_out)
      }
      expect(states['filled']).toBe(rows.length)
      const after = await balances()
      expect({ eth: after.eth - before.eth, usdg: after.usdg - before.usdg }).toEqual(change)
      const hashes = rows.flatMap(({ transactions }) => transactions)
      expect(new Set(hashes).size).toBe(hashes.length)
      for (const hash of hashes) {
        expect(world.gate.left(hash)).toBe(1)
        expect(await world.devnet.rpc<number>('devnet_sequencerSeen', [hash])).toBe(1)
      }
      // Nothing else was mined for the executor: every nonce belongs to a fill, or to a revert.
      const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [agent.executor, 'latest']))
      console.log(`${rows.length} orders, ${hashes.length} fills, ${nonce} transactions of the executor`)
      expect(nonce).toBeGreaterThanOrEqual(hashes.length)
      return states
    }
  })
}
