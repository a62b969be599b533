import { type Address, type Hex, NATIVE, permitTypedData } from '@pit/chain'
import { FAST } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { type Bound, signedFee } from '../verbs/follow.ts'
import { readRouterCall } from '../verify/readPlan.ts'
import { buildFast } from './build.ts'
import type { TokenState, Warm } from './warm.ts'

const DEADLINE_S = 45

export interface FastRequest {
  token_in: string
  token_out: string
  /** Dollars to sell; or `amountIn` in atoms. */
  usd?: number
  amountIn?: bigint
  /** Under the pool's price of this moment. */
  slippageBps?: number
  /** Atoms that must arrive at least; the minimum is never lower. */
  minAmountOut?: bigint
  shield?: boolean
  owner_attests_non_us?: boolean
  /** Let the service simulate it too. */
  simulate?: boolean
}

export interface FastPlan {
  pair: string
  state: Warm
  amountIn: bigint
  minOut: bigint
  feeBps: number
}

/** Signs a planned trade; `bound` is what it must bring. */
export async function signFast(
  deps: ClientDeps,
  request: FastRequest,
  { state, pair, amountIn, minOut, feeBps }: FastPlan,
) {
  const { account, pins, nowMs } = deps
  const route = state.table.pairs[pair]!
  const deadline = Math.floor(nowMs() / 1000) + Math.min(DEADLINE_S, FAST.deadlineMaxS)
  const token = route.token_in.address as Address
  const permit = await permitFor(deps, state.tokens.get(token), { token, amountIn, deadline })
  const call = buildFast(state.table, { pair, amountIn, minOut, deadline, feeBps, ...(permit && { permit }) })
  const bound: Bound = {
    receiver: account.address,
    tokenOut: route.token_out.address as Address,
    leastOut: minOut,
    fee: signedFee(pins, readRouterCall(pins, call)),
    deadlineS: deadline,
  }
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: pins.profile.chain_id,
    nonce: state.nonce,
    to: pins.router,
    ...call,
    gas: BigInt(route.gas_floor + (permit ? (route.permit?.gas_add ?? 0) : 0)),
    maxFeePerGas: 2n * state.baseFeeWei,
    maxPriorityFeePerGas: 0n,
  })
  return {
    raw,
    bound,
    body: {
      raw_tx: raw,
      token_in: request.token_in,
      token_out: request.token_out,
      amount_in: amountIn.toString(),
      min_out: minOut.toString(),
      deadline,
      fee_bps: feeBps,
      shield: request.shield ?? false,
      simulate: request.simulate ?? false,
      owner_attests_non_us: request.owner_attests_non_us ?? false,
      ...(permit && { permit }),
    },
  }
}

/** A permit for exactly this trade, where the router has no allowance that covers it. */
async function permitFor(
  { account, pins }: ClientDeps,
  state: TokenState | undefined,
  { token, amountIn, deadline }: { token: Address; amountIn: bigint; deadline: number },
) {
  if (token === NATIVE || !state) return null
  if (state.allowance >= amountIn && state.allowedUntilS > deadline) return null
  const until = deadline + 60
  const permit = {
    details: { token, amount: amountIn, expiration: until, nonce: state.permitNonce },
    spender: pins.router,
    sigDeadline: BigInt(until),
  }
  const typed = permitTypedData({ chainId: pins.profile.chain_id, permit2: pins.permit2 }, permit)
  const signature: Hex = normalized(await account.signTypedData(typed as never))
  return {
    amount: amountIn.toString(),
    expiration: until,
    nonce: state.permitNonce,
    sig_deadline: until,
    signature,
  }
}
