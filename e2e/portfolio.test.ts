import { rmSync } from 'node:fs'
import { createCrypto } from '@pit/chain'
import { type Devnet, startDevnet } from '@pit/devnet'
import { openHistory } from '@pit/history'
import { type Market, openMarket } from '@pit/market'
import { systemClock } from '@pit/platform/clock'
import { type Db, openDb } from '@pit/platform/db'
import { type Jobs, runJobs } from '@pit/platform/jobs'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { createRpc, type Rpc } from '@pit/platform/rpc'
import { ownTexts } from '@pit/platform/test/ownTexts'
import { type Answer, checkAnswer } from '@pit/protocol'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Account, openAccount } from '../packages/accounts/src/index.ts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { seedDevnet } from './devnetSeed.ts'

// A portfolio read from a real chain with tokens that burn all gas or return very long answers.

let devnet: Devnet
let db: Db
let rpc: Rpc
let market: Market
let jobs: Jobs<string>
let account: Account
let wallet: Address
/**
 * A clock that stands still between steps, so that the five-second cache does not expire on a slow machine.
 */
const clock = { ms: Date.now(), nowMs: () => clock.ms }
const dir = await newServerDirectory('pit-portfolio-')

beforeAll(async () => {
  await seedDevnet(dir)
  devnet = await startDevnet({
    dataDir: dir,
    host: '127.0.0.1',
    port: 0,
    vendorPort: 0,
    blockMs: 250,
    market: 'off',
    marketSeed: 'portfolio',
    tradesPerS: 0,
    session: 'always',
  })
  wallet = devnet.world.accounts[1]!.toLowerCase() as Address
  db = await openDb({ dataDir: dir, databaseUrl: null })
  await migrateStore(db)
  rpc = createRpc({ url: devnet.url })
  const { profile } = devnet.world
  const deps = { rpc, db, clock: systemClock, logger: createLogger({ level: 'warn' }), profile }
  market = await openMarket({ ...deps, crypto: await createCrypto() })
  await market.ready()
  const metrics = createMetrics({ withProcess: false })
  jobs = runJobs({ ...deps, metrics }, market.jobs.everywhere)
  account = openAccount({
    ...{ ...deps, clock, market, metrics, shared: ownTexts },
    history: openHistory({ db: deps.db, clock }),
  })
})
afterAll(async () => {
  await account?.close()
  await jobs?.stop()
  await market?.close()
  await db?.close()
  rpc?.close()
  await devnet?.close()
  rmSync(dir, { recursive: true, force: true })
})

const portfolio = (): Promise<Answer<'me.portfolio'>> => account.readPortfolio(wallet)

/** Traded once, so that it is included. */
const traded = (token: Address) =>
  db.query(
    `insert into trades (kind, wallet, key_id, path, status, token_in, token_out, created_at_ms, tx_hash)
     values ('swap', $1, 1, 'agent', 'mined', $2, $3, $4, $5)`,
    [
      wallet,
      `0x${'0'.repeat(40)}`,
      token.toLowerCase(),
      Date.now(),
      `0x${token.slice(2).padStart(64, '0').toLowerCase()}`,
    ],
  )

const balanceAt = async (token: Address, tag: Hex): Promise<bigint> => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  return BigInt(await rpc.request<Hex>('eth_call', [{ to: token, data }, tag]))
}

it('agrees with the chain to the atom and with the marks to the millionth', async () => {
  const answer = await portfolio()
  expect(checkAnswer('me.portfolio', answer)).toMatchObject({ ok: true })
  expect(answer).toMatchObject({ wallet, unread: [], cached: false })
  const tag: Hex = `0x${answer.block.toString(16)}`
  const held = new Map(answer.holdings.map((holding) => [holding.address.toLowerCase(), holding]))
  let totalMicroUsd = 0n
  for (const { symbol, address, decimals, native } of devnet.world.profile.core_tokens) {
    const token = address.toLowerCase() as Address
    const atoms = native
      ? BigInt(await rpc.request<Hex>('eth_getBalance', [wallet, tag]))
      : await balanceAt(token, tag)
    if (atoms === 0n) {
      expect(held.has(token)).toBe(false)
      continue
    }
    expect(held.get(token)).toMatchObject({ token: symbol, amount_atoms: atoms.toString(), decimals })
    const mark = market.mark(token)
    expect(held.get(token)?.priced).toBe(mark !== undefined)
    if (mark) totalMicroUsd += (atoms * mark.priceE18) / 10n ** BigInt(decimals + 12)
  }
  expect(held.size).toBeGreaterThanOrEqual(5)
  // Listed stocks are not core: their value is in the holdings.
  const core = new Set(devnet.world.profile.core_tokens.map(({ address }) => address.toLowerCase()))
  for (const [token, { value_usd }] of held) {
    if (!core.has(token)) totalMicroUsd += BigInt(Math.round((value_usd ?? 0) * 1e6))
  }
  expect(answer.total_usd).toBe(Number(totalMicroUsd) / 1e6)
  expect(await portfolio()).toEqual({ ...answer, cached: true })
})

it('reads every honest balance beside tokens that burn gas, loop, or return kilobytes', async () => {
  const gallery = devnet.world.gallery
  const install = async (n: number, code: Hex): Promise<Address> => {
    const token = `0x${n.toString(16).padStart(40, 'b')}` as Address
    await rpc.request('hardhat_setCode', [token, code])
    await traded(token)
    return token
  }
  // Returns 7 and two hundred thousand zero bytes.
  const talkers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => install(0x100 + i, '0x600760005262030d406000f3')),
  )
  const flood = await install(0x201, '0x622000006000f3')
  const loop = await install(0x202, '0x5b600056')
  const revert = await install(0x203, '0x60006000fd')
  const burner = gallery['gas_burner']?.address.toLowerCase() as Address
  await traded(burner)
  clock.ms += 5_000
  const answer = await portfolio()
  expect(answer.cached).toBe(false)
  expect(new Set(answer.unread)).toEqual(new Set([flood, loop, revert, burner]))
  const atoms = new Map(answer.holdings.map(({ token, amount_atoms }) => [token, amount_atoms]))
  for (const token of talkers) expect(atoms.get(token)).toBe('7')
  const usdg = devnet.world.profile.core_tokens.find(({ symbol }) => symbol === 'USDG')?.address as Address
  expect(atoms.get('USDG')).toBe((await balanceAt(usdg, `0x${answer.block.toString(16)}`)).toString())
  expect(answer.unpriced).toBeGreaterThanOrEqual(talkers.length)
})
