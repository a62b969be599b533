import { until } from '@pit/platform/test/until'
import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { lookAt } from '../browser.ts'
import { cancelThenConfirm, changeAnswer, type Dashboard, open, WAIT } from './shown.ts'

export function withAgents(dashboard: () => Dashboard): void {
  describe('signed in', () => {
    it('a rule brain is backtested over stored prices, in the page', async () => {
      const stored = await fetch(`${dashboard().world.server.url}/marks/ETH.json`)
      const [[minute, price]] = (await stored.json()) as [[number, string]]
      expect([minute % 60, BigInt(price) / 10n ** 18n]).toEqual([0, 2_500n])
      // A day of prices, because the processes of this test have only run for a minute.
      const { page } = dashboard().owner
      const nowS = Math.floor(Date.now() / 60_000) * 60
      const wave = Array.from({ length: 1_440 }, (_, i) => [
        nowS - (1_440 - i) * 60,
        `${Math.round(2_500 + 100 * Math.sin(i / 40))}${'0'.repeat(18)}`,
        false,
      ])
      await page.route('**/marks/ETH.json', (route) => route.fulfill({ json: wave }))
      await open(page, '/agents')
      await page.getByRole('tab', { name: 'New agent' }).click()
      await page.getByLabel(/Interval/).fill('3')
      await page.getByRole('button', { name: 'Run backtest' }).click()
      await page.getByText('23 h 59 min, 288 decisions').waitFor(WAIT)
      await page.getByRole('slider', { name: 'Equity of the backtest: read values' }).waitFor(WAIT)
      expect(await lookAt(page, 'rehearsal')).toEqual([])
      await page.unroute('**/marks/ETH.json')
    })

    it('a paper agent is created, and its first decision is shown', async () => {
      const { page } = dashboard().owner
      await open(page, '/agents')
      expect(await lookAt(page, 'agents')).toEqual([])
      await page.getByRole('tab', { name: 'New agent' }).click()
      await page.getByLabel('Name').fill('Careful')
      await page.getByLabel(/Interval/).fill('0')
      expect(await lookAt(page, 'agentForm')).toEqual([])
      await page.getByRole('button', { name: 'Create paper agent' }).click()
      await page.getByRole('button', { name: 'Pause' }).waitFor(WAIT)
      const decision = page.getByRole('list', { name: 'Decisions, newest first' }).locator('details').first()
      await decision.locator('summary').click(WAIT)
      for (const step of ['Input', 'Reason', 'Rules', 'Transaction'])
        await decision.getByRole('heading', { name: step }).waitFor()
      await page
        .getByText(/left of \$/)
        .first()
        .waitFor(WAIT)
      expect(await lookAt(page, 'agent')).toEqual([])
      await cancelThenConfirm(page, 'Stop permanently', 'agentRequest')
      await cancelThenConfirm(page, 'Delete', 'agentDelete')
      await page.getByText('No agents yet.').waitFor(WAIT)
    })

    it('a paused agent names what blocks it and the cure', async () => {
      const { page } = dashboard().owner
      await open(page, '/agents')
      await page.getByRole('tab', { name: 'New agent' }).click()
      await page.getByRole('button', { name: 'Create paper agent' }).click()
      await page.getByRole('button', { name: 'Pause' }).click(WAIT)
      await page.getByText('Blocked: The agent is paused').waitFor(WAIT)
      await page.getByText('Resume it when the cause is gone.').waitFor()
      expect(await lookAt(page, 'agentBlocked')).toEqual([])
    })

    it('an entry in the league is signed and shown, and left after a question', async () => {
      const { page } = dashboard().owner
      await open(page, '/league')
      await page.getByRole('button', { name: 'Enter', exact: true }).click()
      await page.getByLabel('Your agent’s number in the registry').fill('2')
      expect(await lookAt(page, 'leagueEnter')).toEqual([])
      await page.getByRole('button', { name: 'Sign and enter' }).click()
      await page.getByRole('row', { name: /Practice board .*From season/ }).waitFor(WAIT)
      expect(await lookAt(page, 'leagueEntry')).toEqual([])
      await cancelThenConfirm(page, 'Leave', 'leagueLeave')
      await page.getByText('You have not entered yet.').waitFor(WAIT)
    })

    it('a live agent gets a session for the limits set in this browser only', async () => {
      const { page } = dashboard().owner
      await open(page, '/agents')
      await page.getByRole('tab', { name: 'New agent' }).click()
      await page.getByLabel('Money').selectOption('live')
      let answered: string | undefined
      const executorPath = /\/hosted\/[^/]+\/executor$/
      await page.route(executorPath, (route) =>
        changeAnswer(route, (answer: { executor: string }) => {
          answered = answer.executor
        }),
      )
      await page.getByRole('button', { name: 'Create live agent (paused)' }).click()
      await page.getByRole('heading', { name: 'Limits you set' }).waitFor(WAIT)
      const executor = await until(() => answered)
      await page.unroute(executorPath)
      await dashboard().world.devnet.rpc('hardhat_setBalance', [executor, '0xde0b6b3a7640000'])
      const widened = (route: Route) =>
        changeAnswer(route, ({ limits }: { limits: { max_trade_usd: number } }) => {
          limits.max_trade_usd *= 100
        })
      await page.route(/\/hosted\/[^/?]+$/, widened)
      const review = () => page.getByRole('button', { name: 'Review limits' }).click()
      await page.getByLabel(/Allow EIP-7702 delegation/).check()
      await review()
      await page.getByText(/max_trade_usd is wider than requested/).waitFor(WAIT)
      await page.unroute(/\/hosted\/[^/?]+$/, widened)
      await review()
      await page.getByText('Maximum loss').waitFor(WAIT)
      expect((await page.getByRole('dialog').innerText()).toLowerCase()).toContain(executor.toLowerCase())
      expect(await lookAt(page, 'grantToAgent')).toEqual([])
      await page.getByRole('button', { name: 'Sign session' }).click()
      await page.getByRole('button', { name: 'Switch off' }).waitFor(WAIT)
    })

    it('the session of a stopped live agent is ended on chain', async () => {
      const { page } = dashboard().owner
      await cancelThenConfirm(page, 'Stop permanently', 'liveAgentStop')
      await page.getByText('Sessions still active on chain').waitFor(WAIT)
      expect(await lookAt(page, 'sessionsStillActive')).toEqual([])
      await page.getByRole('button', { name: 'End them on chain' }).click()
      await page.getByText('Sessions ended on chain.').waitFor(WAIT)
      expect(await page.getByText('Sessions still active on chain').count()).toBe(0)
    })
  })
}
