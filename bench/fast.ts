/**
 * Cost of fast mode. One interleaved run, devnet and server in separate processes:
 * - time inside the service (reading, recovering, rebuilding, judging; no simulation), as the answers report it
 * - a whole call without a simulation against a bare eth_sendRawTransaction of the same call to the same node
 * - a whole call with its simulation against the same simulation and a bare send
 * The same bytes can be sent once only, so each round signs the same trade once for every subject, from
 * wallets of the same kind. The sequencer answers after SEQUENCER_MS (default 0, as quick as this machine
 * is).
 * `node dist/bench/fast.js [rounds]`
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createCrypto, type Hex, signTx } from '@pit/chain'
import { encodeSwap } from '@pit/plans'
import { systemClock } from '@pit/platform/clock'
import { createRpc } from '@pit/platform/rpc'
import { type Answer, type ChainProfile, feeOf } from '@pit/protocol'
import { mnemonicToAccount } from 'viem/accounts'
import { startDevnetProcess } from '../e2e/devnetProcess.ts'
import { startServerProcess } from '../e2e/serverProcess.ts'
import { MNEMONIC, openTrader } from '../e2e/trading/trader.ts'
import { tradingEnv } from '../e2e/trading/world.ts'
import { openTable } from '../packages/trading/src/fast/index.ts'
import { createSimulator } from '../packages/trading/src/simulate/index.ts'
import { watchScreening } from './watchScreening.ts'

const ROUNDS = Number(process.argv[2] ?? 400)
const WARM_UP = 300
const REST_MS = 150
const SEQUENCER_MS = Number(process.env['SEQUENCER_MS'] ?? 0)
const FRESH_EVERY_MS = 15_000
const CONTROL_MS = 0.4
const GOALS = { p50Ms: 1, p99Ms: 3, bare: 1.8, simulated: 1.25 }
const AMOUNT_IN = 2n * 10n ** 15n
const PAIR = 'ETH/USDG'

type Answered = Answer<'live.fast'> & { error?: { code: string; message: string } }
type Subject = 'send' | 'fast' | 'simulateAndSend' | 'fastSimulated'

const screening = await watchScreening()
const devnet = await startDevnetProcess({ MARKET: 'off' })
const server = await startServerProcess({
  ...tradingEnv(devnet),
  ...screening.env,
  FAST_ENABLED: '1',
  RATE_LIMIT_SCALE: '1000000',
  ...(process.env['DATABASE_URL'] ? { DATABASE_URL: process.env['DATABASE_URL'] } : {}),
})
const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
const crypto = await createCrypto()
const { routes, addresses } = openTable(profile, crypto)
const route = routes.get(PAIR)!
const rpc = createRpc({ url: devnet.url })
const sequencer = createRpc({ url: devnet.sequencerUrl })
const agent = new Agent({ keepAlive: true, noDelay: true })

interface Wallet {
  address: Hex
  secret: Uint8Array
  nonce: number
  key: string
}
async function openWallet(account: number): Promise<Wallet> {
  const { wallet, key } = await openTrader(server.url, { account })
  const secret = mnemonicToAccount(MNEMONIC, { addressIndex: account }).getHdKey().privateKey!
  const nonce = Number(await rpc.request<Hex>('eth_getTransactionCount', [wallet, 'latest']))
  return { address: wallet, secret, nonce, key }
}
const wallets: Record<Subject, Wallet> = {
  send: await openWallet(3),
  fast: await openWallet(4),
  simulateAndSend: await openWallet(5),
  fastSimulated: await openWallet(6),
}

let head = { number: 0, timestampS: 0, baseFeeWei: 0n, hash: '0x' as Hex, parentHash: '0x' as Hex }
async function readHead(): Promise<void> {
  const block = await rpc.request<{ number: Hex; timestamp: Hex; baseFeePerGas: Hex }>(
    'eth_getBlockByNumber',
    ['latest', false],
  )
  const baseFeeWei = BigInt(block.baseFeePerGas)
  head = { ...head, number: Number(block.number), timestampS: Number(block.timestamp), baseFeeWei }
}
const simulator = createSimulator({ rpc, crypto, profile, clock: systemClock, market: { head: () => head } })

const FEE_BPS = 25
/**
 * Two hundred basis points under a price of 2,500 is under any the pool has here; the cap for this size is
 * 200.
 */
async function minOutOf(): Promise<bigint> {
  const checkOnly = await trade('fast', 1n, { check_only: true })
  const floor = (checkOnly.error as unknown as { terms: { floor: string } }).terms.floor
  return (BigInt(floor) * 1_005n) / 1_000n
}

function sign(subject: Subject, minOut: bigint) {
  const wallet = wallets[subject]
  const deadline = Math.floor(Date.now() / 1000) + 40
  const swapIn = AMOUNT_IN - feeOf(AMOUNT_IN, FEE_BPS)
  const { data } = encodeSwap({
    tokenIn: route.tokenIn.address,
    tokenOut: route.tokenOut.address,
    amountIn: AMOUNT_IN,
    legs: [{ hops: [route.hop], amountIn: swapIn }],
    amountOutMin: minOut,
    direct: true,
    fee: { bps: FEE_BPS, side: 'input', recipient: addresses!.feeRecipient },
    deadlineS: BigInt(deadline),
    weth: addresses!.weth,
    layout: addresses!.layout,
  })
  const tx = {
    type: 2,
    chainId: 4663,
    nonce: wallet.nonce,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: head.baseFeeWei * 2n,
    gas: BigInt(route.row.gas_floor),
    to: addresses!.router,
    value: AMOUNT_IN,
    data,
    accessList: [],
  } as const
  const { raw } = signTx(crypto, tx, wallet.secret)
  const body = {
    raw_tx: raw,
    token_in: 'ETH',
    token_out: 'USDG',
    amount_in: String(AMOUNT_IN),
    min_out: String(minOut),
    deadline,
    fee_bps: FEE_BPS,
  }
  return { tx, raw, body }
}

function post(key: string, body: object): Promise<Answered> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const options = {
      agent,
      host: '127.0.0.1',
      port: server.port,
      path: '/api/v1/live/fast',
      method: 'POST',
      headers,
    }
    const req = request(options, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Answered))
    })
    req.on('error', reject)
    req.end(text)
  })
}
const trade = (subject: Subject, minOut: bigint, more: object) =>
  post(wallets[subject].key, { ...sign(subject, minOut).body, ...more })

const inside: number[] = []
let cold = 0
const parts: Record<string, number[]> = { write: [], send: [], simulation: [], total: [] }
/** Signs, then times one subject; only the work itself is inside the clock. */
async function measure(subject: Subject, minOut: bigint): Promise<number> {
  const { tx, raw, body } = sign(subject, minOut)
  const simulate = async () => {
    const planTx = {
      from: wallets[subject].address,
      to: tx.to,
      valueWei: tx.value,
      data: tx.data,
      gas: Number(tx.gas),
      nonce: tx.nonce,
      maxFeePerGasWei: tx.maxFeePerGas,
      maxPriorityFeePerGasWei: 0n,
    }
    const simulated = await simulator.simulatePlan({
      wallet: wallets[subject].address,
      transactions: [{ kind: 'swap', tx: planTx }],
      tokenIn: route.tokenIn.address,
      tokenOut: route.tokenOut.address,
      amountIn: AMOUNT_IN,
      fee: { token: route.tokenIn.address, recipient: addresses!.feeRecipient },
      amountOutMin: minOut,
      fund: false,
      approvals: 'as planned',
      holdsInput: true,
    })
    if (!simulated.ok) throw new Error(simulated.error ?? 'not simulated')
  }
  const started = performance.now()
  let answer: Answered | undefined
  if (subject === 'send') await sequencer.request('eth_sendRawTransaction', [raw])
  else if (subject === 'fast') answer = await post(wallets.fast.key, { ...body, simulate: false })
  else if (subject === 'fastSimulated') answer = await post(wallets.fastSimulated.key, body)
  else {
    await simulate()
    await sequencer.request('eth_sendRawTransaction', [raw])
  }
  const ms = performance.now() - started
  wallets[subject].nonce += 1
  if (answer) {
    if (answer.error || !answer.relayed) throw new Error(`${subject}: ${JSON.stringify(answer.error)}`)
    inside.push(answer.timings['checks']!)
    if (answer.timings['read'] !== undefined) cold += 1
    const { write, send, total, simulation } = answer.timings
    parts['write']!.push(write!)
    parts['send']!.push(send!)
    if (simulation === undefined) parts['total']!.push(total!)
    else parts['simulation']!.push(simulation)
  }
  return ms
}

/**
 * Hashing for about as long as a call takes: shows how this machine interrupts plain work, in a process
 * without our server.
 */
const controls: number[] = []
const word = new Uint8Array(1_024)
function control(): number {
  const started = performance.now()
  for (let i = 0; i < controlSize; i++) crypto.keccakBytes(word)
  return performance.now() - started
}
let controlSize = 20
for (let i = 0; i < 200; i++) control()
const sample = Array.from({ length: 200 }, control).sort((a, b) => a - b)[100]!
controlSize = Math.max(1, Math.round((controlSize * CONTROL_MS) / sample))

const times: Record<Subject, number[]> = { send: [], fast: [], simulateAndSend: [], fastSimulated: [] }
const order: Subject[] = ['send', 'fast', 'simulateAndSend', 'fastSimulated']
let freshAtMs = 0
let minOut = 0n
if (SEQUENCER_MS > 0) await rpc.request('devnet_sequencer', [{ mode: 'slow', delay_ms: SEQUENCER_MS }])
await screening.ended()
for (let round = -WARM_UP; round < ROUNDS; round++) {
  if (Date.now() - freshAtMs > FRESH_EVERY_MS) {
    await rpc.request('devnet_setFeed', ['ETH', {}])
    await new Promise((resolve) => setTimeout(resolve, 900))
    await readHead()
    minOut = await minOutOf()
    freshAtMs = Date.now()
  }
  await readHead()
  if (round === 0) {
    inside.length = 0
    cold = 0
    for (const values of Object.values(parts)) values.length = 0
  }
  // Each round starts with another subject, so that none always follows a block.
  for (let i = 0; i < order.length; i++) {
    const subject = order[(i + round + WARM_UP) % order.length]!
    const ms = await measure(subject, minOut)
    if (round < 0) continue
    // Waits until it is mined and booked: otherwise each would wait for the chain's work on the previous one.
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
    times[subject].push(ms)
    controls.push(control())
  }
}

const quantile = (values: number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN
const median = (values: number[]) => quantile(values, 0.5)
const ms = (value: number) => `${value.toFixed(2)} ms`
const verdict = (met: boolean) => (met ? 'met' : 'MISSED')
const ratio = (a: Subject, b: Subject) => median(times[a]) / median(times[b])

const [p50, p99] = [median(inside), quantile(inside, 0.99)]
console.log(`${ROUNDS} rounds of ${PAIR}; sequencer answers after ${SEQUENCER_MS} ms; medians`)
console.log(
  `inside the service: p50 ${ms(p50)} (goal under ${GOALS.p50Ms}) ${verdict(p50 < GOALS.p50Ms)}, ` +
    `p99 ${ms(p99)} (goal under ${GOALS.p99Ms}) ${verdict(p99 < GOALS.p99Ms)}`,
)
console.log(
  `  slowest ${[...inside]
    .sort((a, b) => b - a)
    .slice(0, 8)
    .map(ms)
    .join(', ')} of ${inside.length}; ` +
    `${cold} calls found the wallet not warm and read it first (not counted above)\n` +
    `  plain hashing in the client’s own process, interleaved: p50 ${ms(median(controls))}, p99 ` +
    `${ms(quantile(controls, 0.99))}`,
)
const compare = (what: string, a: Subject, b: Subject, goal: number) => {
  const value = ratio(a, b)
  console.log(
    `${what}: ${ms(median(times[a]))} / ${ms(median(times[b]))} = ${value.toFixed(2)}x ` +
      `(goal at most ${goal}x) ${verdict(value <= goal)}`,
  )
}
compare('whole call without simulation / bare send', 'fast', 'send', GOALS.bare)
compare('whole call with simulation / simulate and send', 'fastSimulated', 'simulateAndSend', GOALS.simulated)
console.log(
  `of a call: store ${ms(median(parts['write']!))}, send ${ms(median(parts['send']!))}, simulation ` +
    `${ms(median(parts['simulation']!))}; in the handler without one ${ms(median(parts['total']!))}`,
)

agent.destroy()
rpc.close()
sequencer.close()
await server.stop()
await devnet.stop()
