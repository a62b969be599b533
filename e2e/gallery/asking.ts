import { setTimeout as sleep } from 'node:timers/promises'
import { checkAnswer } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { codesOf, type Gallery } from './galleryWorld.ts'

export function asking(w: Gallery): void {
  describe('asking', () => {
    it('accepts an address or a core symbol only', async () => {
      const good = w.specimen('good')
      const mixed = good.replace(/[a-f]/g, (letter, at: number) => (at % 2 ? letter.toUpperCase() : letter))
      expect((await w.token(good.toLowerCase())).status).toBe(200)
      expect((await w.token(good)).status).toBe(200)
      const bad = mixed === good ? mixed.replace(/[a-f]/, (letter) => letter.toUpperCase()) : mixed
      expect(await w.token(bad)).toMatchObject({
        status: 400,
        body: { error: { code: 'BAD_REQUEST', field: 'address' } },
      })
      expect(await w.token('GOOD')).toMatchObject({
        status: 400,
        body: { error: { code: 'ADDRESS_REQUIRED' } },
      })
      expect(await w.token('0x1234')).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } })
      expect(await w.token(good, '?shield=0')).toMatchObject({
        status: 400,
        body: { error: { code: 'BAD_REQUEST' } },
      })
      expect(await w.token(good, '?fresh=1')).toMatchObject({
        status: 400,
        body: { error: { code: 'BAD_REQUEST' } },
      })
      expect(await w.token(w.info.accounts[3]!.address)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_A_TOKEN' } },
      })
      expect(await w.token(`0x${'12'.repeat(20)}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_A_TOKEN' } },
      })
    })

    it('with shield returns the verdict, or an error', async () => {
      const honeypot = await w.token(w.specimen('honeypot'), '?shield=1')
      expect(honeypot.body).toMatchObject({
        shield: true,
        fee_bps: 60,
        audit: { verdict: 'flagged', source: 'audit' },
      })
      expect(codesOf(honeypot.body)).toContain('AUDIT_FLAGGED')
      expect(honeypot.body.shield_available).toBeUndefined()
      const nvda = await w.token('NVDA', '?shield=1')
      expect(nvda.body).toMatchObject({ fee_bps: 35, audit: { verdict: 'verified' } })
      expect((await w.token('NVDA')).body).toMatchObject({
        shield: false,
        shield_available: true,
        fee_bps: 25,
      })
      await w.rpc('devnet_vendor', [{ name: 'audit', mode: 'down' }])
      expect(await w.token(w.specimen('good'), '?shield=1')).toMatchObject({
        status: 503,
        retryAfterS: 15,
        body: { error: { code: 'AUDIT_UNAVAILABLE' } },
      })
      expect((await w.token(w.specimen('good'))).status).toBe(200)
      await w.rpc('devnet_vendor', [{ name: 'audit', mode: 'wrong_schema' }])
      expect((await w.get('tokens?q=script&shield=1')).status).toBe(200)
      expect((await w.get('tokens?q=hook&shield=1')).body.error?.code).toBe('AUDIT_UNAVAILABLE')
      // The native coin needs no vendor request.
      expect(await w.token('ETH', '?shield=1')).toMatchObject({
        status: 200,
        body: { audit: { verdict: 'verified', url: null, source: 'native' }, fee_bps: 35 },
      })
      await w.rpc('devnet_vendor', [{ name: 'audit', mode: 'error', times: 1 }])
      const page = (await w.get('tokens?limit=20&shield=1')).body
      expect(page.tokens.filter(({ audit }) => !audit)).toHaveLength(1)
      expect(page.warnings).toEqual([expect.stringMatching(/^1 of \d+ audit verdicts could not be read/)])
      await w.rpc('devnet_vendor', [{ name: 'audit', mode: 'ok' }])
      const answer = await w.get('tokens?q=hook&shield=1')
      expect(answer.body.tokens[0]!.audit?.verdict).toBe('flagged')
    })

    it('searches screened tokens, the core asset first', async () => {
      const { body } = await w.get('tokens?q=usdg')
      expect(checkAnswer('tokens.search', body)).toEqual({ ok: true })
      expect(body.tokens[0]).toMatchObject({ symbol: 'USDG', kind: 'core' })
      expect(body.tokens[1]!.address).toBe(w.specimen('impersonator').toLowerCase())
      expect(body.tokens[1]!.screen_status).toBe('CACHED')
      expect(body.warnings).toEqual([
        expect.stringMatching(/^USDG is the core asset 0x[0-9a-f]{40}; 1 other token has the same symbol/),
      ])
      expect((await w.get('tokens?q=cbbtc')).body.warnings).toEqual([
        expect.stringMatching(/^cbBTC is the core asset 0x[0-9a-f]{40}; 0 other tokens have the same symbol/),
      ])
      for (const hostile of ['%25', '_', '%5C', "'", '%F0%9F%98%80']) {
        expect((await w.get(`tokens?q=${hostile}`)).body.count, hostile).toBeLessThanOrEqual(1)
      }
      expect(
        (await w.get(`tokens?q=${w.specimen('good').slice(0, 12).toLowerCase()}`)).body.tokens[0]!.symbol,
      ).toBe('GOOD')
      const blocked = (await w.get('tokens?tier=blocked')).body.tokens.map(({ symbol }) => symbol)
      expect(blocked.sort()).toEqual(['ISLAND', 'NOWHERE', 'TRAPS'])
      expect((await w.get('tokens?limit=3')).body.count).toBe(3)
      expect((await w.get('tokens?limit=101')).body.error?.code).toBe('BAD_REQUEST')
    })

    it('counts the registered tokens', async () => {
      let stats = await w.get('tokens/stats')
      for (let i = 0; stats.status === 503 && i < 50; i++) {
        await sleep(100)
        stats = await w.get('tokens/stats')
      }
      expect(stats.status).toBe(200)
      expect(checkAnswer('tokens.stats', stats.body)).toEqual({ ok: true })
    })

    it('shares one screen among many callers', async () => {
      const { token: fresh } = await w.rpc<{ token: string }>('devnet_launch', [
        { pair: 'ETH', symbol: 'RUSH' },
      ])
      await sleep(1_000)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => w.get(`tokens/${fresh}`, w.keys[i % 2]!)),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
      for (const { body } of answers) expect(codesOf(body)).toContain('CURVE')
    })
  })
}
