import { type Address, type Execution, type HopPath, type LegPath, NATIVE } from '@pit/chain'
import { encodeCurveTrade, encodeSwap, type SwapPath } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import type { Random } from '../fuzz/random.ts'
import type { Granted, Token, World } from './world.ts'

/** A trade inside a session's bounds, of one of the shapes that plans have. */
export type Honest = { session: Granted; execution: Execution } & (
  | { kind: 'router'; path: SwapPath; tokenIn: Token; tokenOut: Token; bps: number }
  | { kind: 'curve'; feeWei: bigint; minimum: bigint }
)

const TIERS = [25, 20, 15, 10]
const OTHER_BPS = 50
const BPS = 10_000n
export const deadline = (): bigint => BigInt(Math.floor(Date.now() / 1000) + 120)

export function honestTrade(world: World, session: Granted): Honest {
  const { random } = world
  return random.chance(0.15) ? honestCurve(world, session) : honestSwap(world, session)
}

export function honestSwap(world: World, session: Granted): Honest & { kind: 'router' } {
  const { random, tokens, at } = world
  const all = [...tokens.values()].filter(({ address }) => address !== world.curve.token)
  const tokenIn = random.pick(all)
  const place = ({ address }: Token) => (address === at.weth ? NATIVE : address)
  const tokenOut = random.pick(all.filter((token) => place(token) !== place(tokenIn)))
  // One to nearly 200 dollars, in micro-dollars.
  const microUsd = BigInt(1_000_000 + random.below(195_000_000))
  const amountIn = atomsOf(tokenIn, microUsd)
  const isMajor = tokenIn.isMajor && tokenOut.isMajor
  const bps = isMajor ? random.pick(TIERS) : OTHER_BPS
  // From zero to the co-signer's upper bound.
  const tolerated = BigInt(random.below(bandBps(world, { tokenIn, tokenOut, microUsd }) - 10))
  const expected = atomsOf(tokenOut, microUsd)
  const amountOutMin = (expected * (BPS - tolerated - BigInt(bps))) / BPS
  const side = feeSide(tokenIn, tokenOut)
  const swapped = side === 'input' ? amountIn - feeOf(amountIn, bps) : amountIn
  const legs = legsOf(world, { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amount: swapped })
  const path: SwapPath = {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn,
    legs,
    amountOutMin: amountOutMin > 0n ? amountOutMin : 1n,
    // A v2 pool never pays the wallet directly: its minimum would count amounts from other calls.
    direct: legs.every(({ hops }) => hops.at(-1)?.version !== 'v2') && random.chance(0.5),
    fee: { bps, side, recipient: at.feeRecipient },
    deadlineS: deadline(),
    weth: at.weth,
  }
  const { data, valueWei } = encodeSwap(path)
  return {
    kind: 'router',
    session,
    path,
    tokenIn,
    tokenOut,
    bps,
    execution: { target: at.router, valueWei, data },
  }
}

interface Ends {
  tokenIn: Token
  tokenOut: Token
  microUsd: bigint
}
/** Size in dollars, and the maximum slippage of a major trade up to that size. */
const MAX_SLIPPAGE: readonly [bigint, number][] = [
  [100n, 200],
  [1_000n, 150],
  [10_000n, 100],
]

/** Maximum distance of a trade's minimum below its input's value, fee excluded; a deliberate second copy. */
export function bandBps({ at }: Pick<World, 'at'>, { tokenIn, tokenOut, microUsd }: Ends): number {
  const ends = [tokenIn, tokenOut]
  if (ends.some(({ isMajor }) => !isMajor)) return 2_000
  const differ = ends.some(({ address }) => address === at.symbol('PARTNER')) ? 300 : 100
  // Spending is rounded up: exactly at a bound the narrower row applies.
  const row = MAX_SLIPPAGE.find(([dollars]) => microUsd + 1_000n <= dollars * 1_000_000n)
  return Math.min((row?.[1] ?? 100) + differ, 500)
}

/** At least the fee's value of every token: an atom of cbBTC is nearly a tenth of a cent. */
const atomsOf = ({ priceE18, decimals }: Token, microUsd: bigint): bigint =>
  (microUsd * 10n ** BigInt(decimals + 12)) / priceE18

const feeSide = (tokenIn: Token, tokenOut: Token): 'input' | 'output' =>
  (tokenOut.rank ?? 99) < (tokenIn.rank ?? 99) ? 'output' : 'input'

function legsOf(world: World, request: { tokenIn: Address; tokenOut: Address; amount: bigint }): LegPath[] {
  const { random } = world
  const isSplit = random.chance(0.3) && request.amount > 10n
  const first = isSplit ? request.amount / 2n : request.amount
  const amounts = isSplit ? [first, request.amount - first] : [first]
  return amounts.map((amountIn) => ({ amountIn, hops: hopsOf(world, request) }))
}

/** Directly, or through an intermediate token; native ETH in a v4 pool, wrapped in others. */
function hopsOf(
  { random, at, junk }: World,
  { tokenIn, tokenOut }: { tokenIn: Address; tokenOut: Address },
): HopPath[] {
  const place = (token: Address) => (token === at.weth ? NATIVE : token)
  const between = [at.symbol('USDG'), at.weth, junk].filter(
    (token) => place(token) !== place(tokenIn) && place(token) !== place(tokenOut),
  )
  const stops = random.chance(0.4) && between.length > 0 ? [random.pick(between)] : []
  const tokens = [tokenIn, ...stops, tokenOut]
  return tokens.slice(1).map((to, i) => hopOf(tokens[i]!, to, { random, weth: at.weth }))
}

function hopOf(from: Address, to: Address, { random, weth }: { random: Random; weth: Address }): HopPath {
  const wrapped = (token: Address) => (token === NATIVE ? weth : token)
  const version = random.pick(['v2', 'v3', 'v4'] as const)
  if (version === 'v2') return { version, tokenIn: wrapped(from), tokenOut: wrapped(to) }
  if (version === 'v3')
    return { version, tokenIn: wrapped(from), tokenOut: wrapped(to), feePips: random.pick([100, 500, 3_000]) }
  const plain = (token: Address) => (token === weth ? NATIVE : token)
  const [tokenIn, tokenOut] = [plain(from), plain(to)]
  const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  return {
    version,
    tokenIn,
    tokenOut,
    key: { currency0, currency1, fee: 500, tickSpacing: 10, hooks: NATIVE },
  }
}

export function honestCurve(world: World, session: Granted): Honest & { kind: 'curve' } {
  const { random, tokens, curve } = world
  const recipient = session.binding.wallet
  const microUsd = BigInt(1_000_000 + random.below(150_000_000))
  const [wei, atoms] = [atomsOf(tokens.get(NATIVE)!, microUsd), atomsOf(tokens.get(curve.token)!, microUsd)]
  const tolerated = BigInt(random.below(900))
  const deadlineS = deadline()
  if (random.chance(0.5)) {
    const feeWei = feeOf(wei, OTHER_BPS)
    const minimum = (atoms * (BPS - tolerated - 50n)) / BPS
    const data = encodeCurveTrade({
      launchpad: 'pit',
      side: 'buy',
      amountIn: wei - feeWei,
      amountOutMin: minimum,
      recipient,
      deadlineS,
    })
    const execution = { target: curve.address, valueWei: wei - feeWei, data }
    return { kind: 'curve', session, feeWei, minimum, execution }
  }
  const minimum = (wei * (BPS - tolerated)) / BPS
  const feeWei = feeOf(wei, OTHER_BPS)
  const data = encodeCurveTrade({
    launchpad: 'pit',
    side: 'sell',
    amountIn: atoms,
    amountOutMin: minimum,
    recipient,
    deadlineS,
  })
  return { kind: 'curve', session, feeWei, minimum, execution: { target: curve.address, valueWei: 0n, data } }
}
