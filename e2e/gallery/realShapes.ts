import { describe, expect, it } from 'vitest'
import type { Gallery, Quoted } from './galleryWorld.ts'

type Simulated = Pick<Quoted, 'error' | 'risks'> & { ok: boolean }

const ONE_ETH = 10n ** 18n

/** Pools and stocks that behave as on the real chain. */
export function realShapes(w: Gallery): void {
  const core = (symbol: string) =>
    w.info.profile.core_tokens.find((token) => token.symbol === symbol)!.address
  const buy = (name: string) =>
    w.quote({ token_in: 'ETH', token_out: w.specimen(name), amount_in: String(ONE_ETH / 10n) })

  describe('fee traps', () => {
    it('are never ranked beside an honest pool, however deep they are', async () => {
      const { routes, best, risks } = await buy('fee_trap')
      expect(best).toMatchObject({ simulated: true })
      expect(best!.amount_out).toBe(best!.quoted_amount_out)
      const offered = routes.filter(({ ok }) => ok).map(({ label }) => label)
      expect(offered).toEqual([expect.stringContaining('(v2 0.3%)')])
      expect(risks.map(({ code }) => code)).not.toContain('HIGH_PRICE_IMPACT')
      // Only the hook knows its pool's fee: the record shows the fee read from the chain.
      const dynamic = routes.find(({ label }) => label.includes('dynamic fee'))
      expect(dynamic).toMatchObject({ ok: false, why: expect.stringMatching(/keeps 9\d(\.\d)?%/) })
    })

    it('are not a default route even if there is no other, can be named, and are disclosed', async () => {
      const refused = await buy('only_traps')
      expect(refused.error).toMatchObject({ code: 'NO_ROUTE', message: expect.stringContaining('keeps 90%') })
      const [, route_id] = /route_id (0x[0-9a-f]{32})/.exec(refused.error!.message)!
      const named = await w.post<Simulated>('live/simulate', {
        token_in: 'ETH',
        token_out: w.specimen('only_traps'),
        amount_in: String(ONE_ETH / 10n),
        route_id,
      })
      expect(named.ok, JSON.stringify(named.error)).toBe(true)
      expect(named.risks).toContainEqual(
        expect.objectContaining({
          code: 'HIGH_PRICE_IMPACT',
          severity: 'severe',
          message: expect.stringContaining('90%'),
        }),
      )
    })
  })

  describe('a hook that charges outside the pool’s fee', () => {
    it.each(['taking_hook', 'unknown_hook'])('of %s is quoted as the chain pays', async (name) => {
      const { best, risks } = await buy(name)
      expect(best, JSON.stringify(best)).toMatchObject({ simulated: true })
      expect(best!.amount_out).toBe(best!.quoted_amount_out)
      expect(risks.some(({ code }) => code === 'UNKNOWN_HOOK')).toBe(name === 'unknown_hook')
    })
  })

  describe('a stock', () => {
    it('shows its new multiplier from the second it takes effect, in cached records too', async () => {
      const tsla = w.info.stocks['TSLA']!
      const shown = async () => (await w.token(tsla)).body.multiplier
      const readMultiplier = async () => (await w.get('tokens?q=TSLA')).body.tokens[0]!.multiplier
      expect([await shown(), await readMultiplier()]).toEqual([1.02, 1.02])
      const { effective_at } = await w.rpc<{ effective_at: number }>('devnet_setMultiplier', [
        'TSLA',
        { multiplier: 3.06, in_s: 12 },
      ])
      const samples: [number, number | null, number | null][] = []
      do samples.push([Date.now() / 1000, await shown(), await readMultiplier()])
      while (samples.at(-1)![0] < effective_at + 1)
      for (const [atS, byAddress, bySearch] of samples) {
        // A sample that was running at that second may show either.
        if (Math.abs(atS - effective_at) < 1) continue
        const want = atS < effective_at ? 1.02 : 3.06
        expect([byAddress, bySearch], `${atS - effective_at} s from its time`).toEqual([want, want])
      }
      expect(samples[0]![0]).toBeLessThan(effective_at - 1)
    })

    it('trades around pools that its issuer blocks, and not at all when all are blocked', async () => {
      const request = {
        token_in: w.info.stocks['MSFT']!,
        token_out: 'USDG',
        amount_in: String(ONE_ETH / 10n),
      }
      const labels = async () =>
        ((await w.quote(request)).routes ?? [])
          .filter(({ ok }) => ok)
          .map(({ label }) => label)
          .join()
      const block = (who: string, blocked: boolean) => w.rpc('devnet_blockWallet', ['MSFT', who, blocked])
      expect(await labels()).toMatch(/v4.*v3|v3.*v4/)
      const manager = w.info.profile.contracts.v4_pool_manager!
      await block(manager, true)
      await expect.poll(labels, { timeout: 20_000 }).not.toContain('v4')
      expect(await labels()).toContain('v3')
      const { venues } = (await w.token(request.token_in)).body as unknown as {
        venues: { protocol: string; address: string }[]
      }
      const pools = venues.filter(({ protocol }) => protocol === 'v3').map(({ address }) => address)
      for (const pool of pools) await block(pool, true)
      await expect.poll(labels, { timeout: 20_000 }).toBe('')
      const { error } = await w.quote(request)
      expect(error).toMatchObject({ code: 'NO_ROUTE', message: expect.stringContaining('blocks') })
      for (const pool of [manager, ...pools]) await block(pool, false)
      await expect.poll(labels, { timeout: 20_000 }).toMatch(/v4.*v3|v3.*v4/)
    })

    it('has no mark while its issuer freezes the feed, or without a feed', async () => {
      const nvda = { token_in: 'NVDA', token_out: 'USDG', amount_in: String(ONE_ETH / 10n) }
      const stale = async () =>
        (await w.quote(nvda)).risks.filter(({ code }) => code === 'STALE_MARK').map(({ message }) => message)
      expect(await stale()).toEqual([])
      await w.rpc('devnet_pauseOracle', ['NVDA', true])
      await expect
        .poll(stale, { timeout: 10_000 })
        .toEqual([expect.stringContaining('frozen the oracle price')])
      await w.rpc('devnet_pauseOracle', ['NVDA', false])
      await expect.poll(stale, { timeout: 10_000 }).toEqual([])
      const googl = w.info.profile.listed_stocks.find(({ symbol }) => symbol === 'GOOGL')!
      expect(googl.feed).toBeNull()
    })
  })

  it('a dollar that lost its peg is disclosed, and still counts as one dollar', async () => {
    const request = { token_in: 'ETH', token_out: 'USDG', amount_in: String(ONE_ETH / 10n) }
    const usdg = core('USDG').toLowerCase()
    const countRisks = async () =>
      (await w.quote(request)).risks.filter(({ code, token }) => code === 'STALE_MARK' && token === usdg)
        .length
    expect(await countRisks()).toBe(0)
    await w.rpc('devnet_setFeed', ['USDG', { price: 1.02 }])
    await expect.poll(countRisks, { timeout: 10_000 }).toBe(1)
    expect((await w.quote(request)).marks[usdg]).toMatchObject({ price_usd: 1, stale: true })
    await w.rpc('devnet_setFeed', ['USDG', { price: 1 }])
    await expect.poll(countRisks, { timeout: 10_000 }).toBe(0)
  })
}
