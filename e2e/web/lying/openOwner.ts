import type { Address, Hex } from '@pit/chain'
import { createClient, fromViem, rpcAt } from '@pit/client'
import { type ChainProfile, RISK_CODES } from '@pit/protocol'
import type { Page } from 'playwright-core'
import { mnemonicToAccount } from 'viem/accounts'
import type { SessionWorld } from '../../session/world.ts'
import { readStoryTokens } from '../../trading/tokens.ts'
import { MNEMONIC } from '../../trading/trader.ts'
import { signIn } from '../browser.ts'
import type { Owner, PostedList } from './scripts.ts'
import { signedSwaps } from './watch.ts'

const WAIT = { timeout: 60_000 }

interface OwnerOptions {
  profile: ChainProfile
  account: number
}

/** A token outside the pins, so that its decimals come from the node. */
async function buyToken(world: SessionWorld, { profile, account }: OwnerOptions): Promise<Owner['token']> {
  const client = createClient({
    url: world.server.url,
    domain: 'localhost',
    profile,
    account: fromViem(mnemonicToAccount(MNEMONIC, { addressIndex: account })),
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
async function openOrdersAgent(world: SessionWorld, page: Page): Promise<string> {
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

/** Signs in, buys the token, and has a live agent for orders. */
export async function openOwner(world: SessionWorld, page: Page, options: OwnerOptions): Promise<Owner> {
  const { profile, account } = options
  const token = await buyToken(world, options)
  await signIn(page, 'full', account)
  const agentId = await openOrdersAgent(world, page)
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
