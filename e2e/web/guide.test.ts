import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { guidePages } from '../../packages/server/src/site/guidePages.ts'
import { openTestApp, type TestApp } from '../../packages/server/test/testApp.ts'
import { lookAt, openBrowser, openTab, type Tab } from './browser.ts'

// The guide as a reader's browser shows it, from the built docs and their script.

let app: TestApp
let browser: Browser
let tab: Tab
let page: Page

beforeAll(async () => {
  const site = guidePages({ version: '1.2.3', publicUrl: 'http://localhost:4663', folder: 'dist/docs' })
  expect(site.length).toBeGreaterThan(100)
  app = await openTestApp({ site })
  const { port } = await app.listen()
  browser = await openBrowser()
  tab = await openTab(browser, `http://localhost:${port}`)
  page = tab.page
})
afterAll(async () => {
  await browser?.close()
  await app?.close()
})

/** A second later: pages have a rate limit per address. */
async function open(path: string): Promise<void> {
  app.time.nowMs += 10_000
  await page.goto(path)
}
const themeOf = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor')

it('finds sections, routes and errors by keyboard', async () => {
  await open('/guide')
  await page.keyboard.press('/')
  await page.keyboard.type('revoke api keys')
  await page.locator('.results a').first().waitFor()
  const titles = await page.locator('.results a').allTextContents()
  expect(titles.join('\n')).toMatch(/Revoke access/)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/guide\/.+/)
  await open('/guide')
  await page.getByRole('searchbox').fill('CAP_PRICE')
  await page.getByRole('link', { name: /^CAP_PRICE/ }).click()
  await page.waitForURL('**/docs#CAP_PRICE')
  await open('/guide')
  await page.getByRole('searchbox').fill('xyzzy')
  await page.getByText('Nothing found for “xyzzy”. Try fewer words.').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('searchbox').inputValue()).toBe('')
})

it('keeps the chosen theme on every page', async () => {
  await page.emulateMedia({ colorScheme: 'light' })
  await open('/guide')
  const light = await themeOf()
  await page.getByRole('button', { name: /Light theme/ }).click()
  const dark = await themeOf()
  expect(dark).not.toBe(light)
  await open('/guide/how-to/trade')
  expect(await themeOf()).toBe(dark)
  await page.getByRole('button', { name: /Dark theme/ }).click()
  expect(await themeOf()).toBe(light)
})

it('copies a block of code', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await open('/guide/tutorials/quickstart')
  const block = page.locator('.code').first()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  expect(copied).toBe((await block.locator('pre').textContent())!.trimEnd())
})

it('has no serious findings of axe and breaks no policy', async () => {
  await page.evaluate('localStorage.clear()')
  await open('/guide/how-to/trade')
  expect(await lookAt(page, 'guide')).toEqual([])
  expect(tab.faults).toEqual([])
}, 120_000)
