import { type Address, type Hex, type HopPath, NATIVE } from '@pit/chain'
import { atomsDown, markPrice } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import { type OwnPrice, POOL_BAND_BPS } from '../verify/approvals.ts'
import { askCurves, curvesIn, quoteCurve } from './curves.ts'
import { type Asked, askHop } from './impact.ts'
import { askMarks } from './marks.ts'
import { type Rpc, RpcFailure } from './rpc.ts'

/** What a trade of this size pays is the price: small, so that thin pools show theirs. */
const PROBE_MICRO_USD = 1_000_000n
const V3_FEES = [100, 500, 3_000, 10_000]
const V4_SPACINGS: readonly [fee: number, tickSpacing: number][] = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
]

/** A token's price by the client's own node: its mark, else what its pools or its curve sell it for. */
export async function readPrice(
  rpc: Rpc,
  pins: Pins,
  token: Address,
  nowMs: number,
  signal?: AbortSignal,
): Promise<OwnPrice | null> {
  const payers = [
    NATIVE,
    pins.weth,
    ...[...pins.tokens].flatMap(([at, { core }]) => (core === 'USDG' ? [at] : [])),
  ]
  const asked = askMarks(pins, [token, ...payers], nowMs)
  const [answer, ...launched] = await rpc.all([asked.call, ...askCurves(pins, token)], signal)
  if (answer instanceof RpcFailure) return null
  const marks = asked.read(answer as Hex)
  const own = marks.get(token)
  if (own) return markPrice(own.priceE18, own.decimals)
  const probes = payers.flatMap((payer) => {
    const mark = marks.get(payer)
    const paid = mark ? atomsDown(PROBE_MICRO_USD, markPrice(mark.priceE18, mark.decimals)) : 0n
    return paid > 0n ? hopsOf(pins, payer, token).map((hop) => askHop(pins, hop, paid)) : []
  })
  const ether = marks.get(NATIVE)
  // Only curves against ETH are asked for: a session trades on no other.
  const paid = ether ? atomsDown(PROBE_MICRO_USD, markPrice(ether.priceE18, ether.decimals)) : 0n
  const [fromPools, ...fromCurves] = await Promise.all([
    bestOf(rpc, probes, signal),
    ...(paid > 0n ? curvesIn(pins, launched) : []).map((curve) =>
      quoteCurve(rpc, curve, { side: 'buy', amounts: [paid] }, signal)
        .then(([out]) => out!)
        .catch(refusedAsNothing),
    ),
  ])
  const outs = [fromPools, ...fromCurves].reduce((best, out) => (out > best ? out : best))
  return outs === 0n ? null : { num: PROBE_MICRO_USD, den: outs, bandBps: POOL_BAND_BPS }
}

function refusedAsNothing(error: unknown): bigint {
  if (error instanceof RpcFailure) return 0n
  throw error
}

async function bestOf(rpc: Rpc, probes: readonly Asked[], signal?: AbortSignal): Promise<bigint> {
  const answers = await rpc.all(
    probes.map(({ call }) => call),
    signal,
  )
  return answers.reduce<bigint>((best, answer, i) => {
    if (answer instanceof RpcFailure || answer === '0x') return best
    const out = probes[i]!.read(answer as Hex)
    return out > best ? out : best
  }, 0n)
}

/** The pools of usual fees between two tokens; v4 without hooks, which alone holds ether itself. */
function hopsOf({ weth }: Pins, tokenIn: Address, tokenOut: Address): HopPath[] {
  const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const v4 = V4_SPACINGS.map(
    ([fee, tickSpacing]): HopPath => ({
      version: 'v4',
      tokenIn,
      tokenOut,
      key: { currency0, currency1, fee, tickSpacing, hooks: NATIVE },
    }),
  )
  if (tokenIn === NATIVE) return v4
  const older: HopPath[] = [
    { version: 'v2', tokenIn, tokenOut },
    ...V3_FEES.map((feePips): HopPath => ({ version: 'v3', tokenIn, tokenOut, feePips })),
  ]
  return tokenIn === weth ? older : [...older, ...v4]
}
