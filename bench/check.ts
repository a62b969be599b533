/**
 * Fails when a trade, a read or a process at rest takes over a quarter more processor time than the committed baseline
 * of this architecture (bench/baseline). Times are in units of a fixed computation measured beside them, so another
 * machine, or other work on it, changes them little. `npm run bench:check`; `-- --write` rewrites the baseline.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { openSessionWorld } from '../e2e/session/world.ts'
import { type Plan, receiptOf } from '../e2e/trading/trader.ts'
import { compare, type Figures } from './check/compare.ts'
import { processorMs, unitMs } from './check/processorMs.ts'
import { rpcTimed } from './trade/measure.ts'
import { openTraders, TRADE } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

/** The least of some batches: other work on the machine only adds. */
const BATCHES = 4
const CALLS = Number(process.env['CALLS'] ?? 30)
const WARM = Number(process.env['WARM'] ?? 120)
/** A process is at rest a minute after its last request. */
const REST_AFTER_S = 65
const REST_S = 30
const file = `bench/baseline/${process.arch}.json`

const figures: Figures = {}
const screening = await watchScreening()
const world = await openSessionWorld({
  devnet: { MARKET: 'off' },
  server: { RATE_LIMIT_SCALE: '1000000', ...screening.env },
})
const { devnet, server } = world
const pids = { server: server.pid, signer: world.signer.pid, devnet: devnet.pid }
type Name = keyof typeof pids
const processorNow = () =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processorMs(pid)])) as Record<
    Name,
    number
  >

/** Processor time of one call in each named process, in units; `settled` ends the work that a batch started. */
async function measure(
  what: string,
  names: readonly Name[],
  call: (n: number) => Promise<unknown>,
  settled: () => Promise<unknown> = async () => {},
): Promise<void> {
  for (let n = 0; n < WARM; n++) await call(n)
  await settled()
  const ms: Record<string, number> = {}
  for (let batch = 0; batch < BATCHES; batch++) {
    const unit = unitMs()
    const before = processorNow()
    for (let n = 0; n < CALLS; n++) await call(WARM + batch * CALLS + n)
    await settled()
    const after = processorNow()
    for (const name of names) {
      const spent = (after[name] - before[name]) / CALLS
      const key = `${what}, ${name}`
      figures[key] = Math.min(figures[key] ?? Number.POSITIVE_INFINITY, spent / unit)
      ms[name] = Math.min(ms[name] ?? Number.POSITIVE_INFINITY, spent)
    }
  }
  console.log(
    names
      .map(
        (name) =>
          `${what}, ${name}: ${figures[`${what}, ${name}`]!.toFixed(2)} units, ${ms[name]!.toFixed(1)} ms`,
      )
      .join('\n'),
  )
}

try {
  const { owner, call, signTrades, openSession } = await openTraders(world, 'check')
  await screening.ended()
  console.log(`unit: ${unitMs().toFixed(2)} ms of this machine`)

  await measure('GET config', ['server'], async () => {
    for (let n = 0; n < 10; n++) await (await fetch(`${server.url}/api/v1/config`)).arrayBuffer()
  })
  await measure('quote', ['server', 'devnet'], () => call('live/quote', TRADE))
  await measure('prepare', ['server', 'devnet'], () =>
    call('live/prepare', { wallet: owner.wallet, ...TRADE }),
  )
  const { tx } = await call<Plan>('live/prepare', { wallet: owner.wallet, ...TRADE })
  const { from, to, data, value } = tx!
  const simulated = { blockStateCalls: [{ calls: [{ from, to, data, value: numberToHex(BigInt(value)) }] }] }
  await measure('one simulation', ['devnet'], () =>
    rpcTimed(devnet.url, 'eth_simulateV1', [simulated, 'latest']),
  )
  ratio('prepare / one simulation', ['prepare, server', 'prepare, devnet'], 'one simulation, devnet')

  const signed = await signTrades(WARM + BATCHES * CALLS)
  let sent = 0
  await measure(
    'submit and settle',
    ['server', 'devnet'],
    (n) => {
      sent = n
      return call('live/submit', { raw_tx: signed[n]!.raw })
    },
    async () => {
      await receiptOf(devnet, signed[sent]!.hash, 60_000)
      await sleep(1_500)
    },
  )

  const inSession = await openSession()
  await measure('session trade', ['server', 'signer', 'devnet'], () => call('live/session/trade', inSession))

  await sleep(REST_AFTER_S * 1_000)
  const unit = unitMs()
  const before = processorNow()
  await sleep(REST_S * 1_000)
  const after = processorNow()
  for (const name of Object.keys(pids) as Name[])
    figures[`a second at rest, ${name}`] = (after[name] - before[name]) / REST_S / unit
} finally {
  await world.close()
}

function ratio(what: string, parts: readonly string[], by: string): void {
  figures[what] = parts.reduce((sum, part) => sum + figures[part]!, 0) / figures[by]!
  console.log(`${what}: ${figures[what].toFixed(2)}x by processor time`)
}

if (process.argv.includes('--write')) {
  const rounded = Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(3))])
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`)
  console.log(`wrote ${file}`)
} else if (existsSync(file)) {
  const { lines, worse } = compare(figures, JSON.parse(readFileSync(file, 'utf8')))
  console.log(lines.join('\n'))
  if (worse.length > 0) {
    console.error(
      `Worse than ${file} by more than 25%: ${worse.join('; ')}. If intended: npm run bench:check -- --write`,
    )
    process.exitCode = 1
  }
} else {
  console.error(
    `No baseline for ${process.arch}: npm run bench:check -- --write on a quiet machine, then commit it`,
  )
  process.exitCode = 1
}
