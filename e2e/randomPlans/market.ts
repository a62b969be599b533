import type { Hex } from '@pit/chain'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from '../devnetProcess.ts'
import { type Answered, balanceOf, openTrader, receiptOf, type Trader } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

export type CoinKind = 'core' | 'stock' | 'tail' | 'taxed' | 'curve'

/** A tradable asset, and its facts that do not come from the service. */
export interface Coin {
  kind: CoinKind
  symbol: string
  address: Hex
  decimals: number
  /** Dollars for one, by the devnet's prices; undefined if only its pools have a price. */
  usd?: number
  /** Symbol, for core assets. */
  core: boolean
  /** A stock token needs its owner's attestation. */
  stock: boolean
  /** Curve and only counter-token of a token on a launchpad. */
  curve?: { address: Hex; pair: string }
  /** Tax per transfer, in basis points. */
  transferTaxBps: number
  /** Balances are rounded by the token. */
  rebases: boolean
  /** Its pool's hook allows trades against ETH only, and no route through another pool. */
  directOnly: boolean
}

export interface Wallet extends Trader {
  delegated: boolean
  /** Assets bought, with their approximate remaining dollars: sales are drawn from here. */
  held: Map<Hex, { coin: Coin; usd: number }>
}

export interface RandomMarket {
  world: TradingWorld
  coins: readonly Coin[]
  wallets: readonly Wallet[]
  recipient: Hex
  auditUrl: string
  /** Whether other accounts trade too. */
  crowd: boolean
}

const ETH: Hex = '0x0000000000000000000000000000000000000000'
/** Approximate price of assets without a feed. */
const CORE_USD: Record<string, number> = { USDG: 1, PARTNER: 0.8 }
/** Specimens that tax transfers, or compute balances their own way. */
const TAXED = ['fee_on_transfer', 'buy_taxed', 'sell_taxed', 'rebasing'] as const
/** Faulty in other ways, but tradable for an owner who accepts that. */
const ODD = [
  'good',
  'pausable',
  'blacklist',
  'mintable',
  'unknown_hook',
  'bytes32_symbol',
  'reverting_decimals',
  'impersonator',
  'upgradeable',
] as const

interface Info {
  long_tail: {
    address: Hex
    symbol: string
    pairs: string[]
    depth_usd: number
    curve?: Hex
    graduated?: boolean
  }[]
  gallery: Record<string, { address: Hex; symbol: string }>
  vendors: { url: string }
  accounts: { address: Hex; private_key: Hex }[]
}

/** The devnet's wallets signed in, two of them delegated, and everything they may trade. */
export async function openRandomMarket(world: TradingWorld): Promise<RandomMarket> {
  const info = await world.devnet.rpc<Info>('devnet_info')
  const coins = await coinsOf(world, info)
  const wallets: Wallet[] = []
  for (const account of [1, 2, 3, 4, 5, 6]) {
    const delegated = account >= 5
    if (delegated) await delegate(world, info.accounts[account]!.private_key)
    wallets.push({
      ...(await openTrader(world.server.url, { account })),
      delegated,
      held: heldAtFirst(coins),
    })
  }
  return {
    world,
    wallets,
    coins,
    recipient: world.profile.fee_recipient!.toLowerCase() as Hex,
    auditUrl: `${info.vendors.url}/audit/v1/tokens/4663`,
    crowd: false,
  }
}

/** The devnet gives every account some of the core stocks. */
const heldAtFirst = (coins: readonly Coin[]): Wallet['held'] =>
  new Map(
    coins.filter((coin) => coin.core && coin.stock).map((coin) => [coin.address, { coin, usd: 50_000 }]),
  )

async function coinsOf({ profile, devnet }: TradingWorld, info: Info): Promise<Coin[]> {
  const plain = {
    core: false,
    stock: false,
    transferTaxBps: 0,
    rebases: false,
    directOnly: false,
    decimals: 18,
  }
  const coins: Coin[] = []
  for (const { symbol, address, decimals, kind, feed } of profile.core_tokens) {
    const usd = feed ? await feedUsd(devnet, feed.address) : CORE_USD[symbol]!
    const stock = kind === 'stock'
    const at = { symbol, address: lower(address), decimals, usd, stock }
    coins.push({ ...plain, ...at, kind: stock ? 'stock' : 'core', core: true })
  }
  for (const { symbol, address, decimals, feed } of profile.listed_stocks) {
    // Without a feed it has no price and does not trade.
    if (feed === null) continue
    const at = { symbol, address: lower(address), decimals, usd: await feedUsd(devnet, feed.address) }
    coins.push({ ...plain, ...at, kind: 'stock', stock: true })
  }
  const tail = info.long_tail.map(({ symbol, address, curve, graduated, pairs }): Coin => {
    const onCurve = curve && !graduated ? { address: lower(curve), pair: pairs[0]! } : undefined
    return {
      ...plain,
      kind: onCurve ? 'curve' : 'tail',
      symbol,
      address: lower(address),
      ...(onCurve && { curve: onCurve }),
    }
  })
  const specimen = (name: string): Coin => {
    const { address, symbol } = info.gallery[name]!
    return {
      ...plain,
      kind: 'taxed',
      symbol,
      address: lower(address),
      transferTaxBps: name === 'fee_on_transfer' ? 300 : 0,
      rebases: name === 'rebasing',
      directOnly: name === 'unknown_hook',
    }
  }
  const odd = ODD.map((name): Coin => ({ ...specimen(name), kind: 'tail' }))
  return [...coins, ...tail, ...odd, ...TAXED.map(specimen)]
}

const LATEST_ROUND = '0xfeaf968c'

/** A feed's price in dollars: its second word, with eight decimals. */
async function feedUsd(devnet: DevnetProcess, feed: string): Promise<number> {
  const answer = await devnet.rpc<Hex>('eth_call', [{ to: feed, data: LATEST_ROUND }, 'latest'])
  return Number(BigInt(`0x${answer.slice(66, 130)}`)) / 1e8
}

/** Delegates the wallet, so that a curve's fee and trade are one transaction. */
export async function delegate({ devnet, profile }: TradingWorld, privateKey: Hex): Promise<void> {
  const account = privateKeyToAccount(privateKey)
  const nonce = Number(await devnet.rpc<Hex>('eth_getTransactionCount', [account.address, 'latest']))
  const contractAddress = profile.delegation.stateless_delegator as Hex
  const raw = await account.signTransaction({
    type: 'eip7702',
    chainId: 4663,
    nonce,
    to: account.address,
    gas: 200_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 0n,
    authorizationList: [
      await account.signAuthorization({ contractAddress, chainId: 4663, nonce: nonce + 1 }),
    ],
  })
  await receiptOf(devnet, await devnet.rpc<Hex>('eth_sendRawTransaction', [raw]))
}

export const lower = (address: string): Hex => address.toLowerCase() as Hex
export const isEth = (address: Hex): boolean => address === ETH

export const holds = ({ world }: RandomMarket, wallet: Wallet, coin: Coin): Promise<bigint> =>
  balanceOf(world.devnet, coin.address, wallet.wallet)

export const codeOf = ({ body }: Answered<object>): string => body.error?.code ?? 'none'
