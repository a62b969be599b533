import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, type Frame, type Page } from 'playwright-core'

/** Screenshots of every page for a person to review; ignored by git. */
const SHOTS = '.cache/web'

/** The system's Chromium, without a download. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })

export interface Tab {
  page: Page
  /** Errors of the page, and blocked content such as an inline script. */
  faults: string[]
}

export async function openTab(browser: Browser, baseURL: string): Promise<Tab> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('dialog', (dialog) => {
    faults.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    const text = message.text()
    // React reports an error that a boundary caught to the console only.
    if (/Content Security Policy|Trusted|^(Type|Range|Syntax|Reference)Error/i.test(text)) faults.push(text)
  })
  return { page, faults }
}

/** Layout shift of a page within some seconds, as the browser measures it. */
export async function shiftOf(page: Page, path: string, waitMs: number): Promise<number> {
  await page.addInitScript(`globalThis.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })`)
  await page.goto(path)
  await page.waitForTimeout(waitMs)
  return page.evaluate('shift')
}

/** Serious axe findings on the current page and in its frames, as text. */
async function seriousFindings(page: Page): Promise<string[]> {
  const findings: string[] = []
  for (const frame of page.frames()) findings.push(...(await findingsIn(frame)))
  return findings
}

async function findingsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source)
  return frame.evaluate(`axe.run(document, { resultTypes: ['violations'], iframes: false }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => id + ': ' + help + ' ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`)
}

const LOOKS = [
  { theme: 'light', width: 1280, isJudged: true },
  { theme: 'light', width: 390, isJudged: false },
  { theme: 'dark', width: 390, isJudged: true },
  { theme: 'dark', width: 1280, isJudged: false },
] as const

/**
 * Shows a page in both themes at both widths: a picture of each, and what axe finds. A long page, on which axe takes
 * most of a minute, is examined once, and its picture shows the top.
 */
export async function lookAt(page: Page, name: string, { isLong = false } = {}): Promise<string[]> {
  mkdirSync(SHOTS, { recursive: true })
  const problems: string[] = []
  for (const [index, { theme, width, isJudged }] of LOOKS.entries()) {
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width, height: width === 390 ? 844 : 860 })
    await page.screenshot({ path: join(SHOTS, `${name}-${width}-${theme}.png`), fullPage: !isLong })
    // Once in each theme, and at each width.
    const findings = isJudged && (index === 0 || !isLong) ? await seriousFindings(page) : []
    problems.push(...findings.map((finding) => `${name}, ${theme}, ${width}: ${finding}`))
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    if (Number(overflow) > 0) problems.push(`${name}, ${width}: ${overflow} pixels wider than the screen`)
  }
  return problems
}

/** Signs in with the devnet's built-in wallet. */
export async function signIn(page: Page, mode: 'full' | 'like MetaMask', account = 1): Promise<void> {
  await page.goto('/status')
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByLabel('Account').selectOption(String(account))
  await page.getByLabel('Mode').selectOption(mode)
  await page.getByRole('button', { name: 'Sign in with the test wallet' }).click()
  await page.getByRole('button', { name: /^0x/ }).waitFor()
}
