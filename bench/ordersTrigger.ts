/**
 * From a feed's round to the executor's transaction: a signed stop of a live agent waits, a round crosses its
 * trigger, and the time until the transaction leaves for the sequencer is measured, from the request for the
 * round's block on. node scripts/build.mjs && ORDER_BENCH=20 node dist/bench/ordersTrigger.js
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256, stringToHex } from 'viem'
import { openKillWorld } from '../e2e/orders/killWorld.ts'
import { ETH, ethPrice, openLiveAgent, sellEth, setEth, USDG, when } from '../e2e/orders/orderAgent.ts'
import { openParty } from '../e2e/session/party.ts'
import { median, quantile } from './trade/measure.ts'

const STOPS = Number(process.env['ORDER_BENCH'] ?? 20)
/** A fresh server reads the market first; then all code is compiled. */
const SETTLE_MS = 1_000 * Number(process.env['SETTLE_S'] ?? 20)
const WARM = 3

const world = await openKillWorld(null)
try {
  const owner = await openParty(world.server.url, keccak256(stringToHex('orders bench')), world.call)
  await world.fund(owner.wallet, { wei: 5n * ETH, usdg: 1_000n * USDG })
  const base = await ethPrice(owner)
  await setEth(world, base)
  const agent = await openLiveAgent(world, owner)
  await sleep(SETTLE_MS)
  const times = { requested: [] as number[], mined: [] as number[] }
  let isHigh = false
  for (let n = -WARM; n < STOPS; n++) {
    const trigger = when(isHigh ? 'at_or_below' : 'at_or_above', base * 1.005)
    const [id] = await agent.place([sellEth(world, (ETH * 6n) / BigInt(Math.round(base)), { trigger })])
    // A round counts only if it is later than the second of the registration.
    await sleep(1_200)
    let leftMs = 0
    world.gate.watch({
      arrived() {
        leftMs ||= performance.now()
        return true
      },
    })
    isHigh = !isHigh
    const requestedMs = performance.now()
    await setEth(world, base * (isHigh ? 1.01 : 1))
    const minedMs = performance.now()
    await agent.inState(id!, ['filled'])
    if (n < 0) continue
    times.requested.push(leftMs - requestedMs)
    times.mined.push(leftMs - minedMs)
  }
  for (const [from, all] of Object.entries(times)) {
    const [p50, p99] = [median(all), quantile(all, 0.99)].map((ms) => ms.toFixed(0))
    console.log(`from the round ${from} to the relay, ${STOPS} stops: p50 ${p50} ms, p99 ${p99} ms`)
  }
} finally {
  await world.close()
}
