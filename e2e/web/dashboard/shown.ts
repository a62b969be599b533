import type { Browser, Page, Route } from 'playwright-core'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type { SessionWorld } from '../../session/world.ts'
import { lookAt, type Tab } from '../browser.ts'

/** Processes and tabs shared by the stories of the dashboard. */
export interface Dashboard {
  world: SessionWorld
  dataDir: string
  browser: Browser
  visitor: Tab
  owner: Tab
}

export const WAIT = { timeout: 60_000 }
export const EXECUTOR = privateKeyToAccount(keccak256(stringToHex('dashboard executor'))).address

/** Opens a path and waits until its data is shown. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').waitFor()
  await expect.poll(() => page.locator('main .skeleton, main .meanwhile').count(), WAIT).toBe(0)
}

/**
 * The first click on a destructive button asks for confirmation and can be cancelled; the second one acts.
 */
export async function cancelThenConfirm(page: Page, label: string, shot: string): Promise<void> {
  const first = page.getByRole('button', { name: label, exact: true })
  await first.click()
  expect(await lookAt(page, shot)).toEqual([])
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await first.click()
  await page.getByRole('button', { name: new RegExp(`^Yes, ${label}$`, 'i') }).click()
}

/** Passes the server's response on, changed. */
export async function changeAnswer<Body>(route: Route, change: (body: Body) => void): Promise<void> {
  const response = await route.fetch()
  const json = (await response.json()) as Body
  change(json)
  await route.fulfill({ response, json })
}
