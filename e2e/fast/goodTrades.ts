import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { receiptOf } from '../trading/trader.ts'
import { type Built, openFastTrader } from './fastTrader.ts'
import type { FastWorld } from './fastWorld.ts'

/** The receipts job looks every few blocks. */
const FOLLOWED = { timeout: 20_000, interval: 100 }

export function goodTrades(w: FastWorld): void {
  describe('good trades', () => {
    let early: Built & { deadlineS: number }

    it('get the same answer for the same bytes, and are not sent again', async () => {
      const deadlineS = Math.floor(Date.now() / 1000) + 6
      early = { ...(await w.trader.build('ETH/USDG', { deadline: deadlineS })), deadlineS }
      expect((await w.trader.send(early.body)).body).toMatchObject({ relayed: true, repeat: false })
      expect((await w.trader.send(early.body)).body).toMatchObject({ tx_hash: early.hash, repeat: true })
      await receiptOf(w.world.devnet, early.hash)
    })

    it('are mined on every pinned route: the wallet gets its minimum, the recipient its fee to the atom', async () => {
      const { routes } = w.trader.terms()
      const pairs = Object.keys(routes.pairs)
      expect(pairs.length).toBeGreaterThanOrEqual(12)
      for (const pair of pairs) {
        const row = routes.pairs[pair]!
        const permit = row.permit !== null && pair.startsWith('USDG')
        const built = await w.trader.build(pair, { permit, usd: 60 })
        const before = {
          fee: await w.trader.balance(row.fee.token, row.fee.recipient),
          out: await w.trader.balance(row.token_out.address),
        }
        const { status, body } = await w.trader.send(built.body)
        expect(status, `${pair}: ${JSON.stringify(body.error)}`).toBe(200)
        expect(body).toMatchObject({ tx_hash: built.hash, relayed: true, repeat: false })
        const receipt = await receiptOf(w.world.devnet, built.hash)
        expect(receipt.status, pair).toBe('0x1')
        expect(Number(receipt.gasUsed), pair).toBeLessThan(row.gas_floor + (permit ? row.permit!.gas_add : 0))
        const gas =
          BigInt(row.token_out.address) === 0n
            ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
            : 0n
        const got = (await w.trader.balance(row.token_out.address)) - before.out + gas
        const fee = (await w.trader.balance(row.fee.token, row.fee.recipient)) - before.fee
        expect(got >= built.minOut, pair).toBe(true)
        const base = row.fee.side === 'input' ? built.amountIn : got + fee
        expect(fee, pair).toBe((base * BigInt(body.fee.bps)) / 10_000n)
        expect(await w.seen(built.hash)).toBe(1)
        // Restores the allowance that the permit replaced.
        if (permit) await w.trader.approve('USDG')
      }
    })

    it('get the same answer for the same bytes after their deadline, and are never sent again', async () => {
      while (Date.now() / 1000 <= early.deadlineS) await sleep(100)
      await receiptOf(w.world.devnet, early.hash)
      const { status, body } = await w.trader.send(early.body)
      expect(status).toBe(200)
      expect(body).toMatchObject({ tx_hash: early.hash, relayed: true, repeat: true })
      expect(await w.seen(early.hash)).toBe(1)
    })

    it('can be checked without being sent, on a lent balance too', async () => {
      const { body, hash } = await w.trader.build('ETH/USDG', { body: { check_only: true } })
      const { body: answer } = await w.trader.send(body)
      expect(answer).toMatchObject({ tx_hash: hash, relayed: false, simulation: { ok: true } })
      expect(await w.seen(hash)).toBe(0)
      // More than the wallet holds.
      const poor = await openFastTrader(w.world, 8)
      const all = await poor.balance(w.world.core('USDG'))
      await poor.sendOwn({
        to: w.world.core('USDG'),
        data: `0xa9059cbb${w.trader.wallet.slice(2).padStart(64, '0')}${all.toString(16).padStart(64, '0')}`,
      })
      const lent = await poor.trade('USDG/ETH', { body: { check_only: true, fund: true } })
      expect(lent.body).toMatchObject({ relayed: false, simulation: { ok: true, funded_by_overrides: true } })
      const own = await poor.trade('USDG/ETH', { body: { check_only: true } })
      expect(own.body.error?.code).toBe('SIMULATION_FAILED')
    })

    it('are listed as fast trades, and refused calls on request', async () => {
      const { body, hash } = await w.trader.build('ETH/USDG')
      const sent = await w.trader.send(body)
      expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
      await receiptOf(w.world.devnet, hash)
      await w.refused('ETH/USDG', { usd: 0.5 })
      type Rows = { trades: { path: string; status: string; tx_hash: string | null; code?: string }[] }
      const rows = async (query = '') => (await w.trader.get<Rows>(`me/trades?limit=5${query}`)).body.trades
      await vi.waitFor(async () => {
        expect((await rows())[0]).toMatchObject({ path: 'fast', status: 'mined', tx_hash: hash })
        expect((await rows('&refused=1'))[0]).toMatchObject({
          path: 'fast',
          status: 'refused',
          code: 'NOTIONAL',
        })
      }, FOLLOWED)
      type Portfolio = { volume: { volume_usd: number } }
      const portfolio = (await w.trader.get<Portfolio>('me/portfolio')).body
      expect(portfolio.volume.volume_usd).toBeGreaterThan(100)
    })
  })
}
