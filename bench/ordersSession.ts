/**
 * A session's trade with controls (a size above which the owner signs, three breakers, the wallet's nonce)
 * beside the same trade without them and with the nonce alone, in turns: wall time of the route, processor
 * time of server and co-signer. Nothing is sent after the first trade.
 * node scripts/build.mjs && node dist/bench/ordersSession.js
 */
import type { SessionTrade } from '../e2e/session/party.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { startCpu } from './limits/cpu.ts'
import { figure, median, quantile } from './trade/measure.ts'
import { openTraders } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 12)
/** Trades of one kind before the other: enough for the clock of processor time. */
const BATCH = Number(process.env['BATCH'] ?? 15)
const WARM = Number(process.env['WARM'] ?? 4)
const TARGET = 1.1
const CONTROLS = {
  signature_above_usd: 100_000,
  breakers: [
    { max_fall_usd: 50_000, window_s: null, cool_down_s: 3_600 },
    { max_fall_usd: 40_000, window_s: 86_400, cool_down_s: 3_600 },
    { max_fall_usd: 30_000, window_s: 3_600, cool_down_s: 3_600 },
  ],
}

interface Contestant {
  name: string
  /** Milliseconds of one session trade. */
  trade(): Promise<number>
  wallMs: number[]
  serverMs: number[]
  signerMs: number[]
}

const screening = await watchScreening()
const world = await openSessionWorld({ server: screening.env })
try {
  const plain = await open('without', {})
  const nonceOnly = await open('nonce', { controls: {} })
  const controlled = await open('with', { controls: CONTROLS })
  const contestants = [plain, nonceOnly, controlled]
  await screening.ended()
  for (let round = -WARM; round < ROUNDS; round++) {
    const turns = round % 2 === 0 ? contestants : [...contestants].reverse()
    for (const contestant of turns) await batch(contestant, round >= 0)
  }
  for (const { name, wallMs, serverMs, signerMs } of contestants) {
    const all = Object.entries({ wall: wallMs, 'server CPU': serverMs, 'co-signer CPU': signerMs })
    const text = all.map(
      ([of, ms]) => `${of} p50 ${median(ms).toFixed(1)}, p95 ${quantile(ms, 0.95).toFixed(1)}`,
    )
    console.log(`${name.padEnd(8)} ${text.join('; ')} (ms each)`)
  }
  const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length
  console.log(
    `with the nonce alone, co-signer CPU: ${(mean(nonceOnly.signerMs) / mean(plain.signerMs)).toFixed(2)}x`,
  )
  figure('with controls, wall time', median(controlled.wallMs) / median(plain.wallMs), TARGET)
  figure('with controls, server CPU', mean(controlled.serverMs) / mean(plain.serverMs), TARGET)
  figure('with controls, co-signer CPU', mean(controlled.signerMs) / mean(plain.signerMs), TARGET)
} finally {
  await world.close()
}

async function open(name: string, terms: object): Promise<Contestant> {
  const { timed, openSession } = await openTraders(world, `orders session ${name}`)
  const request = await openSession(terms)
  const trade = async () => {
    const { body, ms } = await timed<SessionTrade>('live/session/trade', request)
    if (!body.ready) throw new Error(JSON.stringify(body.simulation))
    return ms
  }
  return { name, trade, wallMs: [], serverMs: [], signerMs: [] }
}

async function batch(contestant: Contestant, isMeasured: boolean): Promise<void> {
  const startedMs = performance.now()
  const endCpu = startCpu([
    { name: 'server', pid: world.server.pid },
    { name: 'signer', pid: world.signer.pid },
  ])
  const times: number[] = []
  for (let n = 0; n < BATCH; n++) times.push(await contestant.trade())
  const [server, signer] = endCpu().shares
  if (!isMeasured) return
  const eachMs = (performance.now() - startedMs) / BATCH
  contestant.wallMs.push(...times)
  contestant.serverMs.push((server!.total / 100) * eachMs)
  contestant.signerMs.push((signer!.total / 100) * eachMs)
}
