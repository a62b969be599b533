import { RISK_CODES, SHIELD_POLICY_NAMES, TRADE } from '@pit/protocol'
import type { Random } from '../fuzz/random.ts'
import { type Coin, type CoinKind, holds, isEth, type RandomMarket, type Wallet } from './market.ts'

/** A random plan request, of every shape the service accepts. */
export interface Ask {
  kind: CoinKind
  tokenIn: Coin
  tokenOut: Coin
  /** Approximate value. */
  usd: number
  /** Approximate share of the holding. */
  share: number
  body: Record<string, unknown>
  path: 'live/prepare' | 'live/build'
  /** The request's own minimum, relative to the first answer's expectation. */
  floor: 'none' | 'under' | 'exact' | 'over'
  /** Uses a route of a quote, not necessarily the best. */
  otherRoute: boolean
}

const KINDS: readonly CoinKind[] = [
  'core',
  'core',
  'core',
  'stock',
  'stock',
  'tail',
  'tail',
  'taxed',
  'curve',
]
const PAYING = ['ETH', 'USDG', 'ETH', 'USDG', 'WETH', 'cbBTC', 'PARTNER']
/** One in this many requests must be refused. */
const SPOILED_OF = 16

export async function drawRequest(random: Random, market: RandomMarket, wallet: Wallet): Promise<Ask> {
  const kind = random.pick(KINDS)
  const pair = drawPair(random, market, wallet, kind)
  const { tokenIn, tokenOut, mostUsd } = pair
  // Small sizes are as frequent as large ones.
  const usd = Math.min(10 ** (random.next() * 4), mostUsd, 9_990)
  const share = Math.min(1, usd / mostUsd)
  const size = await drawSize(random, market, wallet, { ...pair, usd, share })
  const request: Ask = {
    kind,
    tokenIn,
    tokenOut,
    usd,
    share,
    body: {
      wallet: wallet.wallet,
      token_in: nameOf(random, tokenIn),
      token_out: nameOf(random, tokenOut),
      ...size,
      ...drawTerms(random, { tokenIn, tokenOut, usd }),
      ...drawApproval(random),
      ...drawCurveFee(random, wallet, kind),
    },
    path: random.chance(0.15) ? 'live/build' : 'live/prepare',
    floor: random.chance(0.2) ? random.pick(['under', 'under', 'exact'] as const) : 'none',
    otherRoute: kind !== 'curve' && random.chance(0.1),
  }
  if (random.below(SPOILED_OF) === 0) spoil(random, request, wallet)
  return request
}

/** An asset of the kind on one side, a payment token on the other. */
function drawPair(random: Random, { coins }: RandomMarket, wallet: Wallet, kind: CoinKind) {
  const named = (symbol: string) => coins.find((coin) => coin.core && coin.symbol === symbol)!
  const ofKind = coins.filter((coin) => coin.kind === kind)
  const sellable = [...wallet.held.values()].filter(({ coin, usd }) => coin.kind === kind && usd > 2)
  if (kind !== 'core' && sellable.length > 0 && random.chance(0.5)) {
    const { coin, usd } = random.pick(sellable)
    const tokenOut = coin.curve ? named(coin.curve.pair) : draw(random, coins, coin, named)
    return { tokenIn: coin, tokenOut, mostUsd: usd }
  }
  const tokenOut = random.pick(ofKind)
  const tokenIn = tokenOut.curve
    ? named(tokenOut.curve.pair)
    : random.pick(PAYING.map(named).filter((one) => one !== tokenOut && !areEther(one, tokenOut)))
  return { tokenIn, tokenOut, mostUsd: 10_000 }
}

/** They convert one to one, without a pool. */
const areEther = (a: Coin, b: Coin): boolean =>
  [a, b].every(({ symbol, core }) => core && /^W?ETH$/.test(symbol))

/** Mostly payment tokens; sometimes any other, so that neither side is core. */
function draw(random: Random, coins: readonly Coin[], except: Coin, named: (symbol: string) => Coin): Coin {
  if (random.chance(0.85)) return named(random.pick(PAYING))
  return random.pick(coins.filter((coin) => coin !== except && !coin.curve))
}

async function drawSize(
  random: Random,
  market: RandomMarket,
  wallet: Wallet,
  { tokenIn, usd, share }: { tokenIn: Coin; usd: number; share: number },
): Promise<{ notional_usd: number } | { amount_in: string }> {
  const dollars = { notional_usd: Math.round(usd * 1e6) / 1e6 }
  if (tokenIn.usd === undefined) {
    // The dollar value of an unpriced token may exceed the holding: those sizes are smaller.
    if (random.chance(0.3)) return { notional_usd: Math.max(1, Math.round(usd * 0.6e6) / 1e6) }
    const held = await holds(market, wallet, tokenIn)
    const part = share > 0.97 ? held : (held * BigInt(Math.ceil(share * 1e6))) / 1_000_000n
    return part > 0n ? { amount_in: part.toString() } : dollars
  }
  if (random.chance(0.5)) return dollars
  const atoms = BigInt(Math.round((usd / tokenIn.usd) * 1e9)) * 10n ** BigInt(tokenIn.decimals)
  // Odd amounts, so that rounding affects every digit.
  const odd = BigInt(random.below(1_000))
  return { amount_in: (atoms / 1_000_000_000n + odd).toString() }
}

function drawTerms(
  random: Random,
  { tokenIn, tokenOut, usd }: Pick<Ask, 'tokenIn' | 'tokenOut' | 'usd'>,
): Record<string, unknown> {
  const shield = random.chance(0.2)
  return {
    accept_risks: random.chance(0.9) ? RISK_CODES : [],
    ...(shield && { shield }),
    ...(shield && random.chance(0.3) && { policies: [random.pick(SHIELD_POLICY_NAMES)] }),
    ...(random.chance(0.5) && { slippage_bps: drawSlippage(random, usd) }),
    ...((tokenIn.stock || tokenOut.stock) && { owner_attests_non_us: true }),
    ...(random.chance(0.2) && { fund: random.pick(['auto', true, false]) }),
    ...(random.chance(0.1) && { max_fee_bps: 60 }),
    ...(random.chance(0.1) && { venues: ['venue_curve', 'venue_pool'] }),
  }
}

/** Within the stricter class's cap for the next larger size, so that it never exceeds its own. */
function drawSlippage(random: Random, usd: number): number {
  const rows = TRADE.slippageToleranceBySize
  const row = rows.find(({ up_to_usd }) => usd * 1.5 <= up_to_usd) ?? rows[rows.length - 1]!
  return random.below(row.major.cap_bps + 1)
}

function drawApproval(random: Random): Record<string, unknown> {
  const mode = random.pick(['budget', 'budget', 'exact', 'unlimited'])
  return {
    approval_mode: mode,
    ...(mode === 'unlimited' && { allow_unlimited_approval: true }),
    ...(mode === 'budget' && random.chance(0.7) && { approval_budget_usd: 1 + random.below(10_000) }),
    permit_mode: random.pick(['signature', 'signature', 'transaction']),
    permit_scope: random.pick(['trade', '30d']),
  }
}

function drawCurveFee(random: Random, { delegated }: Wallet, kind: CoinKind): Record<string, unknown> {
  if (kind !== 'curve') return random.chance(0.05) ? { curve_fee_mode: 'two_step' } : {}
  return { curve_fee_mode: random.pick(delegated ? ['auto', 'batch', 'two_step'] : ['auto', 'two_step']) }
}

/** A request that must be refused. */
function spoil(random: Random, request: Ask, { delegated }: Wallet): void {
  const { body, kind, tokenIn, tokenOut } = request
  const ways: (() => void)[] = [
    () => Object.assign(body, { approval_mode: 'unlimited', allow_unlimited_approval: false }),
    () =>
      Object.assign(body, { approval_mode: 'budget', approval_budget_usd: random.pick([0, 10_001, 1e9]) }),
    () => Object.assign(body, { max_fee_bps: random.below(10) }),
    () => Object.assign(body, { slippage_bps: 1_001 + random.below(5_000) }),
    () => {
      request.floor = 'over'
    },
    () => {
      delete body['amount_in']
      Object.assign(body, { notional_usd: random.pick([0.5, 0.999999, 10_000.000001, 1e6]) })
    },
  ]
  if (tokenIn.stock || tokenOut.stock) ways.push(() => delete body['owner_attests_non_us'])
  if (kind === 'curve' && !delegated) ways.push(() => Object.assign(body, { curve_fee_mode: 'batch' }))
  if (kind === 'curve') {
    const other = (tokenIn.curve ? tokenIn : tokenOut).curve!.pair === 'ETH' ? 'USDG' : 'ETH'
    ways.push(() => Object.assign(body, tokenIn.curve ? { token_out: other } : { token_in: other }))
  }
  random.pick(ways)()
}

function nameOf(random: Random, { core, symbol, address }: Coin): string {
  return core && (isEth(address) || random.chance(0.6)) ? symbol : address
}
