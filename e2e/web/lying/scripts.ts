import type { Hex } from '@pit/chain'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { SignedSwapBytes } from './watch.ts'

/** Actions of a scripted user on the page, and their effects that no answer may change. */

export interface Owner {
  page: Page
  /** Swaps that were handed over since the last look. */
  takeSwaps(): (SignedSwapBytes | null)[]
  /** Bodies of order lists that were handed over since the last look. */
  takeLists(): PostedList[]
  agentId: string
  /** Outside the pins; `typed` is sold. */
  token: { address: Hex; decimals: number; typed: string }
  usdg: Hex
  feeRecipient: Hex
  /** How far the last script came. */
  reached: 'nothing' | 'review' | 'signature'
}
export interface PostedList {
  orders: { token_in: string; token_out: string; amount_in: string; min_amount_out: string }[]
}
export interface Script {
  name: string
  /** Returns faults: beliefs in a lie. */
  run(owner: Owner, signs: boolean): Promise<string[]>
}

const STEP_MS = 12_000
const NATIVE = `0x${'0'.repeat(40)}`

/** Waits until one of these shows; null if none does. */
async function first(...locators: Locator[]): Promise<number | null> {
  const any = locators.reduce((one, other) => one.or(other))
  try {
    await any.first().waitFor({ timeout: STEP_MS })
  } catch {
    return null
  }
  for (const [i, locator] of locators.entries()) if ((await locator.count()) > 0) return i
  return null
}

async function click(button: Locator): Promise<boolean> {
  try {
    await button.click({ timeout: STEP_MS })
    return true
  } catch {
    return false
  }
}

const withCommas = (typed: string): string => Number(typed).toLocaleString('en-US')
const numberIn = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''))

/** Sells a typed amount and compares the review with the typed amount, and the bytes with the review. */
const tradeOf = (
  name: string,
  sold: (owner: Owner) => { in: string; typed: string; shown: string; atoms: bigint },
  fairUsdg: number | null,
): Script => ({
  name,
  async run(owner, signs) {
    const { page, usdg, feeRecipient } = owner
    const { in: token, typed, shown, atoms } = sold(owner)
    await page.goto(`/trade?${new URLSearchParams({ in: token, out: 'USDG', amount: typed })}`)
    if (!(await click(page.getByRole('button', { name: 'Review trade' })))) return []
    const review = page.locator('section.card', { hasText: 'Review before signing' })
    if ((await first(review, page.getByRole('alert'))) !== 0) return []
    const text = await review.innerText()
    owner.reached = 'review'
    const faults: string[] = []
    const row = (label: string) => new RegExp(`^${label}\\s+(.*)$`, 'm').exec(text)?.[1]
    if (row('You sell') !== `${withCommas(typed)} ${shown}`)
      faults.push(`the review sells ${row('You sell')}`)
    const least = numberIn(/^([\d,.]+) USDG/.exec(row('Minimum received') ?? '')?.[1])
    if (fairUsdg !== null && !(least > fairUsdg * 0.9 && least < fairUsdg * 1.02))
      faults.push(`the review receives at least ${row('Minimum received')}`)
    if (!row('Fee')?.includes(feeRecipient)) faults.push(`the review pays a fee of ${row('Fee')}`)
    if (!signs) return faults
    owner.takeSwaps()
    await click(page.getByRole('button', { name: 'Sign and send' }))
    await first(page.getByRole('heading', { name: 'Receipt' }), page.getByRole('alert'))
    for (const swap of owner.takeSwaps()) {
      if (swap === null) continue
      owner.reached = 'signature'
      const isIt = swap.tokenOut === usdg && swap.amountIn === atoms
      if (!isIt) faults.push(`signed ${swap.amountIn} atoms to ${swap.tokenOut}`)
      if (swap.amountOutMin !== BigInt(Math.round(least * 1e6)))
        faults.push(`signed at least ${swap.amountOutMin}`)
      if (swap.feeRecipient !== null && swap.feeRecipient !== feeRecipient)
        faults.push('signed another fee receiver')
    }
    return faults
  },
})

/** Reviews a limit order, signs it or not, and compares the posted list with what was typed. */
const order: Script = {
  name: 'a limit order',
  async run(owner, signs) {
    const { page, agentId, usdg } = owner
    await page.goto(`/agents/${agentId}`)
    const amount = page.getByLabel('Amount to spend, in USDG')
    if ((await first(amount, page.getByRole('alert'))) !== 0) return []
    await amount.fill('20')
    await page.getByLabel('Limit price in USD').fill('1000')
    if (!(await click(page.getByRole('button', { name: 'Review order' })))) return []
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: /^Sign and place|^Place on paper/ })
    if ((await first(confirm, page.getByRole('alert'))) !== 0) return []
    const text = await dialog.innerText()
    owner.reached = 'review'
    const faults: string[] = []
    if (!/^1\. Sell up to 20 USDG for at least 0\.02 ETH, with at most 1% slippage, until /m.test(text))
      faults.push(`the review says ${text.slice(0, 200)}`)
    if (/31,?337|ZZLIE/.test(text)) faults.push(`a lie in the review: ${text.slice(0, 300)}`)
    owner.takeLists()
    if (!signs) {
      await click(dialog.getByRole('button', { name: 'Cancel' }))
      return faults
    }
    await click(confirm)
    await first(page.getByText('The co-signer registered the orders'), page.getByRole('alert'))
    for (const { orders } of owner.takeLists()) {
      owner.reached = 'signature'
      for (const one of orders) {
        const isIt =
          one.token_in.toLowerCase() === usdg &&
          one.token_out === NATIVE &&
          one.amount_in === '20000000' &&
          one.min_amount_out === `2${'0'.repeat(16)}`
        if (!isIt) faults.push(`placed ${JSON.stringify(one)}`)
      }
    }
    return faults
  },
}

/** Cancels every open order: success needs the co-signer's receipts. */
const cancel: Script = {
  name: 'a cancellation',
  async run({ page, agentId }) {
    await page.goto(`/agents/${agentId}`)
    const button = page.getByRole('button', { name: 'Cancel all', exact: true })
    if ((await first(button, page.getByText('No orders yet.'), page.getByRole('alert'))) !== 0) return []
    await click(button)
    await click(page.getByRole('button', { name: 'Yes, cancel all' }))
    await first(page.getByText('The co-signer cancelled the order'), page.getByRole('alert'))
    return []
  },
}

export const EXECUTOR = `0x${'e7'.repeat(20)}`

/** Reviews a session and declines: the review must be that of an honest server. */
const grant: Script = {
  name: 'a session',
  async run(owner) {
    const { page } = owner
    await page.goto(`/sessions?executor=${EXECUTOR}`)
    const consent = page.getByLabel(/Allow EIP-7702 delegation/)
    if ((await first(consent, page.getByRole('alert'))) !== 0) return []
    await consent.check()
    if (!(await click(page.getByRole('button', { name: 'Review limits' })))) return []
    const dialog = page.getByRole('dialog')
    if ((await first(dialog.getByText('Maximum loss'), page.getByRole('alert'))) !== 0) return []
    const text = await dialog.innerText()
    owner.reached = 'review'
    await click(dialog.getByRole('button', { name: 'Cancel' }))
    const faults: string[] = []
    for (const line of [
      new RegExp(`Executor\\s+${EXECUTOR}`, 'i'),
      /Tokens\s+ETH, USDG/,
      /Max per trade\s+\$25\n/,
      /Max in 24 hours\s+\$100\n/,
      /Accepted risks\s+none/,
      /Shield\s+off/,
    ])
      if (!line.test(text)) faults.push(`the review lacks ${line}: ${text.slice(0, 400)}`)
    if (/31,?337|ZZLIE/.test(text)) faults.push(`a lie in the review: ${text}`)
    return faults
  },
}

const PATHS = [
  ...[
    '/portfolio',
    '/sessions',
    '/agents',
    '/activity',
    '/trade',
    '/tokens',
    '/tokens/USDG',
    '/wallet',
    '/keys',
  ],
  ...['/', '/status', '/league', '/treasury'],
]

/** Own figures of a page: they must be those of an honest server. */
const OWN_FIGURES: Readonly<Record<string, { region: string; pick: RegExp }>> = {
  '/portfolio': { region: 'Holdings', pick: /^(WETH|cbBTC)\s+([\d,.]+)/gm },
}
const honestFigures = new Map<string, string>()

const reading = (path: string): Script => ({
  name: `reading ${path}`,
  async run({ page }) {
    await page.goto(path)
    await page.waitForTimeout(1_500)
    return ownFigures(page, path)
  },
})

/** Remembers the figures of an honest server first. */
export async function ownFigures(page: Page, path: string): Promise<string[]> {
  const figures = OWN_FIGURES[path]
  if (!figures) return []
  const region = page.getByRole('region', { name: figures.region, exact: true })
  const isShown = await region
    .first()
    .waitFor({ timeout: STEP_MS })
    .then(
      () => true,
      () => false,
    )
  if (!isShown) return []
  const text = [...(await region.first().innerText()).matchAll(figures.pick)].map(([all]) => all).join('; ')
  const honest = honestFigures.get(path)
  if (honest === undefined) {
    expect(text).not.toBe('')
    honestFigures.set(path, text)
    return []
  }
  return text === honest ? [] : [`${path} shows ${text} for ${honest}`]
}

export const scriptsOf = (agentId: string, fairUsdg: number): Script[] => [
  tradeOf('a sale of ETH', () => ({ in: 'ETH', typed: '0.01', shown: 'ETH', atoms: 10n ** 16n }), fairUsdg),
  tradeOf(
    'a sale of a token by address',
    ({ token: { address, decimals, typed } }) => ({
      ...{ in: address, typed, shown: address },
      atoms: (BigInt(typed.replace('.', '')) * 10n ** BigInt(decimals)) / 10n,
    }),
    null,
  ),
  order,
  cancel,
  grant,
  ...[...PATHS, `/agents/${agentId}`].map(reading),
]
