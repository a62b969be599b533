import { launchpadOf } from '@pit/chain'
import type { LaunchpadKind } from '@pit/protocol'
import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { type Artifacts, compileContracts } from '../compile.ts'
import type { Chain } from '../engine/types.ts'
import { artifactOf } from './acts.ts'
import { SNIPE, VIRTUAL_PAIR } from './curves.ts'
import { answerOf } from './feeds.ts'
import { PONS_SNIPE_S, type PonsPair } from './pons.ts'
import type { World } from './world.ts'

/** Operator actions on the fixtures; each is mined before it returns. */

export interface OperatorAct {
  contract: string
  target: Address
  functionName: string
  args: unknown[]
  value?: bigint
}

interface Receipt {
  status: Hex
  logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
}

const MAX_BLOCKS = 20

/** Calldata with which account 0 makes the builder do several things at once. */
export function encodeActs(artifacts: Artifacts, acts: OperatorAct[]): Hex {
  return encodeFunctionData({
    abi: artifactOf(artifacts, 'WorldBuilder').abi,
    functionName: 'act',
    args: [
      acts.map(({ contract, target, functionName, args, value = 0n }) => ({
        target,
        value,
        data: encodeFunctionData({ abi: artifactOf(artifacts, contract).abi, functionName, args }),
      })),
    ],
  })
}

export async function operate(chain: Chain, world: World, acts: OperatorAct[]): Promise<Receipt> {
  const data = encodeActs(await compileContracts(), acts)
  const hash = await chain.sendOwned({ from: world.accounts[0]!, to: world.builder, data })
  const names = acts.map((act) => act.functionName).join(', ')
  // A full pool may delay it by a block or two.
  for (let block = 0; block < MAX_BLOCKS; block++) {
    await chain.mine()
    const receipt = await chain.request<Receipt | null>('eth_getTransactionReceipt', [hash])
    if (receipt === null) continue
    if (receipt.status !== '0x1') throw new Error(`the operator's ${names} reverted`)
    return receipt
  }
  throw new Error(`the operator's ${names} was not mined in ${MAX_BLOCKS} blocks`)
}

/** A new round: at this price in dollars (default: the last one), this many seconds old (default: now). */
export async function setFeed(
  chain: Chain,
  world: World,
  symbol: string,
  change: { price?: number; age_s?: number },
): Promise<void> {
  const feed = world.feeds[symbol]
  if (!feed) throw new Error(`no feed of ${symbol}; there are ${Object.keys(world.feeds).join(', ')}`)
  const answer =
    change.price === undefined ? await lastAnswer(chain, feed.address) : answerOf(microUsd(change.price))
  const updatedAt = chain.head().timestampS - BigInt(Math.trunc(change.age_s ?? 0))
  await operate(chain, world, [
    { contract: 'OracleFeed', target: feed.address, functionName: 'setRound', args: [answer, updatedAt] },
  ])
}

/** One stock, or with `*` all of them by their registry. */
export async function pauseStock(chain: Chain, world: World, symbol: string, paused: boolean): Promise<void> {
  const act =
    symbol === '*'
      ? { contract: 'AccessControlsRegistry', target: beaconOf(world) }
      : { contract: 'StockToken', target: stockOf(world, symbol) }
  await operate(chain, world, [{ ...act, functionName: 'setPaused', args: [paused] }])
}

/** Pauses or resumes a stock's feed, as its issuer. */
export async function pauseOracle(
  chain: Chain,
  world: World,
  symbol: string,
  paused: boolean,
): Promise<void> {
  const target = stockOf(world, symbol)
  await operate(chain, world, [
    { contract: 'StockToken', target, functionName: 'setOraclePaused', args: [paused] },
  ])
}

/** Blocks a holder, pool, router or spender from all stocks: there is one list. */
export async function blockWallet(
  chain: Chain,
  world: World,
  wallet: Address,
  blocked: boolean,
): Promise<void> {
  const act = { contract: 'AccessControlsRegistry', target: beaconOf(world) }
  await operate(chain, world, [{ ...act, functionName: 'setBlocked', args: [wallet, blocked] }])
}

/** Announces shares per token, effective this many seconds after the newest block; returns that time. */
export async function announceMultiplier(
  chain: Chain,
  world: World,
  symbol: string,
  change: { multiplier: number; in_s: number },
): Promise<number> {
  const effectiveAt = chain.head().timestampS + BigInt(Math.trunc(change.in_s))
  const args = [microUsd(change.multiplier) * 10n ** 12n, effectiveAt]
  const target = stockOf(world, symbol)
  await operate(chain, world, [{ contract: 'StockToken', target, functionName: 'setUIMultiplier', args }])
  return Number(effectiveAt)
}

/** Swaps the code behind an upgradeable token; returns the code now in use. */
export async function upgradeToken(chain: Chain, world: World, token: Address): Promise<Address> {
  const { first, second } = world.upgradeable
  const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
  const held = await chain.request<Hex>('eth_getStorageAt', [token, slot, 'latest'])
  const next = BigInt(held) === BigInt(first) ? second : first
  await operate(chain, world, [
    { contract: 'UpgradeableProxy', target: token, functionName: 'upgradeTo', args: [next] },
  ])
  return next
}

export interface LaunchWish {
  launchpad: LaunchpadKind
  pair: PonsPair
  symbol: string
  creatorTaxBps?: number
  /** Wallets exempt from the snipe tax; second launchpad only. */
  exempt?: readonly Address[]
  /** Duration of its snipe tax, instead of three seconds. */
  snipeSeconds?: number
}

/** A fresh curve whose snipe tax is running. */
export const launch = (
  chain: Chain,
  world: World,
  wish: LaunchWish,
): Promise<{ curve: Address; token: Address }> =>
  wish.launchpad === 'pons' ? launchPons(chain, world, wish) : launchPit(chain, world, wish)

async function launchPons(
  chain: Chain,
  world: World,
  { pair, symbol, creatorTaxBps = 100, exempt = [], snipeSeconds = PONS_SNIPE_S }: LaunchWish,
): Promise<{ curve: Address; token: Address }> {
  const { factory: target } = world.pons
  const creatorFeeRecipient = world.accounts[9]!
  const params = { name: symbol, symbol, creatorFeeRecipient, creatorTaxBps, buybackEnabled: true }
  const lasts = (seconds: number): OperatorAct => ({
    contract: 'PonsFactory',
    target,
    functionName: 'setSnipeTaxSeconds',
    args: [BigInt(seconds)],
  })
  const { logs } = await operate(chain, world, [
    lasts(snipeSeconds),
    {
      contract: 'PonsFactory',
      target,
      functionName: 'launchToken',
      args: [params, 0n, pairOf(world, pair), exempt],
    },
    lasts(PONS_SNIPE_S),
  ])
  return launchIn(logs, target, 'pons')
}

function pairOf(world: World, pair: PonsPair): Address {
  if (pair === 'ETH') return zeroAddress
  return world.profile.core_tokens.find((token) => token.symbol === pair)!.address as Address
}

function launchIn(logs: Receipt['logs'], factory: Address, kind: LaunchpadKind) {
  const { launchedTopic, launchIn: read } = launchpadOf(kind)
  const isLaunch = ({ address, topics }: Receipt['logs'][number]) =>
    address.toLowerCase() === factory.toLowerCase() && topics[0] === launchedTopic
  const log = logs.find(isLaunch)
  if (!log) throw new Error('the launchpad logged no launch')
  const { curve, token } = read(log)
  return { curve: getAddress(curve), token: getAddress(token) }
}

async function launchPit(
  chain: Chain,
  world: World,
  wish: LaunchWish,
): Promise<{ curve: Address; token: Address }> {
  const isEth = wish.pair === 'ETH'
  const args = {
    name: wish.symbol,
    symbol: wish.symbol,
    pair: pairOf(world, wish.pair),
    creator: world.accounts[9]!,
    virtualPair: isEth ? VIRTUAL_PAIR.eth : VIRTUAL_PAIR.usdg,
    creatorTaxBps: wish.creatorTaxBps ?? 100,
    ...SNIPE,
    poolVersion: 3,
  }
  const target = world.launchpad.launchpad
  const { logs } = await operate(chain, world, [
    { contract: 'Launchpad', target, functionName: 'launch', args: [args] },
  ])
  return launchIn(logs, target, 'pit')
}

const stockOf = (world: World, symbol: string): Address => {
  const stock = world.stocks[symbol]
  if (!stock) throw new Error(`no stock ${symbol}; there are ${Object.keys(world.stocks).join(', ')}`)
  return stock
}

const beaconOf = (world: World): Address => world.profile.stocks.beacon as Address

/** In millionths. */
const microUsd = (price: number): bigint => BigInt(Math.round(price * 1_000_000))

async function lastAnswer(chain: Chain, feed: Address): Promise<bigint> {
  const LATEST_ROUND_DATA = '0xfeaf968c'
  const words = await chain.request<Hex>('eth_call', [{ to: feed, data: LATEST_ROUND_DATA }, 'latest'])
  return BigInt(`0x${words.slice(66, 130)}`)
}
