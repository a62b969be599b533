import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChainProfile } from '@pit/protocol'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'

// The devnet under load: cold boot, then SOAK_S seconds of RATE trades a second with simulations and quotes
// beside it, then a warm restart. node scripts/build.mjs && SOAK_S=60 node dist/bench/devnet.js

const SOAK_S = Number(process.env['SOAK_S'] ?? 60)
const RATE = process.env['RATE'] ?? '30'
const SIMULATIONS_PER_S = Number(process.env['SIMULATIONS'] ?? 5)
const QUOTES_PER_S = Number(process.env['QUOTES'] ?? 20)

interface Stats {
  head: number
  rss_mb: number
  cpu_s: number
  rotations: number
  rotationPauseMs?: number
  block_ms: { mean: number; p50: number; p99: number; max: number }
  market: { sent: number; refused: number; failures: number; skipped: number }
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })
let nextId = 0

function rpc<T>(url: string, method: string, params: unknown[] = []): Promise<T> {
  nextId += 1
  const body = JSON.stringify({ jsonrpc: '2.0', id: nextId, method, params })
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const { result, error } = JSON.parse(Buffer.concat(chunks).toString())
          if (error) reject(new Error(`${method}: ${error.message}`))
          else resolve(result)
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

async function boot(dataDir: string): Promise<{ child: ChildProcess; url: string; ms: number }> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['dist/devnet.js'], {
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DEVNET_PORT: '0',
      DEVNET_VENDOR_PORT: '0',
      MARKET_RATE: RATE,
      MARKET_SEED: 'bench',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const rpcUrl = /ready: chain 4663 at (\S+),/.exec(text)?.[1]
      if (rpcUrl) resolve(rpcUrl)
    })
    child.once('exit', (code) => reject(new Error(`the devnet ended with ${code}`)))
  })
  return { child, url, ms: Math.round(performance.now() - startedAt) }
}

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once('exit', () => resolve()))
const percentile = (values: number[], part: number) => {
  const sorted = [...values].sort((a, b) => a - b)
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 10) / 10
}

/** Runs `work` this many times a second, whatever its duration, until it is stopped; counts and times. */
function repeatedly(perS: number, work: () => Promise<unknown>) {
  const times: number[] = []
  let errors = 0
  let underWay = 0
  const timer = setInterval(() => {
    if (perS === 0 || underWay > 50) return
    underWay += 1
    const startedAt = performance.now()
    work()
      .then(() => times.push(performance.now() - startedAt))
      .catch((error) => {
        errors += 1
        if (errors <= 3) console.error(String(error))
      })
      .finally(() => {
        underWay -= 1
      })
  }, 1_000 / Math.max(1, perS))
  return {
    stop: () => clearInterval(timer),
    report: () => ({
      done: times.length,
      errors,
      p50_ms: percentile(times, 0.5),
      p99_ms: percentile(times, 0.99),
    }),
  }
}

const ERC20 = parseAbi([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
])
const QUOTER = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) returns (uint256, uint160, uint32, uint256)',
])

function loadOf(url: string, profile: ChainProfile, account: Hex) {
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')?.address as Hex
  const weth = profile.contracts.weth as Hex
  const { permit2, v3_quoter: quoter } = profile.contracts
  const wrap = { from: account, to: weth, value: numberToHex(10n ** 17n), data: '0xd0e30db0' }
  const approve = {
    from: account,
    to: usdg,
    data: encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [permit2 as Hex, 10n ** 12n] }),
  }
  const transfer = {
    from: account,
    to: usdg,
    data: encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [permit2 as Hex, 10n ** 6n] }),
  }
  const simulation = {
    blockStateCalls: [{ calls: [wrap, approve, transfer] }],
    traceTransfers: true,
    validation: false,
  }
  const fees = (profile.pins.reference_pools['ETH'] ?? []).flatMap((pin) =>
    pin.version === 'v3' ? [pin.fee] : [],
  )
  const quoteData = fees.map((fee) =>
    encodeFunctionData({
      abi: QUOTER,
      functionName: 'quoteExactInputSingle',
      args: [{ tokenIn: weth, tokenOut: usdg, amountIn: 10n ** 17n, fee, sqrtPriceLimitX96: 0n }],
    }),
  )
  let turn = 0
  return {
    async simulate() {
      const [block] = await rpc<{ calls: { status: Hex }[] }[]>(url, 'eth_simulateV1', [simulation, 'latest'])
      if (block?.calls.some(({ status }) => status !== '0x1')) throw new Error('a simulated call failed')
    },
    async quote() {
      turn += 1
      const answer = await rpc<Hex>(url, 'eth_call', [
        { to: quoter, data: quoteData[turn % fees.length] },
        'latest',
      ])
      if (BigInt(answer.slice(0, 66)) === 0n) throw new Error('a quote of nothing')
    },
  }
}

async function failedShare(url: string, head: number): Promise<string> {
  let [all, failed] = [0, 0]
  for (let block = Math.max(1, head - 300); block <= head; block++) {
    const receipts = await rpc<{ status: Hex }[]>(url, 'eth_getBlockReceipts', [numberToHex(block)])
    all += receipts.length
    failed += receipts.filter(({ status }) => status !== '0x1').length
  }
  return `${failed} of ${all} in the last 300 blocks`
}

const dir = mkdtempSync(join(tmpdir(), 'pit-bench-devnet-'))
let running: ChildProcess | undefined
try {
  const cold = await boot(dir)
  running = cold.child
  console.log(`cold boot        ${cold.ms} ms`)
  const info = await rpc<{ profile: ChainProfile; accounts: { address: Hex }[] }>(cold.url, 'devnet_info')
  const load = loadOf(cold.url, info.profile, info.accounts[7]?.address as Hex)
  const simulations = repeatedly(SIMULATIONS_PER_S, load.simulate)
  const quotes = repeatedly(QUOTES_PER_S, load.quote)
  const first = await rpc<Stats>(cold.url, 'devnet_stats')
  const startedAt = performance.now()
  let [last, backwards, maxRss] = [first.head, 0, first.rss_mb]
  const heads = setInterval(async () => {
    const head = Number(await rpc<Hex>(cold.url, 'eth_blockNumber').catch(() => numberToHex(last)))
    if (head < last) backwards += 1
    last = head
  }, 50)
  const lines = Math.min(20, Math.max(4, Math.round(SOAK_S / 60)))
  for (let line = 1; line <= lines; line++) {
    await new Promise((resolve) => setTimeout(resolve, (SOAK_S * 1_000) / lines))
    const now = await rpc<Stats>(cold.url, 'devnet_stats')
    maxRss = Math.max(maxRss, now.rss_mb)
    const { mean, p50, p99, max } = now.block_ms
    console.log(
      `after ${String(Math.round((performance.now() - startedAt) / 1000)).padStart(5)} s    rss ` +
        `${now.rss_mb} MB   block ms mean ${mean} p50 ${p50} p99 ${p99} max ${max}   rotations ` +
        `${now.rotations}   sent ${now.market.sent} refused ` +
        `${now.market.refused} failures ${now.market.failures} skipped ${now.market.skipped}`,
    )
  }
  simulations.stop()
  quotes.stop()
  clearInterval(heads)
  const end = await rpc<Stats>(cold.url, 'devnet_stats')
  const seconds = (performance.now() - startedAt) / 1_000
  const mean = (seconds * 1_000) / (end.head - first.head)
  console.log(`block time       mean ${mean.toFixed(1)} ms over ${end.head - first.head} blocks`)
  console.log(
    `transactions     ${((end.market.sent - first.market.sent) / seconds).toFixed(1)} a second from the ` +
      'market',
  )
  console.log(`processor        ${((end.cpu_s - first.cpu_s) / seconds).toFixed(2)} cores`)
  console.log(`failed           ${await failedShare(cold.url, end.head)}`)
  console.log(`simulations      ${JSON.stringify(simulations.report())}`)
  console.log(`quotes           ${JSON.stringify(quotes.report())}`)
  console.log(`head backwards   ${backwards}`)
  console.log(
    `rss              max ${maxRss} MB, ${end.rotations} rotations, longest pause ` +
      `${Math.round(end.rotationPauseMs ?? 0)} ms`,
  )
  cold.child.kill('SIGTERM')
  await ended(cold.child)
  const warm = await boot(dir)
  running = warm.child
  console.log(`warm restart     ${warm.ms} ms at block ${end.head}`)
  warm.child.kill('SIGTERM')
  await ended(warm.child)
} finally {
  running?.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
  agent.destroy()
}
