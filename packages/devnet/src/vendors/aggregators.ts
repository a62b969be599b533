import { createHash } from 'node:crypto'
import type { VendorName, VendorState } from './modes.ts'
import { json, problem, type Reply } from './reply.ts'

/** The amount out near the pools' mid, or null when no pool joins the two. */
export type QuoteNearMid = (tokenIn: string, tokenOut: string, amountIn: bigint) => Promise<bigint | null>

export interface AggregatorDeps {
  quote: QuoteNearMid
  seed: string
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/**
 * An aggregator is a little better or worse than the mid, always the same way for the same pair: −25 to +5
 * bps.
 */
export function biasBps(seed: string, name: string, tokenIn: string, tokenOut: string): bigint {
  const text = `${seed}:${name}:${tokenIn.toLowerCase()}:${tokenOut.toLowerCase()}`
  return BigInt(createHash('sha256').update(text).digest().readUInt32BE(0) % 31) - 25n
}

const SKEW: Record<string, (out: bigint) => bigint> = {
  generous: (out) => out * 2n,
  stingy: (out) => out / 2n,
  negative: (out) => -out,
}

/** GET /aggregator_N/quote?token_in&token_out&amount_in */
export async function quoteAggregator(
  deps: AggregatorDeps,
  name: VendorName,
  query: URLSearchParams,
  { mode }: VendorState,
): Promise<Reply> {
  const tokenIn = query.get('token_in') ?? ''
  const tokenOut = query.get('token_out') ?? ''
  const amount = query.get('amount_in') ?? ''
  if (!ADDRESS.test(tokenIn) || !ADDRESS.test(tokenOut)) {
    return problem(400, 'bad_token', 'token_in and token_out are addresses.')
  }
  if (!/^[1-9][0-9]{0,77}$/.test(amount)) return problem(400, 'bad_amount', 'amount_in is atoms, above zero.')
  const amountIn = BigInt(amount)
  const mid = mode === 'no_route' ? null : await deps.quote(tokenIn, tokenOut, amountIn)
  if (mid === null || mid === 0n) return problem(404, 'no_route', 'No route joins these tokens.')
  const biased = (mid * (10_000n + biasBps(deps.seed, name, tokenIn, tokenOut))) / 10_000n
  const amountOut = (SKEW[mode] ?? ((out: bigint) => out))(biased)
  return json(200, {
    aggregator: name,
    chain_id: 4663,
    token_in: tokenIn.toLowerCase(),
    token_out: tokenOut.toLowerCase(),
    amount_in: amountIn.toString(),
    amount_out: amountOut.toString(),
    gas: 260_000,
  })
}
