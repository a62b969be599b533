import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { lookAt, openBrowser, openTab, signIn, type Tab } from './browser.ts'

// Addresses that a visitor may open, and the node that verifies.

const WAIT = { timeout: 60_000 }
const JSON_ONLY = { 'content-type': 'application/json' }
let world: SessionWorld
let browser: Browser
let tab: Tab

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'localhost' } })
  browser = await openBrowser()
  tab = await openTab(browser, world.server.url)
  await signIn(tab.page, 'full', 3)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

const mainText = (page: Page) => page.locator('main').innerText()

/** Answers the pins with other nodes, as a server of a real chain does. */
async function withNodes(page: Page, rpc_urls: readonly string[]): Promise<void> {
  await page.route('**/pins.json', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), rpc_urls } })
  })
}

async function review(page: Page): Promise<void> {
  await page.goto('/trade?in=ETH&out=USDG&usd=10')
  await page.getByRole('button', { name: 'Review trade' }).click()
  await page.getByText('Review before signing').waitFor(WAIT)
}

describe('an address', () => {
  it.each(['/nowhere', '/agents/a/b', '/tx'])('that does not exist shows a page: %s', async (path) => {
    const response = await tab.page.goto(path)
    expect(response?.status()).toBe(404)
    await tab.page.getByRole('heading', { name: 'Page not found' }).waitFor(WAIT)
    expect(await lookAt(tab.page, 'notFound')).toEqual([])
  })

  it('of a mined trade opens from its link', async () => {
    const { page, faults } = tab
    await review(page)
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText(/Mined in block \d+/).waitFor(WAIT)
    await page.getByRole('region', { name: 'Receipt' }).getByRole('link', { name: /^0x/ }).click()
    await page.getByText('Succeeded').waitFor(WAIT)
    await page.getByRole('heading', { name: 'Trade: ETH for USDG' }).waitFor()
    const shown = await mainText(page)
    expect(shown).toMatch(/Sold\s+0\.004 ETH\s+signed: at most 0\.004 ETH/)
    expect(shown).toMatch(/Received\s+9\.\d+ USDG\s+signed: at least 9\.\d+ USDG/)
    expect(shown).toMatch(/Fee\s+0\.00001 ETH\s+signed: 0\.00001 ETH/)
    expect(page.url()).toMatch(/\/tx\/0x[0-9a-f]{64}$/)
    expect(await lookAt(page, 'transaction')).toEqual([])
    const hash = page.url().split('/').at(-1)!
    await page.goto('/portfolio')
    expect(await page.getByRole('link', { name: /^0x/ }).first().getAttribute('href')).toBe(`/tx/${hash}`)
    await page.goto('/tx/0x12')
    await page.getByText('Not a transaction hash').waitFor(WAIT)
    expect(faults).toEqual([])
  })
})

describe('a grant that a reload interrupts', () => {
  const EXECUTOR = `0x${'e7'.repeat(20)}`
  const begin = async (page: Page) => {
    await page.goto(`/sessions?executor=${EXECUTOR}`)
    await page.getByLabel(/Allow EIP-7702 delegation/).check()
    await page.getByRole('button', { name: 'Review limits' }).click()
    await page.getByText('Maximum loss').waitFor(WAIT)
  }

  it('before the signature is pending: it is discarded, or granted anew', async () => {
    const { page, faults } = tab
    await begin(page)
    await page.goto('/sessions')
    await page.getByText('This grant was not signed').waitFor(WAIT)
    await expect.poll(() => mainText(page), WAIT).toContain('Pending')
    expect(await lookAt(page, 'sessionUnsigned')).toEqual([])
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('No open sessions').waitFor(WAIT)
    expect(faults).toEqual([])
  })

  it('between signature and registration is pending: it is revoked on chain', async () => {
    const { page, faults } = tab
    // The registration never reaches the server.
    await page.route('**/live/session/grant', (route) =>
      route.request().postData()?.includes('delegation_signature') ? route.abort() : route.continue(),
    )
    await begin(page)
    await page.getByRole('button', { name: 'Sign session' }).click()
    await page.getByText(/did not confirm it/).waitFor(WAIT)
    await page.unroute('**/live/session/grant')
    await page.goto('/sessions')
    await page.getByText('You signed this session, but it is not registered').waitFor(WAIT)
    expect(await lookAt(page, 'sessionUnregistered')).toEqual([])
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Yes, revoke' }).click()
    await page.getByText('No open sessions').waitFor(WAIT)
    await page.getByRole('heading', { name: 'Ended sessions' }).waitFor(WAIT)
    expect(faults).toEqual([])
  })
})

describe('signed out', () => {
  it('the first click shows a token without asking for a key', async () => {
    const { page, faults } = await openTab(browser, world.server.url)
    await page.goto('/')
    await page.getByText('Devnet: test money').waitFor(WAIT)
    await page.getByRole('link', { name: 'ETH', exact: true }).click()
    await page.getByText(/Best prices for/).waitFor(WAIT)
    expect(page.url()).toMatch(/\/tokens\/ETH$/)
    expect(await page.getByRole('button', { name: 'Connect a wallet' }).count()).toBe(0)
    // The same token by its address.
    const usdg = world.core('USDG')
    await page.goto(`/tokens/${usdg}`)
    await page.getByRole('heading', { name: 'USDG', level: 1 }).waitFor(WAIT)
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('five assets fit on the first screen of a phone, and a search narrows them', async () => {
    const { page } = await openTab(browser, world.server.url)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/')
    const assets = page.locator('table.assets tbody tr')
    await expect.poll(() => assets.count(), WAIT).toBe(5)
    const last = (await assets.last().boundingBox())!
    expect(last.y + last.height).toBeLessThan(844)
    await page.getByRole('searchbox').fill('bitcoin')
    await expect.poll(() => assets.count()).toBe(1)
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor(WAIT)
    expect(page.url()).toMatch(/\/tokens\?q=bitcoin$/)
    await page.context().close()
  })
})

describe('a chart', () => {
  it('is loaded when needed, and its values are read by keyboard in both themes', async () => {
    const { page, faults } = await openTab(browser, world.server.url)
    const scripts: string[] = []
    page.on('request', (request) => void scripts.push(request.url()))
    const isLoaded = () => scripts.some((url) => /\/draw-[^/]+\.js$/.test(url))
    await page.goto('/')
    await page.locator('table.assets').waitFor(WAIT)
    expect(isLoaded()).toBe(false)
    await page.getByRole('link', { name: 'Status', exact: true }).click()
    // The second reading comes after five seconds.
    const slider = page.getByRole('slider', { name: 'Latencies in milliseconds: read values' })
    await slider.waitFor(WAIT)
    await expect.poll(() => page.locator('.plot-area canvas').count(), WAIT).toBeGreaterThan(0)
    expect(isLoaded()).toBe(true)
    const last = await slider.getAttribute('aria-valuetext')
    expect(last).toMatch(/^\d\d-\d\d \d\d:\d\d UTC\s+Quotes, all assets \d+/)
    await slider.focus()
    await page.keyboard.press('Home')
    const first = await slider.inputValue()
    expect(first).toBe('0')
    await page.keyboard.press('ArrowRight')
    expect(await slider.inputValue()).toBe('1')
    expect(await page.locator('.plot-head .hidden-text').innerText()).toMatch(
      /^Latencies in milliseconds: Quotes, all assets from [\d.]+ ms to [\d.]+ ms/,
    )
    expect(await lookAt(page, 'statusChart')).toEqual([])
    expect(faults).toEqual([])
    await page.context().close()
  })
})

describe('the ticket', () => {
  it('sells a share of the balance and ends with a receipt', async () => {
    const { page, faults } = tab
    await page.goto('/trade?in=ETH&out=USDG&usd=10')
    await page.getByText(/Balance: [\d,.]+ ETH/).waitFor(WAIT)
    await page.getByRole('button', { name: 'Max' }).click()
    const most = Number(await page.getByLabel('Amount in ETH').inputValue())
    expect(most).toBeGreaterThan(9_000)
    await page.getByLabel('Amount in ETH').fill('0.004')
    await page.getByRole('button', { name: 'Get quote' }).click()
    await page.getByText('You receive about').waitFor(WAIT)
    expect(await lookAt(page, 'quote')).toEqual([])
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByText('Review before signing').waitFor(WAIT)
    expect(await page.getByText('You receive about').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByRole('heading', { name: 'Receipt' }).waitFor(WAIT)
    const shown = await mainText(page)
    expect(shown).toMatch(/Received\s+9\.\d+ USDG\s+signed: at least 9\.\d+ USDG/)
    expect(shown).toMatch(/Price against mark\s+[\d.]+ bps (better|worse), fee included/)
    expect(shown).not.toContain('left')
    expect(await lookAt(page, 'receipt')).toEqual([])
    await page.getByRole('region', { name: 'Your last trades' }).getByText('ETH → USDG').first().waitFor(WAIT)
    await page.getByRole('button', { name: 'New trade' }).click()
    await page.getByText('Enter an amount.').waitFor()
    expect(faults).toEqual([])
  })

  it('leads to signed orders for a limit or a stop', async () => {
    const { page } = tab
    await page.getByRole('tab', { name: 'Stop' }).click()
    await page.getByText('An agent carries out your orders.').waitFor(WAIT)
    expect(await lookAt(page, 'stopWithoutAgent')).toEqual([])
  })

  it('is in the activity, with a link to its transaction', async () => {
    const { page, faults } = tab
    await page.goto('/activity')
    await page.getByText('Traded: ETH for USDG').first().waitFor(WAIT)
    expect(await page.getByRole('link', { name: /^0x/ }).first().getAttribute('href')).toMatch(/^\/tx\/0x/)
    expect(await lookAt(page, 'activity')).toEqual([])
    await page.getByRole('tab', { name: 'Sessions' }).click()
    await page.getByText('Nothing here yet.').waitFor()
    expect(faults).toEqual([])
  })
})

describe('the node that verifies', () => {
  const origins: string[] = []
  beforeAll(() => {
    tab.page.on('request', (request) => origins.push(new URL(request.url()).origin))
  })
  const readsOf = (url: string) => origins.filter((origin) => origin === new URL(url).origin).length

  it('is the one of the pins, named in the review', async () => {
    const before = readsOf(world.devnet.url)
    await review(tab.page)
    expect(await mainText(tab.page)).toContain(
      `This trade is verified by the pinned node, ${new URL(world.devnet.url).host}.`,
    )
    expect(readsOf(world.devnet.url)).toBeGreaterThan(before)
  })

  it('is named as the server’s if it is the only one', async () => {
    const { page } = await openTab(browser, world.server.url)
    await withNodes(page, [])
    // This server's node, with every method that the client uses.
    await page.route('**/rpc', async (route) =>
      route.fulfill({ response: await route.fetch({ url: world.devnet.url, headers: JSON_ONLY }) }),
    )
    await signIn(page, 'full', 4)
    await review(page)
    expect(await mainText(page)).toContain('This trade is verified by the server’s own node.')
    expect(await lookAt(page, 'serverNode')).toEqual([])
    await page.close()
  })

  it('is the visitor’s own once set, and the policy allows exactly that one', async () => {
    const { page, faults } = await openTab(browser, world.server.url)
    await withNodes(page, [])
    await signIn(page, 'full', 5)
    const own = world.devnet.url.replace('127.0.0.1', 'localhost')
    await page.getByRole('button', { name: /^0x/ }).click()
    await page.getByLabel('Your own node').fill('http://node.example')
    await page.getByText('Use https').waitFor()
    expect(await page.getByRole('button', { name: 'Use this node' }).isDisabled()).toBe(true)
    await page.getByLabel('Your own node').fill(`${own}/`)
    expect(await lookAt(page, 'nodeSetting')).toEqual([])
    const loaded = page.waitForResponse((response) => response.url().includes('node='))
    await page.getByRole('button', { name: 'Use this node' }).click()
    const policy = (await (await loaded).allHeaders())['content-security-policy']
    expect(policy).toMatch(new RegExp(`connect-src 'self'[^;]* ${own};`))
    await page.getByRole('button', { name: /^0x/ }).waitFor(WAIT)
    expect(page.url()).not.toContain('node=')
    const reads: string[] = []
    page.on('request', (request) => reads.push(new URL(request.url()).origin))
    await review(page)
    expect(await mainText(page)).toContain(`verified by your own node, ${new URL(own).host}.`)
    expect(reads).toContain(own)
    expect(faults).toEqual([])
    await page.close()
  })

  it('is offered to a browser wallet with the chain, not this server’s /rpc', async () => {
    const { page } = await openTab(browser, world.server.url)
    await page.addInitScript(`
      globalThis.added = null
      const provider = { request: async ({ method, params }) => {
        if (method === 'eth_requestAccounts') return ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8']
        if (method === 'eth_chainId') return '0x1'
        if (method === 'wallet_addEthereumChain') { globalThis.added = params[0].rpcUrls; return null }
        throw Object.assign(new Error('declined'), { code: 4001 })
      } }
      const info = { rdns: 'example.wallet', name: 'Example', icon: '', uuid: '1' }
      const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
      window.addEventListener('eip6963:requestProvider', announce)`)
    await page.goto('/status')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Example' }).click()
    await expect.poll(() => page.evaluate('globalThis.added'), WAIT).toEqual([world.devnet.url])
    await page.close()
  })
})

describe('the candles of a token', () => {
  it('come from stored prices, with the visitor’s own trades marked', async () => {
    const { page, faults } = tab
    await page.goto('/tokens/ETH')
    await page.getByRole('tab', { name: '1 min' }).click()
    // The first minute has to pass before it is a candle.
    const slider = page.getByRole('slider', { name: 'ETH in USD, candles of 1 min: read values' })
    await slider.waitFor({ timeout: 150_000 })
    expect(await slider.getAttribute('aria-valuetext')).toMatch(
      /O \$[\d,.]+\s+H \$[\d,.]+\s+L \$[\d,.]+\s+C \$[\d,.]+/,
    )
    const summary = page.locator('.plot-head .hidden-text')
    await expect.poll(() => summary.innerText(), WAIT).toMatch(/last \$[\d,.]+, [1-9]\d* own trades marked/)
    await page.getByRole('button', { name: 'Measure' }).click()
    await page.getByRole('row', { name: /^\$10,000/ }).waitFor(WAIT)
    expect(await lookAt(page, 'tokenSignedIn')).toEqual([])
    expect(faults).toEqual([])
  }, 240_000)
})
