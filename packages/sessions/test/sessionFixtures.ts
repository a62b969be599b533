import { type Address, type CurvePool, createCrypto, type Hex, NATIVE } from '@pit/chain'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import type { ChainProfile } from '@pit/protocol'
import type { TradeToken } from '@pit/trading'
import {
  address,
  curveOf,
  ETH,
  MEME,
  PERMIT2,
  RECIPIENT,
  ROUTER,
  TRADE_ADDRESSES,
  USDG,
  WETH,
} from '@pit/trading/test/tradeFixtures'
import { keccak256, numberToHex, stringToHex } from 'viem'

/** Test parties, tokens and contracts of sessions. */

export const crypto = await createCrypto()
const keyOf = (name: string): Hex => keccak256(stringToHex(`session ${name}`))
export const KEYS = {
  owner: keyOf('owner'),
  executor: keyOf('executor'),
  stranger: keyOf('stranger'),
  cosigner: keyOf('co-signer'),
}
export type Role = keyof typeof KEYS
export const WHO = Object.fromEntries(
  Object.entries(KEYS).map(([role, key]) => [role, crypto.addressOf(key)]),
) as Record<Role, Address>

export const OTHER = address('4')
export const CURVE: CurvePool = curveOf()
const ENFORCERS = [
  'Redeemer',
  'AllowedTargets',
  'AllowedMethods',
  'Timestamp',
  'LimitedCalls',
  'NativeTokenPeriodTransfer',
  'ValueLte',
  'ExactExecution',
  'Id',
  'ExactCalldata',
  'NativeTokenPayment',
  'ArgsEqualityCheck',
  'Nonce',
]
const feed = {
  address: address('5'),
  decimals: 8,
  heartbeat_s: 3_600,
  deviation_bps: 50,
  session: 'always' as const,
}
const core = (symbol: string, at: Address, decimals: number, own: object) => ({
  symbol,
  name: symbol,
  address: at,
  decimals,
  kind: 'core',
  native: false,
  feed: null,
  ...own,
})
export const PROFILE = {
  ...BARE_NUMBERS,
  name: 'test',
  chain_id: 4663,
  contracts: {
    universal_router: ROUTER,
    universal_router_layout: '2.1.0',
    weth: WETH,
    permit2: PERMIT2,
    multicall3: address('6'),
  },
  delegation: {
    delegation_manager: `0x${'db'.repeat(20)}`,
    stateless_delegator: TRADE_ADDRESSES.delegator,
    enforcers: Object.fromEntries(
      ENFORCERS.map((name, i) => [`${name}Enforcer`, numberToHex(0xe0 + i, { size: 20 })]),
    ),
  },
  core_tokens: [
    core('ETH', NATIVE, 18, { kind: 'native', native: true, feed }),
    core('USDG', USDG.address, 6, {}),
    core('cbBTC', OTHER, 8, { feed }),
  ],
  stocks: { issuer: 'robinhood', beacon: null },
  market_holidays: [],
  listed_stocks: [],
  pins: { partner_usdg: null },
  fee_recipient: RECIPIENT,
  cosigner: null,
} as unknown as ChainProfile

export const TOKENS: Record<string, TradeToken> = { ETH, USDG, [MEME.address]: MEME }
/** Dollars per whole token. */
export const PRICES: Record<Address, number> = {
  [NATIVE]: 2_500,
  [USDG.address]: 1,
  [MEME.address]: 0.5,
  [OTHER]: 60_000,
}
