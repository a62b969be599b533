import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainProfile, checkWith } from '@pit/protocol'
import type { Hex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  blockNumber,
  launch,
  newDir,
  profileOf,
  type Running,
  rpc,
  start,
  stop,
  untilBlock,
} from './running.ts'

/** Number of trades to look at, and the blocks within which they must appear. */
const TRADES = 21
const MAX_BLOCKS = 60

export function oneDevnet(): void {
  describe('one devnet, cold and warm', () => {
    const dir = newDir()
    let devnet: Running
    beforeAll(async () => {
      devnet = await start({ DATA_DIR: dir, MARKET_RATE: '10', DEVNET_STOCK_SESSION: 'always' })
    })

    it('prints one line per stage at start and writes a profile that matches its schema', async () => {
      expect(devnet.lines.filter((line) => /^\s*\d+\.\d s {2}\S/.test(line)).length).toBeGreaterThanOrEqual(2)
      const profile = profileOf(dir)
      expect(checkWith(ChainProfile, profile)).toEqual({ ok: true })
      expect(profile.rpc_urls[0]).toBe(devnet.url)
      expect(Number(await rpc<Hex>(devnet.url, 'eth_chainId'))).toBe(4663)
      for (const address of [
        profile.contracts.universal_router,
        profile.contracts.permit2,
        profile.contracts.weth,
      ]) {
        expect((await rpc<Hex>(devnet.url, 'eth_getCode', [address, 'latest'])).length).toBeGreaterThan(100)
      }
      expect((await fetch(`${profile.vendors.gateway?.url}/models`)).status).toBe(200)
      const usdg = profile.core_tokens.find((token) => token.symbol === 'USDG')
      const quote =
        `${profile.vendors.aggregators['aggregator_1']?.url}/robinhood/api/v1/routes?tokenIn=0x${'ee'.repeat(20)}` +
        `&tokenOut=${usdg?.address}&amountIn=1000000000000000000`
      expect((await (await fetch(quote)).json()) as object).toMatchObject({
        code: 0,
        data: { routeSummary: { amountOut: expect.stringMatching(/^\d{9,11}$/) } },
      })
      const auditUrl = `${profile.vendors.audit?.url}/api/v1/token_security/4663?contract_addresses=${usdg?.address}`
      const verdict = {
        code: 1,
        result: { [usdg!.address.toLowerCase()]: { is_honeypot: '0', sell_tax: '0' } },
      }
      expect(await (await fetch(auditUrl)).json()).toMatchObject(verdict)
    })

    it('makes blocks with trades, none of which fails for lack of gas or a wrong nonce', async () => {
      const receipts: { status: Hex }[] = []
      const from = await blockNumber(devnet.url)
      for (let block = from; receipts.length < TRADES && block < from + MAX_BLOCKS; block++) {
        await untilBlock(devnet.url, block)
        receipts.push(
          ...(await rpc<{ status: Hex }[]>(devnet.url, 'eth_getBlockReceipts', [`0x${block.toString(16)}`])),
        )
      }
      expect(receipts.length).toBeGreaterThanOrEqual(TRADES)
      expect(receipts.filter((receipt) => receipt.status !== '0x1')).toEqual([])
      const stats = await rpc<{ market: { failures: number; refused: number } }>(devnet.url, 'devnet_stats')
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
      const newPrice = Math.round(price * 1.05)
      await rpc(devnet.url, 'devnet_setFeed', ['ETH', { price: newPrice }])
      expect((await answer()).price).toBe(newPrice)
      const usdg = profile.core_tokens.find((token) => token.symbol === 'USDG')?.address
      const quote =
        `${profile.vendors.aggregators['aggregator_2']?.url}/quote/v7/4663?tokenIn=${profile.contracts.weth}` +
        `&tokenOut=${usdg}&amount=100000000000000000`
      const near = async () => {
        const { assumedAmountOut } = (await (await fetch(quote)).json()) as { assumedAmountOut: string }
        return Math.abs((Number(assumedAmountOut) / 1e5 / newPrice - 1) * 10_000)
      }
      const until = Date.now() + 20_000
      while ((await near()) > 60 && Date.now() < until) await sleep(200)
      expect(await near()).toBeLessThanOrEqual(60)
      await rpc(devnet.url, 'devnet_setFeed', ['WETH', { age_s: 7_200 }])
      const old = await answer()
      expect(old.price).toBe(newPrice)
      expect(Math.abs(Date.now() / 1000 - old.atS - 7_200)).toBeLessThan(30)
      await rpc(devnet.url, 'devnet_market', [{ on: true }])
      const fresh = async () => Math.abs(Date.now() / 1000 - (await answer()).atS) < 60
      while (!(await fresh()) && Date.now() < until + 20_000) await sleep(200)
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

    it('makes vendors and the sequencer misbehave, and rejects invalid commands', async () => {
      await rpc(devnet.url, 'devnet_vendor', [{ name: 'audit', mode: 'error', status: 500, times: 1 }])
      const audit = `${devnet.vendors}/audit/v1/tokens/4663/0x${'11'.repeat(20)}`
      expect((await fetch(audit)).status).toBe(500)
      expect((await fetch(audit)).status).toBe(200)
      await rpc(devnet.url, 'devnet_sequencer', [{ mode: 'refuse' }])
      await expect(rpc(`${devnet.url}/sequencer`, 'eth_sendRawTransaction', ['0x02'])).rejects.toThrow(
        /reject/,
      )
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

    it('freezes and continues', async () => {
      await rpc(devnet.url, 'devnet_market', [{ on: false }])
      const from = (await blockNumber(devnet.url)) + 3
      await untilBlock(devnet.url, from + 10)
      for (let block = from; block < from + 10; block++) {
        expect(
          await rpc(devnet.url, 'eth_getBlockTransactionCountByNumber', [`0x${block.toString(16)}`]),
        ).toBe('0x0')
      }
      await rpc(devnet.url, 'devnet_market', [{ on: true }])
    })

    it('reports ports or a folder already in use', async () => {
      const port = Number(new URL(devnet.url).port)
      const blocker = createServer()
      const held = await new Promise<number>((resolve) => {
        blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port))
      })
      const samePort = launch({ DATA_DIR: newDir(), DEVNET_PORT: String(port) })
      const sameFolder = launch({ DATA_DIR: dir })
      const nonsense = launch({ DATA_DIR: dir, MARKET: 'maybe' })
      const otherProgram = launch({ DATA_DIR: newDir(), DEVNET_VENDOR_PORT: String(held) })
      const all = [samePort, sameFolder, nonsense, otherProgram]
      expect(await Promise.all(all.map(({ exited }) => exited))).toEqual([1, 1, 1, 1])
      expect(samePort.lines).toEqual([expect.stringMatching(new RegExp(`port ${port} is in use`))])
      expect(sameFolder.lines.join('\n')).toMatch(/in use by process/)
      expect(nonsense.lines).toEqual([expect.stringContaining('MARKET is "maybe"')])
      expect(otherProgram.lines).toEqual([expect.stringContaining(`port ${held} is in use`)])
      blocker.close()
    })

    it('stops cleanly on SIGTERM with hanging requests, and keeps the chain', async () => {
      const lastBlock = (await blockNumber(devnet.url)) - 1
      const before = await rpc<{ hash: Hex }>(devnet.url, 'eth_getBlockByNumber', [
        `0x${lastBlock.toString(16)}`,
        false,
      ])
      // A hanging request must not delay the stop.
      await rpc(devnet.url, 'devnet_vendor', [{ name: 'audit', mode: 'hang' }])
      const hanging = fetch(`${devnet.vendors}/audit/v1/tokens/4663/0x${'11'.repeat(20)}`).catch(
        () => 'dropped',
      )
      // The exit code is 1 when the stop was forced.
      expect(await stop(devnet)).toBe(0)
      expect(await hanging).toBe('dropped')
      devnet = await start({ DATA_DIR: dir })
      const after = await rpc<{ hash: Hex }>(devnet.url, 'eth_getBlockByNumber', [
        `0x${lastBlock.toString(16)}`,
        false,
      ])
      expect(after.hash).toBe(before.hash)
      const head = await blockNumber(devnet.url)
      await untilBlock(devnet.url, head + 20)
      const stats = await rpc<{ market: { sent: number; refused: number } }>(devnet.url, 'devnet_stats')
      expect(stats).toMatchObject({ market: { refused: 0 } })
      expect(stats.market.sent).toBeGreaterThan(0)
      await stop(devnet, 'SIGINT')
    })
  })
}
