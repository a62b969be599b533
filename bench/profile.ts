/**
 * Profiles server and devnet on each hot path: quote, prepare, submit, fast and session trade, ROUNDS calls one after
 * another, after as many to warm up. Prints the processor time of their threads and writes .cpuprofile files, which
 * Chrome DevTools, VS Code and speedscope open.
 * node scripts/build.mjs && node dist/bench/profile.js [folder, .cache/profiles]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CpuProfile, WATCHED, watchProcess } from '@pit/platform/test/watchProcess'
import { freshenFeeds, openFastTrader } from '../e2e/fast/fastTrader.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { receiptOf } from '../e2e/trading/trader.ts'
import { threadMs } from './check/processorMs.ts'
import { ownTimes } from './profile/ownTimes.ts'
import { openTraders, TRADE } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 150)
/** Threads with less time a call are not listed. */
const LEAST_MS = 0.1
const folder = process.argv[2] ?? '.cache/profiles'

const screening = await watchScreening()
const world = await openSessionWorld({
  devnet: WATCHED,
  server: { ...screening.env, ...WATCHED, RATE_LIMIT_SCALE: '1000000', FAST_ENABLED: '1' },
})
const { server, devnet } = world
mkdirSync(folder, { recursive: true })
const watched = {
  server: { pid: server.pid, watch: await watchProcess(server.output()) },
  devnet: { pid: devnet.pid, watch: await watchProcess(devnet.output()) },
}
type Name = keyof typeof watched
try {
  const { owner, call, signTrades, openSession } = await openTraders(world, 'profile')
  /** A round returns the call; only the call is timed. */
  const show = async (name: string, round: (n: number) => Promise<() => Promise<unknown>>) => {
    for (let n = 0; n < ROUNDS; n++) await (await round(n))()
    const calls: (() => Promise<unknown>)[] = []
    for (let n = 0; n < ROUNDS; n++) calls.push(await round(ROUNDS + n))
    const before = { server: threadMs(server.pid), devnet: threadMs(devnet.pid) }
    let wallMs = 0
    const profiles = await profiled(async () => {
      const startedAt = performance.now()
      for (const once of calls) await once()
      wallMs = performance.now() - startedAt
    })
    console.log(`${name}: ${(wallMs / ROUNDS).toFixed(2)} ms passed (${ROUNDS} calls, one after another)`)
    for (const process of ['server', 'devnet'] as const) {
      writeFileSync(join(folder, `${name}-${process}.cpuprofile`), JSON.stringify(profiles[process]))
      showProcess(process, profiles[process], before[process])
    }
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
  for (const { watch } of Object.values(watched)) watch.close()
  await world.close()
}

async function profiled(run: () => Promise<void>): Promise<Record<Name, CpuProfile>> {
  let ofServer: CpuProfile
  const ofDevnet = await watched.devnet.watch.during(async () => {
    ofServer = await watched.server.watch.during(run)
  })
  return { server: ofServer!, devnet: ofDevnet }
}

function showProcess(name: Name, profile: CpuProfile, before: Map<number, number>): void {
  const { pid } = watched[name]
  const threads = [...threadMs(pid)].map(([id, ms]) => ({ id, ms: (ms - (before.get(id) ?? 0)) / ROUNDS }))
  const total = threads.reduce((sum, { ms }) => sum + ms, 0)
  const main = threads.find(({ id }) => id === pid)!
  const others = threads
    .filter((thread) => thread !== main && thread.ms >= LEAST_MS)
    .sort((a, b) => b.ms - a.ms)
    .map(({ ms }) => ms.toFixed(2))
  const most = ownTimes(profile, 6).map(({ name, share }) => `${name} ${(100 * share).toFixed(0)}%`)
  console.log(
    `  ${name}: ${total.toFixed(2)} ms of processor time a call; main thread ${main.ms.toFixed(2)}, ` +
      `others ${others.join(', ')}\n    most by itself on the main thread: ${most.join(', ')}`,
  )
}
