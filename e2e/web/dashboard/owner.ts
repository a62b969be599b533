import { readFileSync } from 'node:fs'
import { readReportFile } from '@pit/reports'
import { describe, expect, it } from 'vitest'
import { lookAt, signIn } from '../browser.ts'
import { cancelThenConfirm, changeAnswer, type Dashboard, EXECUTOR, open, WAIT } from './shown.ts'

export function signedIn(dashboard: () => Dashboard): void {
  describe('signed in', () => {
    it('by one signature; the key is only in the tab’s storage', async () => {
      const { page } = dashboard().owner
      await signIn(page, 'full')
      expect(await page.evaluate("sessionStorage.getItem('pit.account')")).toMatch(/pit_w_/)
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/pit_w_/)
      expect(await page.evaluate('document.cookie')).toBe('')
    })

    it('a token whose name is a script is shown as text', async () => {
      const { page, faults } = dashboard().owner
      const { gallery } = await dashboard().world.devnet.rpc<{
        gallery: Record<string, { address: string }>
      }>('devnet_info')
      const [, script] = Object.entries(gallery).find(([name]) => /script/i.test(name))!
      await open(page, `/tokens/${script.address}`)
      await expect.poll(() => page.locator('main').innerText(), WAIT).toMatch(/<script>/)
      expect(await lookAt(page, 'token')).toEqual([])
      expect(faults).toEqual([])
    })

    it('a trade goes through every stage to its block, with each check listed', async () => {
      const { page } = dashboard().owner
      await open(page, '/trade?in=ETH&out=USDG&usd=25')
      await page.getByRole('button', { name: 'Get quote' }).click()
      await page.getByText(/Routes: \d+ compared/).waitFor(WAIT)
      await page.getByRole('button', { name: 'Review trade' }).click()
      await page.getByText(/Checks: \d+ passed/).click(WAIT)
      for (const rule of ['RECIPIENT', 'MIN_OUT', 'FEE_BPS', 'PRICE', 'QUOTE_OWN'])
        expect(await page.locator('main').innerText()).toContain(rule)
      expect(await lookAt(page, 'trade')).toEqual([])
      await page.getByRole('button', { name: 'Sign and send' }).click()
      await page.getByText(/Mined in block \d+/).waitFor(WAIT)
      expect(await page.locator('[data-stage="mined"]').getAttribute('data-state')).toBe('done')
    })

    it('a sale of dollars shows the approval it needs first', async () => {
      const { page } = dashboard().owner
      await open(page, '/trade?in=USDG&out=ETH&usd=10')
      await page.getByRole('button', { name: 'Review trade' }).click()
      await page.getByText(/Approval of [\d,.]+ USDG required first/).waitFor(WAIT)
      await page.getByRole('button', { name: 'Sign and send' }).click()
      await page.getByText(/Mined in block \d+/).waitFor(WAIT)
    })

    it('both are in the portfolio', async () => {
      const { page } = dashboard().owner
      await open(page, '/portfolio')
      await expect.poll(() => page.getByRole('row', { name: /Mined/ }).count(), WAIT).toBe(2)
      const cells = page.getByRole('region', { name: 'Holdings' }).getByRole('row', { name: /^ETH/ })
      // The wallet's ETH came from no trade: its cost is unknown.
      await expect.poll(() => cells.innerText(), WAIT).toMatch(/unknown/)
      expect(await lookAt(page, 'portfolio')).toEqual([])
      await page.getByLabel('Side').selectOption('buy')
      await expect.poll(() => page.getByRole('row', { name: /Mined/ }).count(), WAIT).toBe(1)
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download CSV' }).click()
      const file = readReportFile(readFileSync(await (await saved).path(), 'utf8'))
      expect(file?.hash).toBe(file?.computed)
      const kinds = file?.rows.filter(({ row }) => row === 'trade').map(({ kind }) => kind)
      expect(kinds?.sort()).toEqual(['agent', 'agent', 'approval'])
    })

    it('a lying server is refused, with the check that caught it', async () => {
      const { page } = dashboard().owner
      await page.route('**/api/v1/live/prepare', (route) =>
        changeAnswer(route, (plan: { steps: { tx: { to: string } }[]; tx: unknown }) => {
          const swap = plan.steps.at(-1)!.tx
          swap.to = '0x00000000000000000000000000000000000bad01'
          plan.tx = swap
        }),
      )
      await open(page, '/trade?in=ETH&out=USDG&usd=25')
      await page.getByRole('button', { name: 'Review trade' }).click()
      await page.getByText('Not signed: check RECIPIENT failed').waitFor(WAIT)
      expect(await page.getByRole('button', { name: 'Sign and send' }).count()).toBe(0)
      await page.unroute('**/api/v1/live/prepare')
    })

    it('a session is granted inside its limits, and revoked after a confirmation', async () => {
      const { page } = dashboard().owner
      await open(page, `/sessions?executor=${EXECUTOR}`)
      await page.getByLabel(/Allow EIP-7702 delegation/).check()
      expect(await lookAt(page, 'grant')).toEqual([])
      await page.getByRole('button', { name: 'Review limits' }).click()
      await page.getByText('Maximum loss').waitFor(WAIT)
      await page.getByRole('heading', { name: 'Approvals sent first' }).waitFor()
      await page.getByText(/^Permit2 may take up to [\d,.]+ USDG\.$/).waitFor()
      await page.getByRole('button', { name: 'Sign session' }).click()
      await page.getByText('Active on chain').waitFor(WAIT)
      await page
        .getByText(/\$[\d,.]+ left of \$[\d,.]+/)
        .first()
        .waitFor()
      expect(await lookAt(page, 'sessions')).toEqual([])
      await cancelThenConfirm(page, 'Revoke', 'sessionRequest')
      await page.getByRole('row', { name: /Revoked/ }).waitFor(WAIT)
    })
  })
}
