import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChainProfile, checkWith } from '@pit/protocol'
import { createPublicClient, createWalletClient, defineChain, type Hex, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// The devnet as users start it: a process, its ports, its files.

const MNEMONIC = 'test test test test test test test test test test test junk'
const KILL_ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 3)

interface Running {
  child: ChildProcess
  lines: string[]
  url: string
  vendors: string
  bootMs: number
}

const children = new Set<ChildProcess>()
const dirs: string[] = []
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'pit-devnet-'))
  dirs.push(dir)
  return dir
}

afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
})

function launch(env: Record<string, string>) {
  const child = spawn(process.execPath, ['dist/devnet.js'], {
    env: { ...process.env, DEVNET_PORT: '0', DEVNET_VENDOR_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const lines: string[] = []
  const listen = (stream: NodeJS.ReadableStream | null) =>
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
  listen(child.stdout)
  listen(child.stderr)
  const exited = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      children.delete(child)
      resolve(code)
    }),
  )
  return { child, lines, exited }
}

async function start(env: Record<string, string>): Promise<Running> {
  const startedAt = performance.now()
  const { child, lines, exited } = launch(env)
  let ended: number | null | undefined
  void exited.then((code) => {
    ended = code
  })
  for (;;) {
    const ready = lines.map((line) => /ready: chain 4663 at (\S+), vendors at (\S+)/.exec(line)).find(Boolean)
    if (ready)
      return {
        child,
        lines,
        url: ready[1] as string,
        vendors: ready[2] as string,
        bootMs: performance.now() - startedAt,
      }
    if (ended !== undefined) throw new Error(`ended with ${ended}:\n${lines.join('\n')}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Its exit code. */
async function stop({ child }: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill(signal)
  return exited
}

async function rpc<T>(url: string, method: string, params: unknown[] = []): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  })
  const { result, error } = (await response.json()) as {
    result: T
    error?: { code: number; message: string }
  }
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

const blockNumber = async (url: string) => Number(await rpc<Hex>(url, 'eth_blockNumber'))
const profileOf = (dir: string): ChainProfile =>
  JSON.parse(readFileSync(join(dir, 'devnet', 'profile.json'), 'utf8'))

describe('one devnet, cold and warm', () => {
  const dir = newDir()
  let devnet: Running
  beforeAll(async () => {
    devnet = await start({ DATA_DIR: dir, MARKET_RATE: '10', DEVNET_STOCK_SESSION: 'always' })
  })

  it('boots with a stage a line and writes a profile that fits its schema', async () => {
    expect(devnet.lines.filter((line) => /^\s*\d+\.\d s {2}\S/.test(line)).length).toBeGreaterThanOrEqual(2)
    const profile = profileOf(dir)
    expect(checkWith(ChainProfile, profile)).toEqual({ ok: true })
    expect(profile.rpc_url).toBe(devnet.url)
    expect(Number(await rpc<Hex>(devnet.url, 'eth_chainId'))).toBe(4663)
    for (const address of [
      profile.contracts.universal_router,
      profile.contracts.permit2,
      profile.contracts.weth,
    ]) {
      expect((await rpc<Hex>(devnet.url, 'eth_getCode', [address, 'latest'])).length).toBeGreaterThan(100)
    }
    expect((await fetch(`${profile.vendors.gateway_url}/models`)).status).toBe(200)
    const usdg = profile.core_tokens.find((token) => token.symbol === 'USDG')
    const quote = `${profile.vendors.aggregator_urls['aggregator_1']}/quote?token_in=${profile.core_tokens[0]?.address}&token_out=${usdg?.address}&amount_in=1000000000000000000`
    expect((await (await fetch(quote)).json()) as object).toMatchObject({
      amount_out: expect.stringMatching(/^\d{9,11}$/),
    })
    const verdict = await fetch(`${profile.vendors.audit_url}/tokens/4663/${usdg?.address}`)
    expect(await verdict.json()).toMatchObject({ verdict: 'verified' })
  })

  it('makes blocks with trades in them, none of which fails for want of gas or nonce', async () => {
    const from = await blockNumber(devnet.url)
    while ((await blockNumber(devnet.url)) < from + 60)
      await new Promise((resolve) => setTimeout(resolve, 100))
    const receipts: { status: Hex }[] = []
    for (let block = from; block < from + 60; block++) {
      receipts.push(
        ...(await rpc<{ status: Hex }[]>(devnet.url, 'eth_getBlockReceipts', [`0x${block.toString(16)}`])),
      )
    }
    expect(receipts.length).toBeGreaterThan(20)
    expect(receipts.filter((receipt) => receipt.status !== '0x1')).toEqual([])
    const stats = await rpc<{ shadowMismatches: number; market: { failures: number; refused: number } }>(
      devnet.url,
      'devnet_stats',
    )
    expect(stats.shadowMismatches).toBe(0)
    expect(stats.market).toMatchObject({ failures: 0, refused: 0 })
  })

  it('sets feeds, and pools follow', async () => {
    const profile = profileOf(dir)
    const feed = profile.core_tokens.find((token) => token.symbol === 'ETH')?.feed
    const answer = async () => {
      const words = await rpc<Hex>(devnet.url, 'eth_call', [
        { to: feed?.address, data: '0xfeaf968c' },
        'latest',
      ])
      return {
        price: Number(BigInt(`0x${words.slice(66, 130)}`)) / 1e8,
        atS: Number(BigInt(`0x${words.slice(194, 258)}`)),
      }
    }
    const { price } = await answer()
    const wanted = Math.round(price * 1.05)
    await rpc(devnet.url, 'devnet_setFeed', ['ETH', { price: wanted }])
    expect((await answer()).price).toBe(wanted)
    const usdg = profile.core_tokens.find((token) => token.symbol === 'USDG')?.address
    const quote = `${devnet.vendors}/aggregator_2/quote?token_in=${profile.contracts.weth}&token_out=${usdg}&amount_in=100000000000000000`
    const near = async () => {
      const { amount_out } = (await (await fetch(quote)).json()) as { amount_out: string }
      return Math.abs((Number(amount_out) / 1e5 / wanted - 1) * 10_000)
    }
    const until = Date.now() + 20_000
    while ((await near()) > 60 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await near()).toBeLessThanOrEqual(60)
    await rpc(devnet.url, 'devnet_setFeed', ['WETH', { age_s: 7_200 }])
    const old = await answer()
    expect(old.price).toBe(wanted)
    expect(Math.abs(Date.now() / 1000 - old.atS - 7_200)).toBeLessThan(30)
    await rpc(devnet.url, 'devnet_market', [{ on: true }])
    const fresh = async () => Math.abs(Date.now() / 1000 - (await answer()).atS) < 60
    while (!(await fresh()) && Date.now() < until + 20_000)
      await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await fresh()).toBe(true)
  })

  it('pauses stocks, blocks wallets, upgrades and launches tokens', async () => {
    const profile = profileOf(dir)
    const info = await rpc<{
      accounts: { address: Hex }[]
      gallery: Record<string, { address: Hex }>
      agents: unknown[]
    }>(devnet.url, 'devnet_info')
    expect(info.accounts).toHaveLength(10)
    expect(info.agents.length).toBeGreaterThanOrEqual(6)
    expect(Object.keys(info.gallery).length).toBeGreaterThanOrEqual(12)
    const spy = profile.core_tokens.find((token) => token.symbol === 'SPY')?.address
    const [from, to] = [info.accounts[3]?.address, info.accounts[4]?.address]
    const transfer = `0xa9059cbb${to?.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const move = () => rpc(devnet.url, 'eth_call', [{ from, to: spy, data: transfer }, 'latest'])
    await expect(move()).resolves.toMatch(/1$/)
    await rpc(devnet.url, 'devnet_pauseStock', ['SPY', true])
    await expect(move()).rejects.toMatchObject({ code: 3 })
    await rpc(devnet.url, 'devnet_pauseStock', ['SPY', false])
    await expect(move()).resolves.toMatch(/1$/)
    await rpc(devnet.url, 'devnet_blockWallet', ['SPY', from, true])
    await expect(move()).rejects.toMatchObject({ code: 3 })
    await rpc(devnet.url, 'devnet_blockWallet', ['SPY', from, false])
    const upgradeable = info.gallery['upgradeable']?.address
    const first = await rpc<Hex>(devnet.url, 'devnet_upgradeToken', [upgradeable])
    expect(await rpc<Hex>(devnet.url, 'devnet_upgradeToken', [upgradeable])).not.toBe(first)
    const { curve } = await rpc<{ curve: Hex }>(devnet.url, 'devnet_launch', [
      { pair: 'USDG', symbol: 'FRESH' },
    ])
    const state = await rpc<Hex>(devnet.url, 'eth_call', [{ to: curve, data: '0xc19d93fb' }, 'latest'])
    expect(BigInt(`0x${state.slice(2 + 3 * 64, 2 + 4 * 64)}`)).toBeGreaterThan(0n)
  })

  it('tells vendors and the sequencer to misbehave, and refuses nonsense', async () => {
    await rpc(devnet.url, 'devnet_vendor', [{ name: 'audit', mode: 'error', status: 500, times: 1 }])
    const audit = `${devnet.vendors}/audit/v1/tokens/4663/0x${'11'.repeat(20)}`
    expect((await fetch(audit)).status).toBe(500)
    expect((await fetch(audit)).status).toBe(200)
    await rpc(devnet.url, 'devnet_sequencer', [{ mode: 'refuse' }])
    await expect(rpc(`${devnet.url}/sequencer`, 'eth_sendRawTransaction', ['0x02'])).rejects.toThrow(/reject/)
    await rpc(devnet.url, 'devnet_sequencer', [{ mode: 'ok' }])
    const nonsense: [string, unknown[]][] = [
      ['devnet_setFeed', ['DOGE', { price: 1 }]],
      ['devnet_setFeed', ['ETH', { price: 'high' }]],
      ['devnet_pauseStock', ['ETH', true]],
      ['devnet_blockWallet', ['SPY', '0x12', true]],
      ['devnet_vendor', [{ name: 'bank', mode: 'ok' }]],
      ['devnet_vendor', [{ name: 'audit', mode: 'eager' }]],
      ['devnet_launch', [{ pair: 'BTC', symbol: 'X' }]],
      ['devnet_market', [{ on: 'yes' }]],
    ]
    for (const [method, params] of nonsense) {
      await expect(
        rpc(devnet.url, method, params),
        `${method} ${JSON.stringify(params)}`,
      ).rejects.toMatchObject({ code: -32602 })
    }
  })

  it('freezes and goes on', async () => {
    await rpc(devnet.url, 'devnet_market', [{ on: false }])
    const from = (await blockNumber(devnet.url)) + 3
    while ((await blockNumber(devnet.url)) < from + 10)
      await new Promise((resolve) => setTimeout(resolve, 50))
    for (let block = from; block < from + 10; block++) {
      expect(await rpc(devnet.url, 'eth_getBlockTransactionCountByNumber', [`0x${block.toString(16)}`])).toBe(
        '0x0',
      )
    }
    await rpc(devnet.url, 'devnet_market', [{ on: true }])
  })

  it('says so when its ports or its folder are taken', async () => {
    const port = Number(new URL(devnet.url).port)
    const second = launch({ DATA_DIR: newDir(), DEVNET_PORT: String(port) })
    expect(await second.exited).toBe(1)
    expect(second.lines).toHaveLength(1)
    expect(second.lines[0]).toMatch(new RegExp(`port ${port} is in use`))
    const third = launch({ DATA_DIR: dir })
    expect(await third.exited).toBe(1)
    expect(third.lines.join('\n')).toMatch(/in use by process/)
    const wrong = launch({ DATA_DIR: dir, MARKET: 'maybe' })
    expect(await wrong.exited).toBe(1)
    expect(wrong.lines).toEqual([expect.stringContaining('MARKET is "maybe"')])
  })

  it('stops cleanly on SIGTERM, whatever hangs, and keeps the chain', async () => {
    const kept = (await blockNumber(devnet.url)) - 1
    const before = await rpc<{ hash: Hex }>(devnet.url, 'eth_getBlockByNumber', [
      `0x${kept.toString(16)}`,
      false,
    ])
    // A request that hangs must not hold the stop.
    await rpc(devnet.url, 'devnet_vendor', [{ name: 'audit', mode: 'hang' }])
    const hanging = fetch(`${devnet.vendors}/audit/v1/tokens/4663/0x${'11'.repeat(20)}`).catch(
      () => 'dropped',
    )
    // The exit code is 1 when the stop had to be cut off.
    expect(await stop(devnet)).toBe(0)
    expect(await hanging).toBe('dropped')
    devnet = await start({ DATA_DIR: dir })
    const after = await rpc<{ hash: Hex }>(devnet.url, 'eth_getBlockByNumber', [
      `0x${kept.toString(16)}`,
      false,
    ])
    expect(after.hash).toBe(before.hash)
    const head = await blockNumber(devnet.url)
    while ((await blockNumber(devnet.url)) < head + 20)
      await new Promise((resolve) => setTimeout(resolve, 50))
    const stats = await rpc<{ shadowMismatches: number; market: { sent: number; refused: number } }>(
      devnet.url,
      'devnet_stats',
    )
    expect(stats).toMatchObject({ shadowMismatches: 0, market: { refused: 0 } })
    expect(stats.market.sent).toBeGreaterThan(0)
    await stop(devnet, 'SIGINT')
  })
})

it('reports to a supervisor, and ends with it', async () => {
  const child = fork('dist/devnet.js', [], {
    env: { ...process.env, DEVNET_PORT: '0', DEVNET_VENDOR_PORT: '0', DATA_DIR: newDir(), MARKET: 'off' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.add(child)
  const reports: { type: string; text: string }[] = []
  await new Promise<void>((resolve, reject) => {
    child.on('message', (row: { type: string; text: string }) => {
      reports.push(row)
      if (row.type === 'ready') resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
  })
  const types = reports.map(({ type }) => type)
  expect(types.slice(0, -1).every((type) => type === 'stage')).toBe(true)
  expect(types.length).toBeGreaterThanOrEqual(3)
  child.removeAllListeners('exit')
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  child.disconnect()
  expect(await exited).toBe(0)
  children.delete(child)
})

describe('kill -9 under load', () => {
  it(
    `keeps every transaction whose receipt was seen, ${KILL_ROUNDS} rounds`,
    async () => {
      const dir = newDir()
      const account = mnemonicToAccount(MNEMONIC, { addressIndex: 8 })
      const seen = new Map<Hex, Hex>()
      for (let round = 0; round <= KILL_ROUNDS; round++) {
        const devnet = await start({ DATA_DIR: dir, MARKET_RATE: '30' })
        const chain = defineChain({
          id: 4663,
          name: 'devnet',
          nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          rpcUrls: { default: { http: [devnet.url] } },
        })
        const reader = createPublicClient({
          chain,
          transport: http(undefined, { retryCount: 0 }),
          pollingInterval: 20,
        })
        const wallet = createWalletClient({ chain, transport: http(undefined, { retryCount: 0 }), account })
        for (const [hash, blockHash] of seen) {
          expect((await reader.getTransactionReceipt({ hash })).blockHash).toBe(blockHash)
        }
        if (round === KILL_ROUNDS) {
          await stop(devnet)
          break
        }
        const killAt = Date.now() + 1_500 + 300 * (round % 5)
        let killed = false
        const loadUntilKilled = async () => {
          while (!killed) {
            const hash = await wallet.sendTransaction({ to: account.address, value: parseEther('0.001') })
            const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 5_000 })
            seen.set(hash, receipt.blockHash)
          }
        }
        const load = loadUntilKilled().catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, killAt - Date.now()))
        await stop(devnet, 'SIGKILL')
        killed = true
        await load
      }
      expect(seen.size).toBeGreaterThan(KILL_ROUNDS)
    },
    60_000 + KILL_ROUNDS * 60_000,
  )

  it('starts again when the deployment itself was cut short', async () => {
    const dir = newDir()
    const { child, lines, exited } = launch({ DATA_DIR: dir })
    while (!lines.some((line) => line.includes('deploying')))
      await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setTimeout(resolve, 700))
    child.kill('SIGKILL')
    await exited
    const devnet = await start({ DATA_DIR: dir })
    expect(
      await rpc<Hex>(devnet.url, 'eth_getCode', [profileOf(dir).contracts.universal_router, 'latest']),
    ).not.toBe('0x')
    await stop(devnet)
  })
})

it('a port held by another program is named', async () => {
  const blocker = createServer()
  const port = await new Promise<number>((resolve) => {
    blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port))
  })
  const { exited, lines } = launch({ DATA_DIR: newDir(), DEVNET_VENDOR_PORT: String(port) })
  expect(await exited).toBe(1)
  expect(lines).toEqual([expect.stringContaining(`port ${port} is in use`)])
  blocker.close()
})
