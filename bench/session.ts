/**
 * Compares a session trade with one eth_simulateV1 of the same redemption and with a prepare of the same trade by
 * the same wallet, interleaved: the trade is planned, co-signed by the running signer (shown separately) and
 * simulated as the executor's transaction. node scripts/build.mjs && node dist/bench/session.js
 */
import type { Hex } from '@pit/chain'
import { keccak256, numberToHex, stringToHex } from 'viem'
import { openParty, type SessionTrade } from '../e2e/session/party.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { receiptOf } from '../e2e/trading/trader.ts'
import { grantSession } from './trade/grantSession.ts'
import { figure, median, post, quantile, rpcTimed } from './trade/measure.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 100)
/** A fresh server screens the registry first; then all code is compiled. */
const SETTLE_S = Number(process.env['SETTLE_S'] ?? 30)
const WARM = Number(process.env['WARM'] ?? 150)
const TARGET = 1.3
const ETH = 10n ** 18n
const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: (ETH / 1_000n).toString() }
const keyOf = (name: string): Hex => keccak256(stringToHex(`session bench ${name}`))

const world = await openSessionWorld()
try {
  const owner = await openParty(world.server.url, keyOf('owner'))
  const executor = await openParty(world.server.url, keyOf('executor'))
  for (const { wallet } of [owner, executor]) await world.fund(wallet, { wei: 10n * ETH })
  const session_id = await grantSession(owner, executor.wallet)

  const timed = async <T>(path: string, body: object) => {
    const answer = await post<T & { error?: object }>(`${world.server.url}/api/v1/${path}`, body, {
      authorization: `Bearer ${owner.key}`,
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body.error))
    return answer
  }
  // The first one sets the wallet's code; the others are measured.
  const first = await timed<SessionTrade>('live/session/trade', { session_id, ...TRADE })
  const sent = await owner.post<{ tx_hash: Hex }>('live/submit', {
    raw_tx: await executor.signTx(first.body.tx!),
  })
  await receiptOf(world.devnet, sent.body.tx_hash)

  const times = { simulation: [] as number[], prepare: [] as number[], session: [] as number[] }
  const parts = new Map<string, number[]>()
  /** Timings that each answer reports. */
  const take = (of: string, timings: Record<string, number>) => {
    for (const [name, ms] of Object.entries(timings)) {
      const key = `${of} ${name}`
      parts.set(key, [...(parts.get(key) ?? []), ms])
    }
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_S * 1000))
  for (let round = -WARM; round < ROUNDS; round++) {
    const prepared = await timed<{ timings: Record<string, number> }>('live/prepare', {
      wallet: owner.wallet,
      ...TRADE,
    })
    const traded = await timed<SessionTrade>('live/session/trade', { session_id, ...TRADE })
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
