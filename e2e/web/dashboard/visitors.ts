import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lookAt, openTab, shiftOf } from '../browser.ts'
import { type Dashboard, open, WAIT } from './shown.ts'

const MAX_FIRST_SCRIPT_BYTES = 250_000

export function forVisitors(dashboard: () => Dashboard): void {
  describe('for visitors', () => {
    it('the first page needs little script, and none from another origin', async () => {
      const { page } = dashboard().visitor
      const requestUrls: string[] = []
      page.on('request', (request) => requestUrls.push(request.url()))
      const began = performance.now()
      await open(page, '/')
      await page.getByRole('row', { name: /cbBTC/ }).waitFor()
      console.log(`the first page was whole ${Math.round(performance.now() - began)} ms after it was opened`)
      const scripts = requestUrls.filter((url) => url.endsWith('.js'))
      const { folder } = JSON.parse(readFileSync('dist/web/site.json', 'utf8'))
      const bytes = scripts.map(
        (url) => statSync(join('dist/web', folder, `${new URL(url).pathname}.gz`)).size,
      )
      const sum = bytes.reduce((all, one) => all + one, 0)
      console.log(`script of the first page: ${sum} bytes gzipped in ${scripts.length} files`)
      expect(sum).toBeGreaterThan(10_000)
      expect(sum).toBeLessThan(MAX_FIRST_SCRIPT_BYTES)
      expect(requestUrls.filter((url) => new URL(url).origin !== dashboard().world.server.url)).toEqual([])
    })

    it.each([
      ['market', '/', /24 h change/],
      ['status', '/status', /Dependencies/],
      ['league', '/league', /Prize board/],
      ['season', '/league/1', /Standings/],
      ['treasury', '/treasury', /Hash chain/],
      ['guide', '/guide', /How-to guides/],
      ['reference', '/docs', /live\/prepare/],
      ['tokens', '/tokens', /Core assets/],
      ['tokenSignedOut', '/tokens/ETH', /Best prices for \$1,000/],
      ['tradeSignedOut', '/trade', /Sign in to trade/],
    ])('%s is shown, and axe finds nothing serious', async (name, path, text) => {
      const { page, faults } = dashboard().visitor
      await open(page, path)
      await expect.poll(() => page.locator('main').innerText(), WAIT).toMatch(text)
      expect(await lookAt(page, name, { isLong: path === '/docs' })).toEqual([])
      expect(faults).toEqual([])
    })

    it('pages do not shift while they load, on a phone', async () => {
      const { page } = await openTab(dashboard().browser, dashboard().world.server.url)
      await page.setViewportSize({ width: 390, height: 844 })
      const moved: Record<string, number> = {}
      // The status is read every five seconds, and has its curves from the second reading on.
      for (const [path, waitMs] of [
        ['/status', 7_000],
        ['/', 2_000],
        ['/tokens/ETH', 2_000],
        ['/trade', 2_000],
        ['/league', 2_000],
        ['/treasury', 2_000],
      ] as const)
        moved[path] = await shiftOf(page, path, waitMs)
      console.log('moved by themselves', moved)
      // The threshold that browser vendors call good.
      for (const [path, shift] of Object.entries(moved)) expect(shift, path).toBeLessThan(0.1)
      await page.close()
    })

    it('the keyboard alone reaches everything, tabs by arrow keys', async () => {
      const { page } = dashboard().visitor
      await open(page, '/league')
      const focused = () => page.evaluate<string>('document.activeElement.textContent')
      const reached: string[] = []
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press('Tab')
        reached.push(await focused())
      }
      expect(reached).toEqual(
        expect.arrayContaining(['Skip to content', 'Market', 'Keys', 'Connect', 'Boards']),
      )
      await page.getByRole('tab', { name: 'Boards' }).focus()
      await page.keyboard.press('ArrowRight')
      expect(await focused()).toBe('Past seasons')
    })

    it('files are cached permanently, the page is revalidated, other paths are unchanged', async () => {
      const { url } = dashboard().world.server
      const html = await fetch(`${url}/league`)
      const policy = html.headers.get('content-security-policy')!
      expect(policy).toContain("script-src 'self'; style-src 'self'")
      expect(policy).not.toMatch(/unsafe|https:/)
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await html.text())![1]
      const file = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br' } })
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file.headers.get('content-encoding')).toBe('br')
      const again = await fetch(`${url}/league`, { headers: { 'if-none-match': html.headers.get('etag')! } })
      expect([html.headers.get('cache-control'), again.status]).toEqual(['no-cache', 304])
      expect((await fetch(`${url}/league`, { method: 'HEAD' })).status).toBe(200)
      for (const path of ['/nowhere', '/api/v1/nowhere', '/assets/nothing.js'])
        expect((await fetch(url + path)).status, path).toBe(404)
    })
  })
}
