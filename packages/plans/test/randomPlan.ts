import { type Address, type Hex, NATIVE } from '@pit/chain'
import type { Random } from '@pit/chain/test/randomPool'
import { feeOf } from '@pit/protocol'
import type { PlanHop, SwapPlan } from '../src/plan.ts'

const WETH: Address = `0x${'ee'.repeat(20)}`
const address = (random: Random): Address => `0x${random.bits(160).toString(16).padStart(40, 'a')}`
const bytes = (random: Random, size: number): Hex =>
  `0x${random
    .bits(8 * size)
    .toString(16)
    .padStart(2 * size, '0')}`
const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!

/** One pool between two tokens; ether is ETH or WETH depending on the pool. */
function randomHop(random: Random, from: Address, to: Address): PlanHop {
  const version = pick(random, ['v2', 'v3', 'v4', 'v4'] as const)
  const form = (token: Address) => (token === WETH && version === 'v4' && random.below(2) ? NATIVE : token)
  const [tokenIn, tokenOut] = [form(from), form(to)]
  if (version === 'v2') return { version, pool: address(random), tokenIn, tokenOut }
  if (version === 'v3')
    return { version, pool: address(random), tokenIn, tokenOut, feePips: random.below(1 << 24) }
  const [currency0, currency1] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const hooks = random.below(3) ? NATIVE : address(random)
  const [fee, tickSpacing] = [pick(random, [100, 500, 3000, 0x800000]), 1 + random.below(200)]
  return {
    version,
    pool: bytes(random, 32),
    tokenIn,
    tokenOut,
    key: { currency0, currency1, fee, tickSpacing, hooks },
  }
}

/** A plan of any shape: ends, forms of ether, hops, legs, fee, permit, layout. */
export function randomPlan(random: Random): SwapPlan {
  const [a, b] = [address(random), address(random)]
  const [from, to] = pick(random, [
    [WETH, b],
    [a, WETH],
    [a, b],
  ] as const)
  const form = (token: Address) => (token === WETH && random.below(2) ? NATIVE : token)
  const [tokenIn, tokenOut] = [form(from), form(to)]
  const hubs = [address(random), address(random), ...(from === WETH || to === WETH ? [] : [WETH])]
  const hopsOfLeg = (): PlanHop[] => {
    const ways = hubs.filter(() => random.below(2) === 0).slice(0, random.below(3))
    const stops = [from, ...ways, to]
    return stops.slice(1).map((stop, i) => randomHop(random, stops[i]!, stop))
  }
  const count = 1 + random.below(3)
  const fee = {
    bps: pick(random, [0, 1, 10, 25, 33, 100, 9_999]),
    side: pick(random, ['input', 'output'] as const),
    recipient: address(random),
  }
  const amountIn = BigInt(count) * 20_000n + random.bits(1 + random.below(100))
  let left = amountIn - (fee.side === 'input' ? feeOf(amountIn, fee.bps) : 0n)
  const legs = Array.from({ length: count }, (_, i) => {
    const part = i === count - 1 ? left : 1n + (left * BigInt(random.below(100))) / 201n
    left -= part
    return { hops: hopsOfLeg(), amountIn: part }
  })
  const details = {
    token: tokenIn,
    amount: amountIn + random.bits(40),
    expiration: random.below(2 ** 31),
    nonce: random.below(1000),
  }
  const permit = { details, spender: address(random), sigDeadline: random.bits(40) }
  return {
    tokenIn,
    tokenOut,
    amountIn,
    legs,
    amountOutMin: random.bits(random.below(128)),
    direct: random.below(2) === 0,
    fee,
    ...(tokenIn !== NATIVE && random.below(2) && { permit: { permit, signature: bytes(random, 65) } }),
    deadlineS: random.bits(40),
    weth: WETH,
    layout: pick(random, ['2.1.0', '2.1.1'] as const),
  }
}
