import type { Hex } from '@pit/chain'
import { describeInFull } from '@pit/platform/test/tier'
import { expect, it } from 'vitest'
import { openTrader, receiptOf, type Trader } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

/** A wallet that is new to a token: the steps before its swap. None of them is a trade. */
export function stepCases(open: () => TradingWorld): void {
  describeInFull('the steps before a swap', () => {
    const sale = { token_in: 'USDG', token_out: 'ETH', amount_in: '25000000' }
    const newcomer = (): Promise<Trader> => openTrader(open().server.url, { account: 4 })
    const seen = (hash: Hex) => open().devnet.rpc<number>('devnet_sequencerSeen', [hash])
    const simulate = async (who: Trader, terms: object) => {
      const { status, body } = await who.post<{
        ok: boolean
        error: string | null
        transactions: { kind: string }[]
        checks: { code: string; ok: boolean }[]
      }>('live/simulate', { ...sale, ...terms })
      expect([status, body.error ?? null]).toEqual([200, null])
      const kinds = body.transactions.map(({ kind }) => kind)
      return { kinds, checks: body.checks.filter(({ ok }) => ok).map(({ code }) => code) }
    }

    it('are refused when missing, and when no block could include them', async () => {
      const who = await newcomer()
      const { body: plan } = await who.plan(sale)
      expect(plan.steps.map(({ kind }) => kind)).toEqual(['approve', 'swap'])
      const [approve, swap] = plan.steps.map(({ tx }) => tx!)
      for (const nonce of [swap!.nonce, approve!.nonce]) {
        const alone = who.sign(swap!, { nonce })
        expect(await who.post('live/submit', { raw_tx: alone.raw })).toMatchObject({
          status: 422,
          body: { error: { code: 'SUBMIT_REJECTED', why: 'APPROVE_FIRST' } },
        })
        expect(await seen(alone.hash)).toBe(0)
      }
      const cheap = who.sign(approve!, { maxFeePerGas: 1n })
      expect(await who.post('live/submit', { raw_tx: cheap.raw })).toMatchObject({
        status: 422,
        body: { error: { code: 'SUBMIT_REJECTED', why: 'FEE_CAP' } },
      })
      expect(await seen(cheap.hash)).toBe(0)
    })

    it('are simulated as for a fresh wallet, also once they are done', async () => {
      const who = await newcomer()
      const first = { model: 'first', wallet: who.wallet }
      const way = { kinds: ['approve', 'swap'], checks: ['APPROVE', 'SWAP', 'DELIVERED', 'FEE_PAID'] }
      expect(await simulate(who, first)).toEqual(way)
      const { body: plan } = await who.plan({ ...sale, permit_mode: 'transaction', permit_scope: '30d' })
      expect(plan.steps.map(({ kind }) => kind)).toEqual(['approve', 'approve', 'swap'])
      for (const { tx } of plan.steps.slice(0, 2)) {
        const { raw, hash } = who.sign(tx!)
        expect(await who.post('live/submit', { raw_tx: raw })).toMatchObject({ status: 200 })
        expect((await receiptOf(open().devnet, hash)).status).toBe('0x1')
      }
      expect(await simulate(who, first)).toEqual(way)
      expect((await simulate(who, { wallet: who.wallet })).kinds).toEqual(['swap'])
      expect((await simulate(who, { model: 'first' })).kinds).toEqual(['approve', 'swap'])
    })
  })
}
