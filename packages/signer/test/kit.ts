import {
  type Address,
  type Crypto,
  createCrypto,
  curveRoots,
  type Delegation,
  type Hex,
  type HopPath,
  NATIVE,
  readRoot,
  sessionRoot,
  signDelegation,
} from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import {
  type BindingMark,
  bindingHash,
  boundControls,
  type ChainProfile,
  createBinding,
  feeOf,
  type LaunchpadKind,
  type SessionBinding,
  type SessionBindingV3,
} from '@pit/protocol'
import { keccak256, numberToHex, stringToHex } from 'viem'
import type { StoredRoot } from '../src/ledger/types.ts'
import { type Pins, pinsOf } from '../src/pins.ts'
import type { OwnPrice } from '../src/prices/followPrices.ts'
import { reviveSession, type Session } from '../src/roots/readRoots.ts'

/** Constants for tests without chain or store; the keys of all roles are fixed. */

export const NOW_S = 1_768_478_400
export const E18 = 10n ** 18n
export const crypto: Crypto = await createCrypto()

const at = (n: number): Address => numberToHex(n, { size: 20 })
export const USDG = at(0x5d)
export const WETH = at(0x3e)
export const PARTNER = at(0x9a)
export const JUNK = at(0x1a)
export const STOCK = at(0x57)
export const CURVE = at(0xc1)
export const ROUTER = at(0x4004)
export const FEE_RECIPIENT = at(0xfee)
export const STRANGER = at(0xbad)

export const keyOf = (role: string): Hex => keccak256(stringToHex(`signer test ${role}`))
export const KEYS = { wallet: keyOf('wallet'), executor: keyOf('executor'), cosigner: keyOf('co-signer') }
export const WHO = {
  wallet: crypto.addressOf(KEYS.wallet),
  executor: crypto.addressOf(KEYS.executor),
  cosigner: crypto.addressOf(KEYS.cosigner),
}

const feed = (n: number, session: 'always' | 'stock' = 'always') => ({
  address: at(n),
  decimals: 8,
  heartbeat_s: 3_600,
  deviation_bps: 50,
  session,
})
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
/** The part of a profile that the co-signer reads. */
export const PROFILE = {
  ...BARE_NUMBERS,
  name: 'kit',
  chain_id: 4663,
  kind: 'devnet',
  contracts: {
    weth: WETH,
    permit2: at(0x9e2),
    multicall3: at(0x3c),
    universal_router: ROUTER,
    universal_router_layout: '2.1.0',
  },
  launchpads: [
    { kind: 'pit', factory: at(0x1a0) },
    { kind: 'pons', factory: at(0x1a1) },
  ],
  delegation: {
    delegation_manager: at(0xdd01),
    stateless_delegator: at(0xdd02),
    enforcers: Object.fromEntries(ENFORCERS.map((name, i) => [`${name}Enforcer`, at(0xe000 + i)])),
  },
  core_tokens: [
    { symbol: 'ETH', address: NATIVE, decimals: 18, kind: 'native', native: true, feed: feed(0xf1) },
    { symbol: 'WETH', address: WETH, decimals: 18, kind: 'core', native: false, feed: null },
    { symbol: 'USDG', address: USDG, decimals: 6, kind: 'core', native: false, feed: null },
    { symbol: 'PARTNER', address: PARTNER, decimals: 18, kind: 'core', native: false, feed: null },
  ],
  stocks: { issuer: 'robinhood', beacon: at(0xbeac) },
  market_holidays: [],
  listed_stocks: [{ symbol: 'TSLA', address: STOCK, decimals: 18, feed: feed(0xf2, 'stock') }],
  pins: { partner_usdg: { version: 'v3', address: at(0x900), fee: 3000 } },
  known_hooks: [{ address: at(0x40), name: 'counting', changes_amounts: false }],
  fee_recipient: FEE_RECIPIENT,
  cosigner: null,
} as unknown as ChainProfile
export const PINS: Pins = pinsOf(PROFILE, WHO.cosigner)

export const ETH_PRICE = 2_500n * E18
const PRICES: Record<Address, bigint> = {
  [NATIVE]: ETH_PRICE,
  [WETH]: ETH_PRICE,
  [USDG]: E18,
  [PARTNER]: E18 / 2n,
  [STOCK]: 200n * E18,
}
export const ownPrice = (token: Address): OwnPrice =>
  PRICES[token] === undefined
    ? { kind: 'feedless' }
    : { kind: 'fresh', priceE18: PRICES[token], by: token === PARTNER ? 'mean' : 'feed' }

/** A tenth of a cent a token. */
export const JUNK_MARK: BindingMark = { token: JUNK, decimals: 18, price_e18: (E18 / 1_000n).toString() }
export const LIMITS = { max_trade_micro_usd: 25_000_000, max_day_micro_usd: 100_000_000, max_trades: 50 }
/** 25 and 100 dollars of ETH. */
export const CAPS = { tradeWei: E18 / 100n, dayWei: E18 / 25n }

let granted = 0
export const freshNonce = (): Hex => keccak256(stringToHex(`nonce ${granted++}`))

export function makeBinding(
  change: Partial<Omit<SessionBindingV3, 'marks'>> & { marks?: BindingMark[] } = {},
): SessionBindingV3 {
  const made = createBinding({
    ...WHO,
    router: ROUTER,
    tokens: [NATIVE, USDG],
    limits: LIMITS,
    expires_at: NOW_S + 3_600,
    feeRecipient: FEE_RECIPIENT,
    risk: { accept_risks: [], shield: false, policies: [] },
    nonce: freshNonce(),
  })
  return { ...made, ...change }
}

export interface Granted {
  binding: SessionBinding
  root: Delegation
  curveRoots: Delegation[]
}

/** A session as its owner signs it. */
export function grant(
  binding: SessionBinding = makeBinding(),
  {
    caps = CAPS,
    curves = [] as Address[],
    launchpads = ['pit'] as readonly LaunchpadKind[],
    signer = KEYS.wallet,
    nowS = NOW_S,
    nonce = 7n,
  }: {
    caps?: { dayWei: bigint; tradeWei: bigint }
    curves?: Address[]
    launchpads?: readonly LaunchpadKind[]
    signer?: Hex
    nowS?: number
    /** The wallet's at the NonceEnforcer; only a session with controls has it. */
    nonce?: bigint
  } = {},
): Granted {
  const request = {
    binding,
    bindingHash: bindingHash(crypto.keccakText, binding),
    eth: binding.tokens.includes(NATIVE) ? caps : null,
    nonce: boundControls(binding) ? nonce : null,
    nowS,
  }
  const sign = (delegation: Delegation) => signDelegation(crypto, PINS.addresses, delegation, signer)
  const pair = curves.length > 0 ? curveRoots(PINS.addresses, { ...request, curves, launchpads }) : null
  return {
    binding,
    root: sign(sessionRoot(PINS.addresses, request)),
    curveRoots: pair ? [sign(pair.curve), sign(pair.fee)] : [],
  }
}

export function storedOf({ binding, root, curveRoots: pair }: Granted, curveTokens = {}): StoredRoot {
  const hash = readRoot(crypto, PINS.addresses, root)!.hash
  return { hash, sessionId: `session-${hash.slice(2, 10)}`, binding, root, curveRoots: pair, curveTokens }
}

export const sessionOf = (signedGrant: Granted, curveTokens = {}): Session =>
  reviveSession(crypto, PINS, storedOf(signedGrant, curveTokens))

/** A pool of version 3 has WETH where a trade has ETH. */
const hopOf = (tokenIn: Address, tokenOut: Address): HopPath => ({
  version: 'v3',
  tokenIn: tokenIn === NATIVE ? WETH : tokenIn,
  tokenOut: tokenOut === NATIVE ? WETH : tokenOut,
  feePips: 500,
})

/** An honest router call. */
export function swapPath({
  tokenIn = NATIVE,
  tokenOut = USDG,
  amountIn = CAPS.tradeWei,
  amountOutMin = 24_500_000n,
  bps = 25,
  side = 'input',
  ...more
}: Partial<SwapPath> & { bps?: number; side?: 'input' | 'output' } = {}): SwapPath {
  const swapped = side === 'input' ? amountIn - feeOf(amountIn, bps) : amountIn
  return {
    tokenIn,
    tokenOut,
    amountIn,
    legs: [{ hops: [hopOf(tokenIn, tokenOut)], amountIn: swapped }],
    amountOutMin,
    direct: true,
    fee: { bps, side, recipient: FEE_RECIPIENT },
    deadlineS: BigInt(NOW_S + 120),
    weth: WETH,
    ...more,
  }
}

export function swapCall(path: Parameters<typeof swapPath>[0] = {}) {
  const { data, valueWei } = encodeSwap(swapPath(path))
  return { target: ROUTER, valueWei, data }
}
