import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@pit/platform/test/until'
import { readReportFile } from '@pit/reports'
import type { Browser, Page, Route } from 'playwright-core'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { lookAt, openBrowser, openTab, shiftOf, signIn, type Tab } from './browser.ts'

// The dashboard as a visitor's browser shows it, on the real processes.

const MAX_FIRST_SCRIPT_BYTES = 250_000
const WAIT = { timeout: 60_000 }
const EXECUTOR = privateKeyToAccount(keccak256(stringToHex('dashboard executor'))).address

let world: SessionWorld
let dataDir: string
let browser: Browser
let visitor: Tab
let owner: Tab

beforeAll(async () => {
  dataDir = await newServerDirectory()
  world = await openSessionWorld({ server: { DATA_DIR: dataDir, AUTH_DOMAIN: 'localhost' } })
  browser = await openBrowser()
  visitor = await openTab(browser, world.server.url)
  owner = await openTab(browser, world.server.url)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

/** Opens a path and waits until its data is shown. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').waitFor()
  await expect.poll(() => page.locator('main .skeleton, main .meanwhile').count(), WAIT).toBe(0)
}

describe('for visitors', () => {
  it('the first page needs little script, and none from another origin', async () => {
    const { page } = visitor
    const requestUrls: string[] = []
    page.on('request', (request) => requestUrls.push(request.url()))
    const began = performance.now()
    await open(page, '/')
    await page.getByRole('row', { name: /cbBTC/ }).waitFor()
    console.log(`the first page was whole ${Math.round(performance.now() - began)} ms after it was opened`)
    const scripts = requestUrls.filter((url) => url.endsWith('.js'))
    const { folder } = JSON.parse(readFileSync('dist/web/site.json', 'utf8'))
    const bytes = scripts.map((url) => statSync(join('dist/web', folder, `${new URL(url).pathname}.gz`)).size)
    const sum = bytes.reduce((all, one) => all + one, 0)
    console.log(`script of the first page: ${sum} bytes gzipped in ${scripts.length} files`)
    expect(sum).toBeGreaterThan(10_000)
    expect(sum).toBeLessThan(MAX_FIRST_SCRIPT_BYTES)
    expect(requestUrls.filter((url) => new URL(url).origin !== world.server.url)).toEqual([])
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
    const { page, faults } = visitor
    await open(page, path)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toMatch(text)
    expect(await lookAt(page, name, { isLong: path === '/docs' })).toEqual([])
    expect(faults).toEqual([])
  })

  it('pages do not shift while they load, on a phone', async () => {
    const { page } = await openTab(browser, world.server.url)
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
    const { page } = visitor
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
    const { url } = world.server
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

describe('signed in', () => {
  it('by one signature; the key is only in the tab’s storage', async () => {
    const { page } = owner
    await signIn(page, 'full')
    expect(await page.evaluate("sessionStorage.getItem('pit.account')")).toMatch(/pit_w_/)
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/pit_w_/)
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  it('a token whose name is a script is shown as text', async () => {
    const { page, faults } = owner
    const { gallery } = await world.devnet.rpc<{ gallery: Record<string, { address: string }> }>(
      'devnet_info',
    )
    const [, script] = Object.entries(gallery).find(([name]) => /script/i.test(name))!
    await open(page, `/tokens/${script.address}`)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toMatch(/<script>/)
    expect(await lookAt(page, 'token')).toEqual([])
    expect(faults).toEqual([])
  })

  it('a trade goes through every stage to its block, with each check listed', async () => {
    const { page } = owner
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
    const { page } = owner
    await open(page, '/trade?in=USDG&out=ETH&usd=10')
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByText(/Approval of [\d,.]+ USDG required first/).waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText(/Mined in block \d+/).waitFor(WAIT)
  })

  it('both are in the portfolio', async () => {
    const { page } = owner
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
    expect(file?.rows.filter(({ row }) => row === 'trade')).toHaveLength(2)
  })

  it('a lying server is refused, with the check that caught it', async () => {
    const { page } = owner
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
    const { page } = owner
    await open(page, `/sessions?executor=${EXECUTOR}`)
    await page.getByLabel(/Allow EIP-7702 delegation/).check()
    expect(await lookAt(page, 'grant')).toEqual([])
    await page.getByRole('button', { name: 'Review limits' }).click()
    await page.getByText('Maximum loss').waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign session' }).click()
    await page.getByText('Active on chain').waitFor(WAIT)
    await page
      .getByText(/\$[\d,.]+ left of \$[\d,.]+/)
      .first()
      .waitFor()
    expect(await lookAt(page, 'sessions')).toEqual([])
    await askedOnce(page, 'Revoke', 'sessionRequest')
    await page.getByRole('row', { name: /Revoked/ }).waitFor(WAIT)
  })

  it('a rule brain is backtested over stored prices, in the page', async () => {
    const stored = await fetch(`${world.server.url}/marks/ETH.json`)
    const [[minute, price]] = (await stored.json()) as [[number, string]]
    expect([minute % 60, BigInt(price) / 10n ** 18n]).toEqual([0, 2_500n])
    // A day of prices, because the processes of this test have only run for a minute.
    const { page } = owner
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
    await page.getByText('23 h 59 min, 288 ticks').waitFor(WAIT)
    await page.getByRole('img', { name: /^Equity: from/ }).waitFor(WAIT)
    expect(await lookAt(page, 'rehearsal')).toEqual([])
    await page.unroute('**/marks/ETH.json')
  })

  it('a paper agent is created, and its first decision is shown', async () => {
    const { page } = owner
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
    await askedOnce(page, 'Stop permanently', 'agentRequest')
    await askedOnce(page, 'Delete', 'agentDelete')
    await page.getByText('No agents yet.').waitFor(WAIT)
  })

  it('a paused agent names what blocks it and the cure', async () => {
    const { page } = owner
    await open(page, '/agents')
    await page.getByRole('tab', { name: 'New agent' }).click()
    await page.getByRole('button', { name: 'Create paper agent' }).click()
    await page.getByRole('button', { name: 'Pause' }).click(WAIT)
    await page.getByText('Blocked: The agent is paused').waitFor(WAIT)
    await page.getByText('Resume it when the cause is gone.').waitFor()
    expect(await lookAt(page, 'agentBlocked')).toEqual([])
  })

  it('an entry in the league is signed and shown, and left after a question', async () => {
    const { page } = owner
    await open(page, '/league')
    await page.getByRole('button', { name: 'Enter', exact: true }).click()
    await page.getByLabel('Your agent’s number in the registry').fill('2')
    expect(await lookAt(page, 'leagueEnter')).toEqual([])
    await page.getByRole('button', { name: 'Sign and enter' }).click()
    await page.getByRole('row', { name: /Practice board .*From season/ }).waitFor(WAIT)
    expect(await lookAt(page, 'leagueEntry')).toEqual([])
    await askedOnce(page, 'Leave', 'leagueLeave')
    await page.getByText('You have not entered yet.').waitFor(WAIT)
  })

  it('a live agent gets a session for the limits set in this browser only', async () => {
    const { page } = owner
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
    await world.devnet.rpc('hardhat_setBalance', [executor, '0xde0b6b3a7640000'])
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
    const { page } = owner
    await askedOnce(page, 'Stop permanently', 'liveAgentStop')
    await page.getByText('Sessions still active on chain').waitFor(WAIT)
    expect(await lookAt(page, 'sessionsStillActive')).toEqual([])
    await page.getByRole('button', { name: 'End them on chain' }).click()
    await page.getByText('Sessions ended on chain.').waitFor(WAIT)
    expect(await page.getByText('Sessions still active on chain').count()).toBe(0)
  })
})

describe('the record', () => {
  it('is verified row by row in the browser', async () => {
    await closeWeek()
    const { page } = owner
    await open(page, '/treasury')
    await page.getByText('1 row verified').waitFor(WAIT)
    await page.getByText('Valid', { exact: true }).waitFor()
    expect(await lookAt(page, 'treasuryRecorded')).toEqual([])
  })

  it('is shown as broken when one row was changed', async () => {
    const { page } = visitor
    await page.route('**/api/v1/treasury', (route) =>
      changeAnswer(route, ({ weeks }: { weeks: { seq: number | null; week: { label: string } }[] }) => {
        weeks.find(({ seq }) => seq === 1)!.week.label = '2026-W01'
      }),
    )
    await open(page, '/treasury')
    await page.getByText('The record is not valid').waitFor(WAIT)
    await page.getByText(/Row 1 is broken/).waitFor()
    await page.unroute('**/api/v1/treasury')
  })
})

describe('with a wallet like MetaMask', () => {
  let page: Page
  beforeAll(async () => {
    page = (await openTab(browser, world.server.url)).page
    await signIn(page, 'like MetaMask', 2)
  })

  it('the whole trade is sent by the wallet, relayed by /rpc', async () => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (/\/rpc$|live\/submit$/.test(request.url())) sent.push(new URL(request.url()).pathname)
    })
    await open(page, '/trade?in=USDG&out=ETH&usd=25')
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByText(/Approval of [\d,.]+ USDG required first/).waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText(/Mined in block \d+/).waitFor(WAIT)
    expect(sent).toEqual(['/rpc', '/rpc'])
    await open(page, '/portfolio')
    await page.getByRole('row', { name: /Mined/ }).waitFor(WAIT)
  })

  it('the page reports in advance that it cannot grant, and gives the command', async () => {
    await open(page, `/sessions?executor=${EXECUTOR}`)
    await page.getByText('Nothing was signed.').waitFor(WAIT)
    expect(await page.locator('pre').innerText()).toContain(`pit session grant ${EXECUTOR.toLowerCase()}`)
    expect(await lookAt(page, 'grantByCommand')).toEqual([])
  })
})

describe('the end of keys', () => {
  it('every key of the wallet is revoked by its signature', async () => {
    const { page } = owner
    await open(page, '/keys')
    expect(await lookAt(page, 'keys')).toEqual([])
    await askedOnce(page, 'Revoke all keys', 'keysRequest')
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor(WAIT)
    expect(await page.evaluate("sessionStorage.getItem('pit.account')")).toBeNull()
  })
})

/**
 * The first click on a destructive button asks for confirmation and can be cancelled; the second one acts.
 */
async function askedOnce(page: Page, label: string, shot: string): Promise<void> {
  const first = page.getByRole('button', { name: label, exact: true })
  await first.click()
  expect(await lookAt(page, shot)).toEqual([])
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await first.click()
  await page.getByRole('button', { name: new RegExp(`^Yes, ${label}$`, 'i') }).click()
}

/** Passes the server's response on, changed. */
async function changeAnswer<Body>(route: Route, change: (body: Body) => void): Promise<void> {
  const response = await route.fetch()
  const json = (await response.json()) as Body
  change(json)
  await route.fulfill({ response, json })
}

/** Ends the running week now, as an operator can on a devnet. */
function closeWeek(): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: dataDir,
    PROFILE: world.devnet.profileFile,
    CHAIN_RPC_URL: world.devnet.url,
    SIGNER_URL: world.signer.url,
    SIGNER_OPERATOR_SECRET: world.signer.operatorSecret,
  }
  const args = ['dist/pitAdmin.js', '--operator', 'ada', 'week', 'close', '--early']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env, timeout: 120_000 }, (error, _, err) =>
      error ? reject(new Error(err)) : resolve(),
    )
  })
}
