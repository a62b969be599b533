/**
 * Profiles a server on each hot path: quote, prepare, submit, fast and session trade, ROUNDS calls one after
 * another, after as many to warm up. Each writes a .cpuprofile, which Chrome DevTools, VS Code and speedscope open.
 * node scripts/build.mjs && node dist/bench/profile.js [folder, .cache/profiles]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WATCHED, watchProcess } from '@pit/platform/test/watchProcess'
import { freshenFeeds, openFastTrader } from '../e2e/fast/fastTrader.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { receiptOf } from '../e2e/trading/trader.ts'
import { ownTimes } from './profile/ownTimes.ts'
import { openTraders, TRADE } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 150)
const folder = process.argv[2] ?? '.cache/profiles'

const screening = await watchScreening()
const world = await openSessionWorld({
  server: { ...screening.env, ...WATCHED, RATE_LIMIT_SCALE: '1000000', FAST_ENABLED: '1' },
})
const { server, devnet } = world
mkdirSync(folder, { recursive: true })
const watch = await watchProcess(server.output())
try {
  const { owner, call, signTrades, openSession } = await openTraders(world, 'profile')
  /** A round returns the call; only the call is timed. */
  const show = async (name: string, round: (n: number) => Promise<() => Promise<unknown>>) => {
    for (let n = 0; n < ROUNDS; n++) await (await round(n))()
    let wallMs = 0
    const seen = await watch.during(async () => {
      for (let n = 0; n < ROUNDS; n++) {
        const once = await round(ROUNDS + n)
        const startedAt = performance.now()
        await once()
        wallMs += performance.now() - startedAt
      }
    })
    const busyUs = seen.samples.reduce((sum, id, i) => {
      const { functionName } = seen.nodes.find((node) => node.id === id)!.callFrame
      return functionName === '(idle)' ? sum : sum + (seen.timeDeltas[i] ?? 0)
    }, 0)
    const title =
      `${name}: ${(busyUs / 1_000 / ROUNDS).toFixed(2)} ms of the server's processor a call, ` +
      `${(wallMs / ROUNDS).toFixed(2)} ms passed (${ROUNDS} calls, one after another)`
    writeFileSync(join(folder, `${name}.cpuprofile`), JSON.stringify(seen))
    const most = ownTimes(seen, 6).map(({ name, share }) => `${name} ${(100 * share).toFixed(0)}%`)
    console.log(`${title}\n  most by itself: ${most.join(', ')}`)
  }

  await screening.ended()
  await show('quote', async () => () => call('live/quote', TRADE))
  await show('prepare', async () => () => call('live/prepare', { wallet: owner.wallet, ...TRADE }))

  const signed = await signTrades(2 * ROUNDS)
  await show('submit', async (n) => () => call('live/submit', { raw_tx: signed[n]!.raw }))
  await receiptOf(devnet, signed.at(-1)!.hash, 60_000)

  const fast = await openFastTrader(world, 5)
  const first = await fast.nonce()
  await freshenFeeds(devnet)
  await show('fast', async (n) => {
    const { body } = await fast.build('ETH/USDG', { usd: 5, tx: { nonce: first + n } })
    return async () => {
      const answer = await fast.send({ ...body, simulate: false })
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    }
  })

  const inSession = await openSession()
  await show('session', async () => () => call('live/session/trade', inSession))
} finally {
  // A process with an attached inspector does not end.
  watch.close()
  await world.close()
}
