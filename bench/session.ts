/**
 * Compares a session trade with one eth_simulateV1 of the same redemption and with a prepare of the same trade by
 * the same wallet, interleaved: the trade is planned, co-signed by the running signer (shown separately) and
 * simulated as the executor's transaction. node scripts/build.mjs && node dist/bench/session.js
 */
import type { Hex } from '@pit/chain'
import { numberToHex } from 'viem'
import type { SessionTrade } from '../e2e/session/party.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { figure, median, quantile, rpcTimed } from './trade/measure.ts'
import { openTraders, TRADE } from './trade/traders.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 100)
const WARM = Number(process.env['WARM'] ?? 150)
const TARGET = 1.3

const screening = await watchScreening()
const world = await openSessionWorld({ server: screening.env })
try {
  const { owner, timed, openSession } = await openTraders(world, 'session')
  const inSession = await openSession()

  const times = { simulation: [] as number[], prepare: [] as number[], session: [] as number[] }
  const parts = new Map<string, number[]>()
  /** Timings that each answer reports. */
  const take = (of: string, timings: Record<string, number>) => {
    for (const [name, ms] of Object.entries(timings)) {
      const key = `${of} ${name}`
      parts.set(key, [...(parts.get(key) ?? []), ms])
    }
  }
  await screening.ended()
  for (let round = -WARM; round < ROUNDS; round++) {
    const prepared = await timed<{ timings: Record<string, number> }>('live/prepare', {
      wallet: owner.wallet,
      ...TRADE,
    })
    const traded = await timed<SessionTrade>('live/session/trade', inSession)
    if (!traded.body.ready) throw new Error(JSON.stringify(traded.body.simulation))
    const { from, to, data, gas } = traded.body.tx!
    const calls = [{ from, to, input: data, gas: numberToHex(BigInt(gas)) }]
    const redemption = [{ blockStateCalls: [{ calls }], validation: false }, 'latest']
    const simulated = await rpcTimed<{ calls: { status: Hex }[] }[]>(
      world.devnet.url,
      'eth_simulateV1',
      redemption,
    )
    if (simulated.body[0]!.calls[0]!.status !== '0x1') throw new Error('the redemption would revert')
    if (round < 0) continue
    times.simulation.push(simulated.ms)
    times.prepare.push(prepared.ms)
    times.session.push(traded.ms)
    take('prepare', prepared.body.timings)
    take('session', traded.body.timings)
  }
  for (const [name, all] of [...Object.entries(times), ...parts]) {
    const [least, p50, p95] = [Math.min(...all), median(all), quantile(all, 0.95)].map((ms) => ms.toFixed(1))
    console.log(`${name.padEnd(20)} p50 ${p50} ms, p95 ${p95} ms, least ${least} ms`)
  }
  figure(
    'a session trade beside one simulation of its redemption',
    median(times.session) / median(times.simulation),
    TARGET,
  )
  console.log(`beside a prepare: ${(median(times.session) / median(times.prepare)).toFixed(2)}x`)
} finally {
  await world.close()
}
