import { rmSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { lookAt, openBrowser, openTab, signIn, type Tab } from './browser.ts'
import { withAgents } from './dashboard/agents.ts'
import { signedIn } from './dashboard/owner.ts'
import { theRecord } from './dashboard/record.ts'
import { cancelThenConfirm, type Dashboard, EXECUTOR, open, WAIT } from './dashboard/shown.ts'
import { forVisitors } from './dashboard/visitors.ts'

// The dashboard as a visitor's browser shows it, on the real processes.

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

const dashboard = (): Dashboard => ({ world, dataDir, browser, visitor, owner })
forVisitors(dashboard)
signedIn(dashboard)
withAgents(dashboard)
theRecord(dashboard)

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
    await cancelThenConfirm(page, 'Revoke all keys', 'keysRequest')
    await page.getByRole('button', { name: 'Connect', exact: true }).waitFor(WAIT)
    expect(await page.evaluate("sessionStorage.getItem('pit.account')")).toBeNull()
  })
})
