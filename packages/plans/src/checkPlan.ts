import {
  ADDRESS_THIS,
  type Address,
  asWeth,
  type HopPath,
  type LegPath,
  MSG_SENDER,
  NATIVE,
} from '@pit/chain'
import { feeOf } from '@pit/protocol'
import type { SwapPath } from './plan.ts'

const MAX_LEGS = 3
const MAX_HOPS = 3
/** v4 counts in 128 bits; real amounts are far smaller. */
const AMOUNT_END = 1n << 128n
const LOWER_ADDRESS = /^0x[0-9a-f]{40}$/

/** Why a plan cannot be encoded, or undefined. A valid plan is executed as written or reverts completely. */
export function faultOfPlan(plan: SwapPath): string | undefined {
  const { tokenIn, tokenOut, amountIn, amountOutMin, fee, legs, weth, permit } = plan
  for (const address of [tokenIn, tokenOut, fee.recipient, weth])
    if (!LOWER_ADDRESS.test(address)) return `${address} is not a lower-case address`
  if (asWeth(tokenIn, weth) === asWeth(tokenOut, weth)) return 'a trade needs two different tokens'
  if (!isAmount(amountIn) || amountOutMin < 0n || amountOutMin >= AMOUNT_END)
    return 'an amount is out of range'
  if (!Number.isInteger(fee.bps) || fee.bps < 0 || fee.bps >= 10_000) return 'the fee’s rate is out of range'
  if (fee.bps > 0 && isMarker(fee.recipient)) return 'the fee recipient is a reserved address'
  if (legs.length < 1 || legs.length > MAX_LEGS) return 'a trade has one to three legs'
  let spent = fee.side === 'input' ? feeOf(amountIn, fee.bps) : 0n
  for (const leg of legs) {
    const fault = faultOfLeg(leg, plan)
    if (fault) return fault
    spent += leg.amountIn
  }
  if (spent !== amountIn) return 'the legs do not add up to the input less the fee'
  if (!permit) return undefined
  if (tokenIn === NATIVE) return 'ETH needs no permit'
  if (permit.permit.details.token !== tokenIn) return 'the permit is for another token'
  return permit.permit.details.amount < amountIn ? 'the permit is for less than the input' : undefined
}

function faultOfLeg({ hops, amountIn }: LegPath, { tokenIn, tokenOut, weth }: SwapPath): string | undefined {
  if (!isAmount(amountIn)) return 'a leg’s amount is out of range'
  if (hops.length < 1 || hops.length > MAX_HOPS) return 'a leg has one to three hops'
  // ETH and WETH count as one. No leg visits a token twice, so that the router's whole balance of a token
  // between two hops, or of one form of ether, belongs to this leg and "all of it" is correct.
  const tokens = [asWeth(tokenIn, weth)]
  for (const hop of hops) {
    const fault = faultOfHop(hop)
    if (fault) return fault
    if (asWeth(hop.tokenIn, weth) !== tokens[tokens.length - 1]) return 'the hops do not join'
    const next = asWeth(hop.tokenOut, weth)
    if (tokens.includes(next)) return 'a leg visits a token twice'
    tokens.push(next)
  }
  return tokens[tokens.length - 1] === asWeth(tokenOut, weth)
    ? undefined
    : 'a leg does not end in the output token'
}

function faultOfHop(hop: HopPath): string | undefined {
  const { tokenIn, tokenOut } = hop
  if (!LOWER_ADDRESS.test(tokenIn) || !LOWER_ADDRESS.test(tokenOut))
    return 'a token is not a lower-case address'
  if (hop.version !== 'v4')
    return tokenIn === NATIVE || tokenOut === NATIVE ? 'ETH is in v4 pools only' : undefined
  const { currency0, currency1, hooks } = hop.key
  if (!LOWER_ADDRESS.test(hooks)) return 'a hook is not a lower-case address'
  const [first, second] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  return currency0 === first && currency1 === second
    ? undefined
    : 'a pool key does not match the tokens of its hop'
}

function isAmount(amount: bigint): boolean {
  return amount > 0n && amount < AMOUNT_END
}

/** Addresses that the router reads as the caller or itself, and the zero address. */
function isMarker(address: Address): boolean {
  return address === NATIVE || address === MSG_SENDER || address === ADDRESS_THIS
}
