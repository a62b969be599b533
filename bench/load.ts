/**
 * Prepares at a steady rate from one client, and when the slow ones were: stalls come together, chance does not.
 * The server's processor time a prepare holds beside other work. node scripts/build.mjs && node dist/bench/load.js
 */
import { openTradingWorld } from '../e2e/trading/world.ts'
import { startCpu } from './limits/cpu.ts'
import { figure } from './trade/measure.ts'
import { prepareLoad } from './trade/prepareLoad.ts'
import { watchScreening } from './watchScreening.ts'

const PREPARES_S = Number(process.env['PREPARES_S'] ?? 60)
const PREPARES_PER_S = Number(process.env['PREPARES_PER_S'] ?? 50)
const WARM_S = Number(process.env['WARM_S'] ?? 15)
const WANTED = 5

const screening = await watchScreening()
const world = await openTradingWorld({ devnet: { MARKET: 'off' }, server: screening.env })
try {
  await screening.ended()
  await prepareLoad(world.server, { seconds: WARM_S, perS: PREPARES_PER_S })
  const use = startCpu([
    { name: 'server', pid: world.server.pid },
    { name: 'devnet', pid: world.devnet.pid },
  ])
  const load = await prepareLoad(world.server, { seconds: PREPARES_S, perS: PREPARES_PER_S })
  const { shares, elsewhere } = use()
  console.log(load.text)
  figure('p99 / p50', load.p99Ms / load.p50Ms, WANTED)
  for (const { name, total, byName } of shares) {
    const threads = byName.slice(0, 3).map(([thread, share]) => `${thread} ${share.toFixed(0)}%`)
    console.log(`${name}: ${((total * 10) / PREPARES_PER_S).toFixed(1)} ms a prepare (${threads.join(', ')})`)
  }
  console.log(`other processes: ${elsewhere.toFixed(0)}% of a core`)
  const seconds = new Map<number, number>()
  for (const { atS } of load.slowest) seconds.set(Math.floor(atS), (seconds.get(Math.floor(atS)) ?? 0) + 1)
  console.log(`slowest hundredth, by second: ${[...seconds].map(([s, n]) => `${s}: ${n}`).join(', ')}`)
} finally {
  await world.close()
}
