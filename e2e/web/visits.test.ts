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
    await page.getByRole('link', { name: /^0x/ }).click()
    await page.getByText('Succeeded').waitFor(WAIT)
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
