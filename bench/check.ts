/**
 * Fails when a trade, a read or a process at rest takes over a quarter more processor time than the committed baseline
 * of this architecture (bench/baseline). Times are in units of fixed work that another process does after each call
 * (bench/reference), so another machine, or other work on it, changes them little. `npm run bench:check`;
 * `-- --write` rewrites the baseline.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import { openSessionWorld } from '../e2e/session/world.ts'
import { type Plan, receiptOf } from '../e2e/trading/trader.ts'
import { compare, type Figures } from './check/compare.ts'
import { processorMs } from './check/processorMs.ts'
import { startReference } from './check/startReference.ts'
import { rpcTimed } from './trade/measure.ts'
import { openTraders, TRADE } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

/** Of their figures the second best counts: other work on the machine only adds. */
const BATCHES = 5
const CALLS = Number(process.env['CALLS'] ?? 30)
const WARM = Number(process.env['WARM'] ?? 120)
/** A process is at rest a minute after its last request. */
const REST_AFTER_S = 65
const REST_S = 10
const REST_BATCHES = 5
const file = `bench/baseline/${process.arch}.json`

const figures: Figures = {}
const screening = await watchScreening()
const world = await openSessionWorld({
  devnet: { MARKET: 'off' },
  server: { RATE_LIMIT_SCALE: '1000000', ...screening.env },
})
const { devnet, server } = world
const reference = await startReference()
const pids = { server: server.pid, signer: world.signer.pid, devnet: devnet.pid, reference: reference.pid }
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
  const both = async (n: number) => {
    await call(n)
    await reference.work()
  }
  for (let n = 0; n < WARM; n++) await both(n)
  await settled()
  const batches: Record<Name, number>[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = processorNow()
    for (let n = 0; n < CALLS; n++) await both(WARM + batch * CALLS + n)
    await settled()
    batches.push(spentSince(before, CALLS))
  }
  for (const name of names) take(what, name, batches)
}

function take(what: string, name: Name, batches: readonly Record<Name, number>[]): void {
  const units = secondBest(batches.map((spent) => spent[name] / spent.reference))
  const ms = secondBest(batches.map((spent) => spent[name]))
  figures[`${what}, ${name}`] = units
  console.log(`${what}, ${name}: ${units.toFixed(2)} units, ${ms.toFixed(1)} ms`)
}

function spentSince(before: Record<Name, number>, count: number): Record<Name, number> {
  const after = processorNow()
  const spent = Object.entries(after).map(([name, ms]) => [name, (ms - before[name as Name]) / count])
  return Object.fromEntries(spent) as Record<Name, number>
}

const secondBest = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[1]!

try {
  const { owner, call, signTrades, openSession } = await openTraders(world, 'check')
  await screening.ended()
  await measure('ten of GET config', ['server'], async () => {
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

  await reference.startTicks()
  await sleep(REST_AFTER_S * 1_000)
  const seconds: Record<Name, number>[] = []
  for (let n = 0; n < REST_BATCHES; n++) {
    const before = processorNow()
    await sleep(REST_S * 1_000)
    seconds.push(spentSince(before, REST_S))
  }
  for (const name of ['server', 'signer', 'devnet'] as const) take('a second at rest', name, seconds)
} finally {
  reference.close()
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
