import { setTimeout as sleep } from 'node:timers/promises'
import { checkAnswer, isRiskCode, isSevere } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { deployTricks, TRICKS } from './deployTricks.ts'
import { CONTEXT, codesOf, type Gallery } from './galleryWorld.ts'

/** Not recognizable as an ERC-20. */
const REFUSED: Record<string, string> = { gas_burner: 'NOT_A_TOKEN', not_a_token: 'NOT_A_TOKEN' }

/** Risks of bad, tricky and good tokens. */
export function exactRisks(w: Gallery): void {
  describe('the gallery', () => {
    it('gets exactly its expected risks', async () => {
      const table: string[] = []
      const times: number[] = []
      let [right, extra, missing] = [0, 0, 0]
      const wrong: string[] = []
      for (const name of Object.keys(w.info.gallery)) {
        const { status, body, ms } = await w.token(w.specimen(name))
        times.push(ms)
        if (REFUSED[name]) {
          expect(`${status} ${body.error?.code}`, name).toBe(`404 ${REFUSED[name]}`)
          continue
        }
        expect(status, `${name} ${JSON.stringify(body.error)}`).toBe(200)
        expect(checkAnswer('tokens.get', body), name).toEqual({ ok: true })
        const [got, want] = [codesOf(body), w.expected(name)]
        right += got.filter((code) => want.includes(code)).length
        extra += got.filter((code) => !want.includes(code)).length
        missing += want.filter((code) => !got.includes(code)).length
        if (got.join() !== want.join()) wrong.push(`${name}: ${got} instead of ${want}`)
        expect(body.screen_status).toBe('SCREENED')
        const severities = body.risks.map(({ severity }) => severity)
        expect(severities.toSorted().reverse(), name).toEqual(severities)
        table.push(`${name.padEnd(20)} ${ms.toFixed(0).padStart(5)} ms  ${got.join(' ')}`)
      }
      const precision = right / (right + extra)
      const recall = right / (right + missing)
      console.log(
        `${table.join('\n')}\ngallery: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)} ` +
          `over ${right + missing} deserved disclosures; slowest screen ${Math.max(...times).toFixed(0)} ` +
          'ms',
      )
      expect(wrong).toEqual([])
      expect(precision).toBe(1)
      expect(recall).toBe(1)
      expect(Math.max(...times)).toBeLessThan(8_500)
    })

    it('gives its findings, in words and figures', async () => {
      const flags = async (name: string) => (await w.token(w.specimen(name))).body.flags
      expect(await flags('sell_taxed')).toMatchObject({
        sell_tax_bps: 2_500,
        buy_tax_bps: 0,
        transfer_tax_bps: 0,
      })
      expect(await flags('buy_taxed')).toMatchObject({ buy_tax_bps: 500, sell_tax_bps: 0 })
      expect(await flags('fee_on_transfer')).toMatchObject({ transfer_tax_bps: 300, sell_tax_bps: 300 })
      expect(await flags('unknown_hook')).toMatchObject({ hook_take_bps: 500, buy_tax_bps: 0 })
      expect(await flags('lying_balance')).toMatchObject({ balance_lies: true, buy_tax_bps: null })
      expect(await flags('mintable')).toMatchObject({ mintable: true, proved: ['mint'] })
      expect(await flags('pausable')).toMatchObject({ pausable: true, paused: false, proved: ['pause'] })
      expect(await flags('blacklist')).toMatchObject({ blacklist: true, proved: ['blacklist'] })
      expect(await flags('rebasing')).toMatchObject({ rebasing: true, proved: ['rebase'] })
      const nowhere = (await w.token(w.specimen('no_route'))).body
      expect(nowhere).toMatchObject({
        tier: 'blocked',
        tradable: false,
        blocked_reason: 'NO_ROUTE',
        screen_status: 'CACHED',
        venues: [],
        flags: { screen: 'no_route' },
      })
      const island = (await w.token(w.specimen('island'))).body
      expect(island).toMatchObject({
        tier: 'blocked',
        tradable: false,
        blocked_reason: 'NO_ROUTE',
        venues: [{ protocol: 'v4' }],
        flags: { screen: 'untried' },
      })
      const blocked = (await w.get('tokens?tier=blocked')).body.tokens.map(({ symbol }) => symbol)
      expect(blocked).toEqual(expect.arrayContaining(['ISLAND', 'NOWHERE']))
    })

    it('handles harmful names', async () => {
      const body = async (name: string) => (await w.token(w.specimen(name))).body
      expect(await body('script_name')).toMatchObject({
        name: '<script>alert("pit")</script>',
        symbol: '<b>XSS</b>',
      })
      expect(await body('bytes32_symbol')).toMatchObject({ symbol: 'OLDMKR', name: 'Old Maker' })
      const long = await body('long_symbol')
      expect(long.symbol).toBe('LONG'.repeat(16))
      expect(long.warnings.join()).toMatch(/truncated/)
      const control = await body('control_name')
      expect(control.name).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(control.warnings.join()).toMatch(/hide or reorder/)
      const mega = await body('megabytes')
      expect(mega).toMatchObject({ symbol: '', name: '' })
      expect(mega.warnings.join()).toMatch(/symbol cannot be read/)
      const undecided = await body('reverting_decimals')
      expect(undecided).toMatchObject({ decimals: 0, flags: { decimals_read: false } })
      expect(undecided.warnings.join()).toMatch(/decimals/)
      expect(w.server.rssBytes()).toBeLessThan(1_200_000_000)
    })
  })

  describe('tricks', () => {
    it('are detected, and fair tokens are not misjudged', async () => {
      const addresses = await deployTricks(w.devnet.url, w.info.profile)
      await sleep(1_000)
      const wrong: string[] = []
      for (const [name, { risks }] of Object.entries(TRICKS)) {
        const { body } = await w.token(addresses[name]!)
        const want = [...risks, ...CONTEXT].sort()
        const got = body.risks ? codesOf(body) : [JSON.stringify(body.error)]
        if (got.join() !== want.join()) wrong.push(`${name}: ${got} instead of ${want}`)
      }
      expect(wrong).toEqual([])
      expect((await w.token(addresses['greedy']!)).body.flags).toMatchObject({
        buy_tax_bps: 9_000,
        sell_tax_bps: 0,
      })
    })
  })

  describe('good tokens', () => {
    it('have no severe risk', async () => {
      const good = [
        ...w.info.long_tail.slice(0, 12),
        ...w.info.long_tail.filter(({ venues }) => venues.includes('curve')).slice(0, 4),
        ...w.info.long_tail.filter(({ graduated }) => graduated).slice(0, 3),
      ].map(({ address }) => address)
      for (const address of [
        ...good,
        ...w.info.agents.slice(0, 2).map(({ token }) => token),
        ...Object.values(w.info.stocks),
      ]) {
        const { status, body } = await w.token(address)
        expect(status).toBe(200)
        expect(
          body.risks.filter(({ code }) => isRiskCode(code) && isSevere(code)),
          body.symbol,
        ).toEqual([])
        expect(body.tradable).toBe(true)
      }
    })

    it('have the right kind and class', async () => {
      const curve = w.info.long_tail.find(({ venues }) => venues.includes('curve'))!
      expect((await w.token(curve.address)).body).toMatchObject({
        kind: 'curve',
        fee_bps: 50,
        curve_fee_bps: 100,
      })
      expect((await w.token(w.info.agents[1]!.token)).body.kind).toBe('partner_agent')
      expect((await w.token(w.info.stocks['TSLA']!)).body).toMatchObject({
        kind: 'stock',
        stock_beacon: true,
        multiplier: 1.02,
        fee_bps: 25,
        tier: 'A',
      })
      for (const symbol of ['NVDA', 'SPY']) {
        expect((await w.token(symbol)).body).toMatchObject({
          kind: 'stock',
          stock_beacon: true,
          fee_bps: 25,
          screen_status: 'CORE',
          flags: { screen: 'not_needed' },
        })
      }
      expect((await w.token('ETH')).body).toMatchObject({
        address: `0x${'0'.repeat(40)}`,
        kind: 'core',
        tier: 'A',
        risks: [],
      })
      expect((await w.token(w.info.stocks['NVDA']!)).body).toMatchObject({ kind: 'stock', symbol: 'NVDA' })
    })
  })

  describe('a change', () => {
    it('is detected: a stock that its issuer pauses and resumes', async () => {
      const aapl = w.info.stocks['AAPL']!
      expect(codesOf((await w.token(aapl)).body)).not.toContain('TOKEN_PAUSED')
      await w.rpc('devnet_pauseStock', ['AAPL', true])
      const paused = await w.token(aapl)
      expect(paused.body.screen_status).toBe('SCREENED')
      expect(codesOf(paused.body)).toContain('TOKEN_PAUSED')
      await w.rpc('devnet_pauseStock', ['AAPL', false])
      expect(codesOf((await w.token(aapl)).body)).not.toContain('TOKEN_PAUSED')
    })

    it('is detected: other code behind a proxy', async () => {
      expect(codesOf((await w.token(w.specimen('upgradeable'))).body)).not.toContain('SELL_TAX')
      await w.rpc('devnet_upgradeToken')
      const changed = await w.token(w.specimen('upgradeable'))
      expect(changed.body.screen_status).toBe('SCREENED')
      expect(codesOf(changed.body)).toContain('SELL_TAX')
      expect(changed.body.flags).toMatchObject({ sell_tax_bps: 3_000 })
      await w.rpc('devnet_upgradeToken')
      expect(codesOf((await w.token(w.specimen('upgradeable'))).body)).not.toContain('SELL_TAX')
    })
  })
}
