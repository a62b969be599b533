import type { ChainProfile, RouteId } from '@pit/protocol'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../fuzz/random.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { openBrowser, openTab, signIn, type Tab } from './browser.ts'
import { openOwner } from './lying/openOwner.ts'
import { EXECUTOR, type Owner, type Script, scriptsOf } from './lying/scripts.ts'
import { type Json, mutate, routeOf } from './lying/sentinels.ts'
import { crashOf, unlabelled } from './lying/watch.ts'

// A server that lies to the page about any field of any answer, while a scripted user trades, places orders, cancels,
// grants and reads. Believed: a lie in a confirmation, other signed bytes than reviewed, or a lie shown without the
// server's label. More by hand: PAGE_LIES=2000 npx vitest run --project e2e e2e/web/lyingPage.test.ts

/** Runs of scripts; each tells one to some hundred lies. */
const RUNS = Number(process.env['PAGE_LIES'] ?? 40)
const SEED = Number(process.env['SEED'] ?? 46)
/** Also values that no schema allows. */
const BREAKS = process.env['PAGE_BREAKS'] === '1'
const SCRIPT = process.env['SCRIPT'] ?? ''
const ACCOUNT = 7
const WAIT = { timeout: 60_000 }
const ETH_USD = 2_500

let world: SessionWorld
let browser: Browser
let tab: Tab
let owner: Owner
let profile: ChainProfile

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'localhost' } })
  browser = await openBrowser()
  tab = await openTab(browser, world.server.url)
  profile = (await (await fetch(`${world.server.url}/pins.json`)).json()) as ChainProfile
  owner = await openOwner(world, tab.page, { profile, account: ACCOUNT })
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

interface Lying {
  random: Random
  /** Of the leaves of an answer. */
  share: number
  breaks: boolean
  /** Only answers of this route; all of them without it. */
  only: RouteId | null
  lies: number
  told: string[]
}

/** Files beside the API that a page reads. */
const FILES = /\/(history|marks)\/.*\.json$/

async function lieOn(page: Page, lying: Lying): Promise<void> {
  const answer = async (route: Route) => {
    const request = route.request()
    const id = routeOf(request.method(), request.url())
    if (id === null && !FILES.test(request.url())) return route.continue()
    if (lying.only !== null && id !== lying.only) return route.continue()
    try {
      const response = await route.fetch()
      const body = (await response.json()) as Json
      const { answer, changed } = mutate(id, body, lying.random, lying)
      lying.lies += changed.length
      if (changed.length > 0 && lying.told.length < 60)
        lying.told.push(`${id}: ${changed.slice(0, 12).join(' ')}`)
      await route.fulfill({ response, json: answer })
    } catch {
      // The page went on, or the answer is not JSON.
      await route.continue().catch(() => {})
    }
  }
  await page.route((url) => url.pathname.startsWith('/api/v1/') || FILES.test(url.pathname), answer)
}

async function honest(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
}

async function tell(script: Script, lying: Lying, signs: boolean): Promise<string[]> {
  const { page, faults } = tab
  faults.length = 0
  owner.reached = 'nothing'
  await lieOn(page, lying)
  try {
    const believed = await script.run(owner, signs)
    const shown = (await unlabelled(page)).map((text) => `shown unmarked: ${text}`)
    const crash = await crashOf(page)
    return [
      ...believed,
      ...shown,
      ...faults.map((fault) => `crashed: ${fault}`),
      ...(crash ? [`crashed: ${crash}`] : []),
    ]
  } finally {
    await honest(page)
    if (await page.evaluate("sessionStorage.getItem('pit.account') === null"))
      await signIn(page, 'full', ACCOUNT)
  }
}

const NOT_LYING: Lying = { random: createRandom(0), share: 0, breaks: false, only: null, lies: 0, told: [] }

it('an honest server passes every script', async () => {
  const reached: Owner['reached'][] = []
  for (const script of scripts()) {
    const faults = await tell(script, { ...NOT_LYING }, true)
    expect(faults, script.name).toEqual([])
    reached.push(owner.reached)
  }
  const most = ['signature', 'signature', 'signature', 'nothing', 'review']
  if (SCRIPT === '') expect(reached.slice(0, 5)).toEqual(most)
}, 300_000)

const scripts = (): Script[] =>
  scriptsOf(owner.agentId, 0.01 * ETH_USD).filter(({ name }) => name.includes(SCRIPT))

/** The case of the review: another number of decimals turned a typed 0.1 into 10 signed. */
it.each([
  ['config', 'tokens', (body: Fields) => eachToken(body['tokens'])],
  ['plan and quote', 'live', (body: Fields) => eachToken(body['tokens'])],
  ['the portfolio', 'me.portfolio', (body: Fields) => eachToken(body['holdings'])],
  ['tokens', 'tokens.get', (body: Fields) => Object.assign(body, { decimals: 16, symbol: 'USDG' })],
] as const)(
  'decimals and symbols in %s change neither the review nor the bytes',
  async (name, what, change) => {
    const { page } = tab
    await page.route('**/api/v1/**', async (route) => {
      const response = await route.fetch()
      const body = (await response.json().catch(() => null)) as Fields | null
      const id = routeOf(route.request().method(), route.request().url()) ?? ''
      const isIt = what === 'tokens' ? id === 'config' : id.startsWith(what)
      if (body && isIt && response.ok()) change(body)
      await route.fulfill({ response, ...(body && { json: body }) })
    })
    try {
      for (const script of scriptsOf(owner.agentId, 0.01 * ETH_USD).slice(0, 3)) {
        owner.reached = 'nothing'
        expect(await script.run(owner, true), script.name).toEqual([])
        // A lying config is refused; of the others the page reads no decimals.
        expect(owner.reached, script.name).toBe(name === 'config' ? 'nothing' : 'signature')
      }
    } finally {
      await honest(page)
    }
  },
  120_000,
)

/** Answers of one route with another content. */
async function lieAbout(page: Page, id: RouteId, change: (body: Fields) => void): Promise<void> {
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request()
    if (routeOf(request.method(), request.url()) !== id) return route.continue()
    const response = await route.fetch()
    const body = (await response.json()) as Fields
    if (response.ok()) change(body)
    await route.fulfill({ response, json: body })
  })
}
const rowsOf = (body: Fields, name: string): Fields[] => (body[name] ?? []) as Fields[]
const main = (page: Page) => page.locator('main').innerText()

describe('a server that lies about', () => {
  afterEach(() => honest(tab.page))

  it('limits, tokens and expiry of a signed session: the card shows the signed ones', async () => {
    const { page } = tab
    await page.goto('/sessions')
    await page.getByText('Active on chain').waitFor(WAIT)
    const own = (await main(page)).match(/At most \$[\d.,]+ a trade/)![0]
    await lieAbout(page, 'me.sessions', (body) => {
      for (const session of rowsOf(body, 'sessions')) {
        Object.assign(session, {
          tokens: ['USDC'],
          status: 'revoked',
          expires: 1_900_000_000,
          executor: EXECUTOR,
        })
        Object.assign(session['limits'] as Fields, {
          max_trade_usd: 313.37,
          max_day_usd: 3133.7,
          max_trades: 31,
        })
      }
    })
    await page.goto('/sessions')
    await page.getByText('Active on chain').waitFor(WAIT)
    const text = await main(page)
    expect(text).toContain(own)
    expect(text).not.toMatch(/313|USDC|0xe7/)
    // The status is the server's word.
    expect(text).toMatch(/Revoked\s+\(server\)/)
  })

  it('balances and prices: the portfolio shows those of the node', async () => {
    const { page } = tab
    const figures = async () => {
      await page.goto('/portfolio')
      const region = page.getByRole('region', { name: 'Holdings', exact: true }).first()
      await region.getByRole('row', { name: /^cbBTC/ }).waitFor(WAIT)
      return [...(await region.innerText()).matchAll(/^(USDG|WETH|cbBTC)\s+[\d,.]+\s+\$[\d,.]+/gm)].map(
        ([row]) => row,
      )
    }
    const own = await figures()
    expect(own).toHaveLength(3)
    await lieAbout(page, 'me.portfolio', (body) => {
      for (const holding of rowsOf(body, 'holdings'))
        Object.assign(holding, {
          amount_atoms: '313373133700000000',
          price_usd: 3.1,
          value_usd: 3.1,
          symbol: 'USDG',
        })
      body['total_usd'] = 31_337
    })
    expect(await figures()).toEqual(own)
    expect(await main(page)).not.toContain('31,337')
  })

  it('amounts, tokens and states of trades: the list shows what the node proves', async () => {
    const { page } = tab
    const rows = async () => {
      await page.goto('/portfolio')
      // Read from the node: without the server's mark.
      const trade = page.getByRole('row', { name: /ago Mined Sell 0\.01 ETH [\d.]+ USDG Wallet/ }).first()
      await trade.waitFor(WAIT)
      return (await trade.innerText()).replace(/.*ago/, '')
    }
    const own = await rows()
    await lieAbout(page, 'me.trades', (body) => {
      for (const trade of rowsOf(body, 'trades')) {
        Object.assign(trade, {
          amount_in: '31337',
          amount_out: '313370000',
          status: 'reverted',
          time: 31_337,
        })
        Object.assign(trade['token_out'] as Fields, {
          symbol: 'GOLD',
          decimals: 2,
          address: owner.token.address,
        })
      }
    })
    expect(await rows()).toBe(own)
  })

  it('fee, approvals and values of a plan: the review shows the bytes', async () => {
    const { page } = tab
    await lieAbout(page, 'live.prepare', (body) => {
      Object.assign(body, { notional_usd: 3.1337 })
      Object.assign(body['fee'] as Fields, { recipient: EXECUTOR })
      Object.assign(body['approval'] as Fields, {
        approve: null,
        reason: 'No approval is needed.',
        spender: null,
      })
      Object.assign(body['route'] as Fields, { label: 'a free route' })
      Object.assign(body['quote'] as Fields, { gas_usd: 0.000031337 })
    })
    const { address, typed } = owner.token
    await page.goto(`/trade?in=${address}&out=USDG&amount=${typed}`)
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByText('Review before signing').waitFor(WAIT)
    const text = await main(page)
    // The plan approves a budget, not the amount of one trade.
    expect(text).toMatch(new RegExp(`Approval of [\\d.]+ ${address} required first`))
    expect(text).toContain(`to the pinned recipient ${owner.feeRecipient}`)
    expect(text).toMatch(/Value\s+\$\d/)
    expect(text).not.toMatch(/0xe7|free route|3133|No approval/)
  })

  it('a failure: its words are quoted, stripped and never the cure', async () => {
    const { page } = tab
    await page.route('**/api/v1/live/prepare', (route) =>
      route.fulfill({
        status: 422,
        json: {
          error: {
            code: 'NO_ROUTE',
            message: 'Run \u202e\u001b[31mpit session grant',
            hint: 'Send ETH to 0xe7',
            retry: 'no',
          },
        },
      }),
    )
    await page.goto('/trade?in=ETH&out=USDG&amount=0.01')
    await page.getByRole('button', { name: 'Review trade' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor(WAIT)
    expect(await alert.locator('.server-words').innerText()).not.toMatch(/[\u202e\u001b]/)
    const own = (await alert.innerText()).replace(await alert.locator('.server-words').innerText(), '')
    expect(own).not.toMatch(/session grant|0xe7/)
    expect(own).toContain('NO_ROUTE')
  })
})

it('a node of another chain signs nothing', async () => {
  const { page } = tab
  await page.route(`${world.devnet.url}/**`, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const sent = route.request().postData() ?? ''
    await route.fulfill({
      response,
      body: sent.includes('eth_chainId') ? text.replace(/"0x1237"/, '"0x1"') : text,
    })
  })
  try {
    owner.takeSwaps()
    await page.goto('/trade?in=ETH&out=USDG&amount=0.01')
    await page.getByRole('button', { name: 'Review trade' }).click()
    await page.getByRole('button', { name: 'Sign and send' }).click(WAIT)
    await page.getByText('Your node is not on chain 4663 of the pins; nothing was signed.').waitFor(WAIT)
    expect(owner.takeSwaps()).toEqual([])
  } finally {
    await honest(page)
  }
})

type Fields = Record<string, unknown>
function eachToken(tokens: unknown): void {
  for (const token of Object.values((tokens ?? {}) as Record<string, Fields>))
    if (typeof token === 'object' && token !== null) Object.assign(token, { decimals: 4, symbol: 'USDG' })
}

it(
  `believes no lie, and no lie is an error of the program: ${RUNS} runs`,
  async () => {
    const random = createRandom(SEED)
    const problems: string[] = []
    let lies = 0
    const all = scripts()
    const began = Date.now()
    for (let i = 0; i < RUNS; i++) {
      // Every script once, then mostly those that sign.
      const script =
        i < all.length ? all[i]! : random.chance(0.6) ? random.pick(all.slice(0, 5)) : random.pick(all)
      const share = random.pick([1, 0.3, 0.1, 0.03, 0.01])
      const lying: Lying = {
        random,
        share,
        breaks: BREAKS && random.chance(0.4),
        only: null,
        lies: 0,
        told: [],
      }
      const faults = await tell(script, lying, random.chance(0.5))
      lies += lying.lies
      for (const fault of faults) problems.push(`${script.name} (run ${i}): ${fault}`)
      if (faults.length > 0 && problems.length < 40)
        console.log(
          `${script.name}, run ${i}, share ${share}, breaks ${lying.breaks}`,
          faults,
          lying.told.slice(0, 4),
        )
    }
    const tookS = Math.round((Date.now() - began) / 1000)
    console.log(`${lies} lies in ${RUNS} runs (seed ${SEED}) in ${tookS} s, ${problems.length} problems`)
    expect(problems.slice(0, 20)).toEqual([])
    expect(lies).toBeGreaterThanOrEqual(RUNS)
  },
  60_000 + RUNS * 60_000,
)
