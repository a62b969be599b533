import type { Hex } from '@pit/chain'
import { createClient, fromViem, rpcAt } from '@pit/client'
import { FEE, isRiskCode, isSevere } from '@pit/protocol'
import {
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  keccak256,
  parseAbi,
  publicActions,
  stringToHex,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openParty, type Party, type SessionTrade, signaturesFor, startGrant } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'

// An attacker deploys a stock token's code on the issuer's beacon, with himself as its operator.

const ETH = 10n ** 18n
const BEACON_SLOT: Hex = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
const MNEMONIC = 'test test test test test test test test test test test junk'
const stockAbi = parseAbi([
  'function initialize(string name, string symbol, address registry, address operator)',
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
])
const poolAbi = parseAbi([
  'function createPair(address a, address b) returns (address pair)',
  'function getPair(address a, address b) view returns (address pair)',
  'function deposit() payable',
  'function mint(address to) returns (uint256)',
])

interface TokenAnswer {
  kind: string
  stock_beacon: boolean
  tradable: boolean
  fee_bps: number
  multiplier: number | null
  flags: { listed_stock: boolean }
  risks: { code: string }[]
}

let world: SessionWorld
let owner: Party
let executor: Party
let fake: Hex

/** Deployed like `StockProxy`, without its source: code, slot, initialize, mint. Then a pool. */
async function deployFake(): Promise<Hex> {
  const { devnet, profile } = world
  const listed = profile.listed_stocks[0]!.address as Hex
  const token: Hex = `0x${'f4'.repeat(20)}`
  await devnet.rpc('hardhat_setCode', [token, await devnet.rpc<Hex>('eth_getCode', [listed, 'latest'])])
  const beacon = profile.stocks.beacon!.slice(2).toLowerCase()
  await devnet.rpc('hardhat_setStorageAt', [token, BEACON_SLOT, `0x${beacon.padStart(64, '0')}`])

  const chain = defineChain({
    id: 4663,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [devnet.url] } },
  })
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: 3 })
  const wallet = createWalletClient({
    account,
    chain,
    transport: http(devnet.url),
    pollingInterval: 100,
  }).extend(publicActions)
  const send = async (to: Hex, data: Hex, value = 0n) => {
    const receipt = await wallet.waitForTransactionReceipt({
      hash: await wallet.sendTransaction({ to, data, value }),
    })
    expect(receipt.status).toBe('success')
  }
  const stock = (functionName: 'initialize' | 'mint' | 'transfer', args: readonly unknown[]) =>
    encodeFunctionData({ abi: stockAbi, functionName, args } as never)
  const { weth, v2_factory } = profile.contracts as unknown as Record<string, Hex>
  await send(token, stock('initialize', ['Gold Bars Inc', 'GBAR', profile.stocks.beacon, account.address]))
  await send(token, stock('mint', [account.address, 10n ** 24n]))
  await send(
    v2_factory!,
    encodeFunctionData({ abi: poolAbi, functionName: 'createPair', args: [token, weth!] }),
  )
  const pair = await wallet.readContract({
    address: v2_factory!,
    abi: poolAbi,
    functionName: 'getPair',
    args: [token, weth!],
  })
  await send(weth!, encodeFunctionData({ abi: poolAbi, functionName: 'deposit' }), 100n * ETH)
  await send(token, stock('transfer', [pair, 10n ** 23n]))
  await send(weth!, stock('transfer', [pair, 100n * ETH]))
  await send(pair, encodeFunctionData({ abi: poolAbi, functionName: 'mint', args: [account.address] }))
  return token
}

beforeAll(async () => {
  world = await openSessionWorld()
  const keyOf = (name: string): Hex => keccak256(stringToHex(`fake stock ${name}`))
  owner = await openParty(world.server.url, keyOf('owner'))
  executor = await openParty(world.server.url, keyOf('executor'))
  await world.fund(owner.wallet, { wei: ETH })
  await world.fund(executor.wallet, { wei: ETH / 10n })
  fake = await deployFake()
}, 600_000)
afterAll(() => world?.close())

const tokenOf = async (address: string) => (await owner.get<TokenAnswer>(`tokens/${address}`)).body

const severeRisksOf = async (address: string): Promise<string[]> =>
  (await tokenOf(address)).risks.map(({ code }) => code).filter((code) => isRiskCode(code) && isSevere(code))

describe('a foreign token on the stock beacon', () => {
  it('is on the beacon and unlisted: the major fee, a severe IMPERSONATOR', async () => {
    await expect.poll(async () => (await tokenOf(fake)).tradable, { timeout: 60_000 }).toBe(true)
    const token = await tokenOf(fake)
    expect(token).toMatchObject({
      kind: 'erc20',
      stock_beacon: true,
      flags: { listed_stock: false },
      fee_bps: FEE.majorMaxBps,
    })
    expect(token.multiplier).toBeNull()
    const codes = token.risks.map(({ code }) => code)
    expect(codes).toContain('STOCK_TOKEN')
    expect(codes).toContain('IMPERSONATOR')
    const listed = await tokenOf(world.profile.listed_stocks[0]!.address)
    expect(listed).toMatchObject({
      kind: 'stock',
      stock_beacon: true,
      flags: { listed_stock: true },
      fee_bps: FEE.majorMaxBps,
    })
    expect(listed.risks.map(({ code }) => code)).not.toContain('IMPERSONATOR')
  })

  it('is traded by the verifying client at the major fee once IMPERSONATOR is accepted', async () => {
    const client = createClient({
      url: world.server.url,
      domain: 'localhost',
      profile: world.profile,
      account: fromViem(owner.account),
      rpc: rpcAt(world.devnet.url),
    })
    await client.signIn()
    const severe = await severeRisksOf(fake)
    const trade = (accept_risks: string[]) =>
      client.trade({
        token_in: 'ETH',
        token_out: fake,
        notional_usd: 5,
        owner_attests_non_us: true,
        accept_risks: accept_risks as never,
      })
    const others = severe.filter((code) => code !== 'IMPERSONATOR')
    await expect(trade(others)).rejects.toMatchObject({ code: 'RISK_NOT_ACCEPTED' })
    const { plan } = await trade(severe)
    expect(plan).toMatchObject({ fee_class: 'major', fee_bps: FEE.majorMaxBps })
  })

  it('trades in a session at the major fee, co-signed as planned, under the rules of stocks', async () => {
    const accept_risks = await severeRisksOf(fake)
    const others = accept_risks.filter((code) => code !== 'IMPERSONATOR')
    const refused = await startGrant(owner, executor.wallet, {
      tokens: ['ETH', fake],
      accept_risks: others,
      expires_in_s: 3_600,
    })
    expect(refused.body.error?.code).toBe('RISK_NOT_ACCEPTED')
    const terms = { tokens: ['ETH', fake], accept_risks, expires_in_s: 3_600 }
    const { body: grant } = await startGrant(owner, executor.wallet, terms)
    expect(grant.error).toBeUndefined()
    const active = await owner.post(
      'live/session/grant',
      await signaturesFor(owner, grant, { afterSetup: true }),
    )
    expect(active.body).toMatchObject({ status: 'active' })
    for (const { tx } of grant.setup) {
      const sent = await owner.post('live/submit', { raw_tx: await owner.signTx({ ...tx, type: 2 }) })
      expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
    }
    const trade = (more: object) =>
      executor.post<SessionTrade>('live/session/trade', {
        session_id: grant.session_id,
        token_in: 'ETH',
        token_out: fake,
        notional_usd: 5,
        ...more,
      })
    await expect.poll(async () => (await trade({})).body.error?.code, { timeout: 60_000 }).toBe('GEOFENCE')
    const { status, body } = await trade({ owner_attests_non_us: true })
    expect(status, JSON.stringify(body.error)).toBe(200)
    expect(body).toMatchObject({ ready: true, fee_class: 'major', fee_bps: FEE.majorMaxBps })
    expect(body.leaf).toMatchObject({ sequence: 1 })
  })
})
