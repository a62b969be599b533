import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { lookAt, openBrowser, openTab, signIn, type Tab } from './browser.ts'

// Signed orders and session controls in the dashboard, on the real processes.

const WAIT = { timeout: 60_000 }
let world: SessionWorld
let browser: Browser
let tab: Tab

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'localhost' } })
  browser = await openBrowser()
  tab = await openTab(browser, world.server.url)
  await signIn(tab.page, 'full', 6)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

/** Fills the form of a new agent. */
async function newAgent(page: Page, { brain, mode }: { brain: string; mode: 'paper' | 'live' }) {
  await page.goto('/agents')
  await page.getByRole('tab', { name: 'New agent' }).click()
  await page.getByRole('combobox', { name: 'Brain' }).selectOption(brain)
  await page.getByLabel('Money').selectOption(mode)
  await page.getByLabel(/Interval/).fill('0')
}

/** Creates a live agent, funds its executor and opens the review of its session. */
async function reviewSession(page: Page, setControls: () => Promise<void>): Promise<void> {
  const created = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/hosted'),
    WAIT,
  )
  await page.getByRole('button', { name: 'Create live agent (paused)' }).click()
  const { executor } = (await (await created).json()) as { executor: string }
  await page.getByRole('heading', { name: 'Limits you set' }).waitFor(WAIT)
  await world.devnet.rpc('hardhat_setBalance', [executor, '0xde0b6b3a7640000'])
  await setControls()
  await page.getByLabel(/Allow EIP-7702 delegation/).check()
  await page.getByRole('button', { name: 'Review limits' }).click()
  await page.getByText('Maximum loss').waitFor(WAIT)
}

/** The first click asks, the second one acts. */
async function confirm(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: label, exact: true }).click()
  await page.getByRole('button', { name: new RegExp(`^Yes, ${label}$`, 'i') }).click()
}

const rowOf = (page: Page, name: RegExp) => page.getByRole('row', { name })
const EVERY_TRADE = 'Every trade needs an order that you sign.'

describe('on paper', () => {
  it('a limit order is placed without a signature and shown with its state', async () => {
    const { page, faults } = tab
    await newAgent(page, { brain: 'orders', mode: 'paper' })
    await page.getByRole('button', { name: 'Create paper agent' }).click()
    await page.getByText('No orders yet.').waitFor(WAIT)
    await page.getByLabel('Amount to spend, in USDG').fill('50')
    await page.getByLabel('Limit price in USD').fill('1000')
    await page.getByRole('button', { name: 'Review order' }).click()
    await page.getByText(/Sell up to 50 USDG for at least 0.05 ETH/).waitFor(WAIT)
    expect(await lookAt(page, 'orderReviewPaper')).toEqual([])
    await page.getByRole('button', { name: 'Place on paper' }).click()
    const row = rowOf(page, /^Limit USDG → ETH/)
    await row.waitFor(WAIT)
    expect(await row.innerText()).toContain('$1,000.00 or better')
    expect(await lookAt(page, 'agentOrders')).toEqual([])
    expect(faults).toEqual([])
  })

  it('a bracket is placed as one list, and everything is cancelled at once', async () => {
    const { page } = tab
    await page.getByLabel('Kind of order').selectOption('bracket')
    await page.getByLabel('Entry price in USD, optional').fill('1000')
    await page.getByLabel('Stop price in USD').fill('900')
    await page.getByLabel('Take-profit price in USD').fill('1200')
    await page.getByRole('button', { name: 'Review order' }).click()
    await page.getByRole('button', { name: 'Place on paper' }).click()
    for (const part of [/^Bracket entry/, /^Bracket stop/, /^Bracket take-profit/])
      await rowOf(page, part).waitFor(WAIT)
    await confirm(page, 'Cancel all')
    await expect.poll(() => rowOf(page, /Cancelled/).count(), WAIT).toBe(4)
  })
})

describe('live', () => {
  it('an agent for orders gets a session in which every trade is signed', async () => {
    const { page } = tab
    await newAgent(page, { brain: 'orders', mode: 'live' })
    await reviewSession(page, async () => {
      await page.getByRole('button', { name: 'Add breaker' }).click()
      await page.getByLabel('Breaker 1: maximum fall in USD').fill('25')
    })
    const review = await page.getByRole('dialog').innerText()
    expect(review).toContain(EVERY_TRADE)
    expect(review).toContain('falls more than 25 USD below its best of the last 1 day')
    expect(await lookAt(page, 'grantWithControls')).toEqual([])
    await page.getByRole('button', { name: 'Sign session' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor(WAIT)
  })

  it('a stop is signed after its review, and cancelled after a question', async () => {
    const { page, faults } = tab
    await page.getByLabel('Kind of order').selectOption('stop')
    await page.getByLabel('Side', { exact: true }).selectOption('sell')
    await page.getByLabel('Amount to spend, in ETH').fill('0.01')
    await page.getByLabel('Trigger price in USD').fill('1500')
    await page.getByLabel('Least price in USD, optional').fill('1400')
    await page.getByText('A stop with a least price may wait for ever.').waitFor()
    await page.getByRole('button', { name: 'Review order' }).click()
    await page.getByText(/once ETH is at or below 1,500 USD/).waitFor(WAIT)
    expect(await page.getByRole('dialog').innerText()).toContain('it may wait for ever')
    expect(await lookAt(page, 'orderReview')).toEqual([])
    await page.getByRole('button', { name: 'Sign and place' }).click()
    const row = rowOf(page, /^Stop ETH → USDG/)
    await row.waitFor(WAIT)
    expect(await row.innerText()).toMatch(/at or below \$1,500\.00, then \$1,400\.00 or better\s+Armed/)
    await page.getByText('The co-signer registered the orders').waitFor(WAIT)
    await row.getByRole('button', { name: 'Replace' }).click()
    const replacing = page.getByRole('dialog', { name: 'Replace order' })
    await replacing.getByLabel('Trigger price in USD').fill('1450')
    expect(await lookAt(page, 'orderReplace')).toEqual([])
    await replacing.getByRole('button', { name: 'Review replacement' }).click()
    await page.getByText(/Ends order 0x/).waitFor(WAIT)
    await page.getByRole('button', { name: 'Sign and place' }).click()
    await rowOf(page, /^Stop .*\$1,500\.00.*Replaced/).waitFor(WAIT)
    await rowOf(page, /^Stop .*\$1,450\.00.*Armed/).waitFor(WAIT)
    expect(await lookAt(page, 'orderReplaced')).toEqual([])
    await confirm(page, 'Cancel order')
    await rowOf(page, /^Stop .*Cancelled/).waitFor(WAIT)
    await page.getByText('The co-signer cancelled the order').waitFor(WAIT)
    expect(faults).toEqual([])
  })

  it('a trade is checked against every rule, with the one that refuses it', async () => {
    const { page } = tab
    await page.getByLabel('Value in USD').fill('10')
    await page.getByRole('button', { name: 'Check trade' }).click()
    await page.getByText('This trade would be refused now.').waitFor(WAIT)
    await rowOf(page, /^Signature required Co-signer Failed/).waitFor(WAIT)
    expect(await lookAt(page, 'checkTrade')).toEqual([])
  })

  it('a wanted signature is shown, and signed after its review', async () => {
    const { page } = tab
    await newAgent(page, { brain: 'dca', mode: 'live' })
    // The wallet holds more ETH than an agent may buy on top of.
    await page.getByLabel(/^side/i).selectOption('sell')
    await reviewSession(page, async () => {
      await page.getByLabel(/^Add controls/).check()
      await page.getByLabel('Signature needed above, in USD').fill('0')
    })
    await page.getByRole('button', { name: 'Sign session' }).click()
    await page.getByText('A trade needs your signature').first().waitFor(WAIT)
    const noticeText = await page.locator('main').innerText()
    for (const text of ['Sells at most', 'Receives at least', 'Valid until'])
      expect(noticeText).toContain(text)
    expect(await lookAt(page, 'wantedSignature')).toEqual([])
    await page.getByRole('button', { name: 'Review and sign' }).first().click()
    await page.getByRole('button', { name: 'Sign and place' }).click(WAIT)
    await page.getByText('Signed. The agent trades within these bounds.').waitFor(WAIT)
  })

  it('one transaction ends every session with controls', async () => {
    const { page } = tab
    await page.goto('/sessions')
    await page.getByText(/Breaker at \$25\.00 below the best of the last 1 d/).waitFor(WAIT)
    await page.getByText('Rules of the co-signer').first().click(WAIT)
    await page.getByText(EVERY_TRADE).first().waitFor()
    expect(await lookAt(page, 'sessionsWithControls')).toEqual([])
    await confirm(page, 'End all sessions with controls')
    await page.getByText('2 sessions ended on chain.').waitFor(WAIT)
    await expect.poll(() => rowOf(page, /Ended/).count(), WAIT).toBe(2)
  })
})
