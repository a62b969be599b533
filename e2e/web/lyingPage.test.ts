import type { Address, Hex } from '@pit/chain'
import { createClient, fromViem, rpcAt } from '@pit/client'
import { type ChainProfile, RISK_CODES, type RouteId } from '@pit/protocol'
import type { Browser, Page, Route } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom, type Random } from '../fuzz/random.ts'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { readStoryTokens } from '../trading/tokens.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { openBrowser, openTab, signIn, type Tab } from './browser.ts'
import { type Owner, type PostedList, type Script, scriptsOf } from './lying/scripts.ts'
import { type Json, mutate, routeOf } from './lying/sentinels.ts'
import { crashOf, signedSwaps, unlabelled } from './lying/watch.ts'

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
  const token = await buyToken()
  await signIn(tab.page, 'full', ACCOUNT)
  const agentId = await openOrdersAgent(tab.page)
  owner = ownerOf(tab.page, agentId, token)
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

/** A token outside the pins, so that its decimals come from the node. */
async function buyToken(): Promise<Owner['token']> {
  const client = createClient({
    url: world.server.url,
    domain: 'localhost',
    profile,
    account: fromViem(mnemonicToAccount(MNEMONIC, { addressIndex: ACCOUNT })),
    rpc: rpcAt(world.devnet.url),
  })
  await client.signIn()
  const { specimen } = await readStoryTokens(world.devnet)
  const address = specimen('good')
  const accept_risks = [...RISK_CODES]
  await client.trade({ token_in: 'ETH', token_out: address, notional_usd: 60, accept_risks })
  await client.trade({ token_in: 'ETH', token_out: 'USDG', notional_usd: 60 })
  const [facts, { balances }] = await Promise.all([client.tokens([address]), client.holdings([address])])
  const { decimals } = facts.get(address)!
  // A tenth for each sale, to one decimal, so that decimals show.
  const tenths = (balances.get(address)! * 1n) / 10n ** BigInt(decimals!)
  return { address, decimals: decimals!, typed: `${tenths / 10n}.${tenths % 10n}` }
}

/** A live agent for orders, with a session that was signed on an honest server. */
async function openOrdersAgent(page: Page): Promise<string> {
  await page.goto('/agents')
  await page.getByRole('tab', { name: 'New agent' }).click()
  await page.getByRole('combobox', { name: 'Brain' }).selectOption('orders')
  await page.getByLabel('Money').selectOption('live')
  const created = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/hosted'),
    WAIT,
  )
  await page.getByRole('button', { name: 'Create live agent (paused)' }).click()
  const { id, executor } = (await (await created).json()) as { id: string; executor: string }
  await page.getByRole('heading', { name: 'Limits you set' }).waitFor(WAIT)
  await world.devnet.rpc('hardhat_setBalance', [executor, '0xde0b6b3a7640000'])
  await page.getByLabel(/Allow EIP-7702 delegation/).check()
  await page.getByRole('button', { name: 'Review limits' }).click()
  await page.getByRole('button', { name: 'Sign session' }).click(WAIT)
  await page.getByRole('button', { name: 'Switch off' }).waitFor(WAIT)
  return id
}

function ownerOf(page: Page, agentId: string, token: Owner['token']): Owner {
  const swaps = signedSwaps(page, profile)
  const lists: PostedList[] = []
  page.on('request', (request) => {
    if (request.method() !== 'POST' || !request.url().endsWith(`/hosted/${agentId}/orders`)) return
    lists.push((JSON.parse(request.postData() ?? '{}') as { list: PostedList }).list)
  })
  return {
    ...{ page, agentId, token },
    usdg: world.core('USDG').toLowerCase() as Address,
    feeRecipient: profile.fee_recipient!.toLowerCase() as Hex,
    reached: 'nothing',
    takeSwaps: () => swaps.all.splice(0),
    takeLists: () => lists.splice(0),
  }
}

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
