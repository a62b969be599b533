import { ChainProfile, type CoreToken, checkWith } from '@pit/protocol'
import { type Address, getAddress, zeroAddress } from 'viem'
import { PLATFORM_AGENT_ID, type Registries } from './agents.ts'
import { delegationAddresses, MULTICALL3, PERMIT2 } from './canonical.ts'
import type { CorePins } from './corePools.ts'
import { type Assets, type CoreSymbol, STOCKS } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import type { WorldFeed } from './feeds.ts'
import { MARKET_HOLIDAYS } from './holidays.ts'
import type { Hooks } from './hooks.ts'
import { DEVNET_NUMBERS } from './profileNumbers.ts'

/** Fixed addresses that only receive. */
const FEE_RECIPIENT: Address = getAddress('0xfee0000000000000000000000000000000004663')
export const TREASURY_BUCKETS = {
  operations: getAddress('0x7e00000000000000000000000000000000000001'),
  buybacks: getAddress('0x7e00000000000000000000000000000000000002'),
  treasury: getAddress('0x7e00000000000000000000000000000000000003'),
}

export interface ProfileParts {
  assets: Assets
  feeds: Record<string, WorldFeed>
  exchanges: Exchanges
  hooks: Hooks
  pins: CorePins
  launchpads: ChainProfile['launchpads']
  registries: Registries
  stock_beacon: Address
}

const NAMES: Partial<Record<CoreSymbol, string>> = {
  ETH: 'Ether',
  WETH: 'Wrapped Ether',
  USDG: 'Global Dollar',
  cbBTC: 'Coinbase Wrapped BTC',
  PARTNER: 'Partner',
}
const CORE_ORDER = ['ETH', 'WETH', 'USDG', 'cbBTC', 'PARTNER', 'NVDA', 'SPY'] as const satisfies CoreSymbol[]

/** The devnet's profile, checked against the schema before anyone reads it. */
export function buildProfile(parts: ProfileParts): ChainProfile {
  const { delegation_manager, stateless_delegator, enforcers } = delegationAddresses()
  const { weth, universal_router, ...exchanges } = parts.exchanges
  const profile: ChainProfile = {
    name: 'devnet',
    chain_id: 4663,
    kind: 'devnet',
    rpc_urls: [],
    ws_url: null,
    sequencer_url: null,
    explorer_tx: 'http://127.0.0.1:8545/tx/',
    first_block: 0,
    notes: [
      'A local chain: its state may be reset at any time and its tokens have no value.',
      'Stock feeds price one token, multiplier included.',
    ],
    sources: {},
    ...DEVNET_NUMBERS,
    contracts: {
      weth,
      permit2: PERMIT2,
      multicall3: MULTICALL3,
      universal_router,
      universal_router_layout: '2.1.0',
      ...exchanges,
    },
    launchpads: parts.launchpads,
    stocks: { issuer: 'robinhood', beacon: parts.stock_beacon },
    agent_registry: { kind: 'pit', address: parts.registries.pit },
    market_holidays: MARKET_HOLIDAYS,
    delegation: { version: '1.3.0', delegation_manager, stateless_delegator, enforcers },
    core_tokens: CORE_ORDER.map((symbol) => coreToken(parts, symbol)),
    listed_stocks: STOCKS.filter((stock) => !stock.core).map(({ symbol }) => ({
      symbol,
      address: parts.assets[symbol].address,
      decimals: 18,
      feed: parts.feeds[symbol] ?? null,
    })),
    pins: parts.pins,
    known_hooks: [
      { address: parts.hooks.counting, name: 'CountingHook', changes_amounts: false },
      { address: parts.hooks.dynamicFee, name: 'DynamicFeeHook', changes_amounts: false },
      { address: parts.hooks.taking, name: 'TakingHook', changes_amounts: true },
      { address: parts.hooks.pons, name: 'PonsHook', changes_amounts: true },
    ],
    fee_recipient: FEE_RECIPIENT,
    treasury_buckets: TREASURY_BUCKETS,
    cosigner: null,
    vendors: { audit: null, gateway: null, aggregators: {} },
    league: { first_season: null, platform_agent_id: PLATFORM_AGENT_ID },
  }
  const checked = checkWith(ChainProfile, profile)
  if (!checked.ok) throw new Error(`the devnet's profile is wrong at ${checked.field}: ${checked.message}`)
  return profile
}

function coreToken({ assets, feeds }: ProfileParts, symbol: (typeof CORE_ORDER)[number]): CoreToken {
  const { address, decimals } = assets[symbol]
  const stock = STOCKS.find((row) => row.symbol === symbol)
  return {
    symbol,
    name: NAMES[symbol] ?? stock?.name ?? symbol,
    address,
    decimals,
    kind: address === zeroAddress ? 'native' : stock ? 'stock' : 'core',
    native: address === zeroAddress,
    feed: feeds[symbol === 'WETH' ? 'ETH' : symbol] ?? null,
  }
}
