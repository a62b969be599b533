/**
 * A session's trade with controls (a size above which the owner signs, three breakers, the wallet's nonce)
 * beside the same trade without them and with the nonce alone, in turns: wall time of the route, processor
 * time of server and co-signer. Nothing is sent after the first trade.
 * node scripts/build.mjs && node dist/bench/ordersSession.js
 */
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { openParty, type Party, type SessionTrade, signaturesFor, startGrant } from '../e2e/session/party.ts'
import { openSessionWorld } from '../e2e/session/world.ts'
import { receiptOf } from '../e2e/trading/trader.ts'
import { startCpu } from './limits/cpu.ts'
import { figure, median, post, quantile } from './trade/measure.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 12)
/** Trades of one kind before the other: enough for the clock of processor time. */
const BATCH = Number(process.env['BATCH'] ?? 15)
const WARM = Number(process.env['WARM'] ?? 4)
const SETTLE_S = Number(process.env['SETTLE_S'] ?? 30)
const TARGET = 1.1
const ETH = 10n ** 18n
const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: (ETH / 1_000n).toString() }
const CONTROLS = {
  signature_above_usd: 100_000,
  breakers: [
    { max_fall_usd: 50_000, window_s: null, cool_down_s: 3_600 },
    { max_fall_usd: 40_000, window_s: 86_400, cool_down_s: 3_600 },
    { max_fall_usd: 30_000, window_s: 3_600, cool_down_s: 3_600 },
  ],
}
const keyOf = (name: string): Hex => keccak256(stringToHex(`orders session bench ${name}`))

interface Contestant {
  name: string
  owner: Party
  session_id: string
  wallMs: number[]
  serverMs: number[]
  signerMs: number[]
}

const world = await openSessionWorld()
try {
  const plain = await open('without', {})
  const nonceOnly = await open('nonce', { controls: {} })
  const controlled = await open('with', { controls: CONTROLS })
  const contestants = [plain, nonceOnly, controlled]
  await new Promise((resolve) => setTimeout(resolve, SETTLE_S * 1_000))
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
  const owner = await openParty(world.server.url, keyOf(`owner ${name}`))
  const executor = await openParty(world.server.url, keyOf(`executor ${name}`))
  for (const { wallet } of [owner, executor]) await world.fund(wallet, { wei: 10n * ETH })
  const granted = await startGrant(owner, executor.wallet, {
    ...{ max_trade_usd: 1_000, max_day_usd: 100_000, max_trades: 10_000, setup_budget_usd: 0 },
    ...terms,
  })
  if (granted.status !== 200) throw new Error(JSON.stringify(granted.body.error))
  const on = await owner.post('live/session/grant', await signaturesFor(owner, granted.body))
  if (on.status !== 200) throw new Error(JSON.stringify(on.body.error))
  const { session_id } = granted.body
  const contestant = { name, owner, session_id, wallMs: [], serverMs: [], signerMs: [] }
  // The first one sets the wallet's code; the others are measured.
  const first = await trade(contestant)
  const sent = await owner.post<{ tx_hash: Hex }>('live/submit', {
    raw_tx: await executor.signTx(first.body.tx!),
  })
  await receiptOf(world.devnet, sent.body.tx_hash)
  return contestant
}

async function trade({ owner, session_id }: Pick<Contestant, 'owner' | 'session_id'>) {
  const answer = await post<SessionTrade & { error?: object }>(
    `${world.server.url}/api/v1/live/session/trade`,
    { session_id, ...TRADE },
    { authorization: `Bearer ${owner.key}` },
  )
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body.error))
  if (!answer.body.ready) throw new Error(JSON.stringify(answer.body.simulation))
  return answer
}

async function batch(contestant: Contestant, isMeasured: boolean): Promise<void> {
  const startedMs = performance.now()
  const endCpu = startCpu([
    { name: 'server', pid: world.server.pid },
    { name: 'signer', pid: world.signer.pid },
  ])
  const times: number[] = []
  for (let n = 0; n < BATCH; n++) times.push((await trade(contestant)).ms)
  const [server, signer] = endCpu().shares
  if (!isMeasured) return
  const eachMs = (performance.now() - startedMs) / BATCH
  contestant.wallMs.push(...times)
  contestant.serverMs.push((server!.total / 100) * eachMs)
  contestant.signerMs.push((signer!.total / 100) * eachMs)
}
