import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import {
  AGGREGATOR_SHAPES,
  type AggregatorShape,
  type Asked,
  notFound,
  plainToken,
  VENDOR_KEY,
} from './aggregatorShapes.ts'
import type { VendorName, VendorState } from './modes.ts'
import { json, type Reply, readBody } from './reply.ts'

/** The output near the pools' mid, or null if no pool connects the two. */
export type QuoteNearMid = (tokenIn: string, tokenOut: string, amountIn: bigint) => Promise<bigint | null>

export interface AggregatorDeps {
  quote: QuoteNearMid
  seed: string
}

/** Bias of an aggregator against the mid, fixed per pair: −25 to +5 bps. */
export function biasBps(seed: string, name: string, tokenIn: string, tokenOut: string): bigint {
  const text = `${seed}:${name}:${tokenIn.toLowerCase()}:${tokenOut.toLowerCase()}`
  return BigInt(createHash('sha256').update(text).digest().readUInt32BE(0) % 31) - 25n
}

const SKEW: Record<string, (out: bigint) => bigint> = {
  generous: (out) => out * 2n,
  stingy: (out) => out / 2n,
  negative: (out) => -out,
}

/** `/aggregator_N/<kind>` and then the vendor's own path; each of the three supports all formats. */
export function findAggregator(pathname: string): { name: VendorName; shape: AggregatorShape } | undefined {
  const [, name, kind = '', path] = /^\/(aggregator_[123])\/([^/]+)(\/.*)$/.exec(pathname) ?? []
  const shape = Object.hasOwn(AGGREGATOR_SHAPES, kind) ? AGGREGATOR_SHAPES[kind] : undefined
  return shape !== undefined && shape.path === path ? { name: name as VendorName, shape } : undefined
}

/** A quote in the format of a real aggregator, with its refusals. */
export async function quoteAggregator(
  deps: AggregatorDeps,
  { name, shape }: { name: VendorName; shape: AggregatorShape },
  request: IncomingMessage,
  { mode }: VendorState,
): Promise<Reply> {
  if (request.method !== shape.method) return notFound()
  const body = shape.method === 'POST' ? readObject(await readBody(request)) : {}
  const { searchParams } = new URL(request.url ?? '/', 'http://vendors')
  if (mode === 'unauthorized' || (shape.keyOf && shape.keyOf(request.headers) !== VENDOR_KEY)) {
    return shape.refuse(401, 'The key is not known.')
  }
  const said = shape.readRequest(searchParams, body)
  const [tokenIn, tokenOut] = [plainToken(shape, said.tokenIn), plainToken(shape, said.tokenOut)]
  if (tokenIn === undefined || tokenOut === undefined) return shape.refuse(400, 'A token is not an address.')
  if (!/^[1-9][0-9]{0,77}$/.test(said.amountIn))
    return shape.refuse(400, 'The amount must be a positive number of atoms.')
  const mid = mode === 'no_route' ? null : await deps.quote(tokenIn, tokenOut, BigInt(said.amountIn))
  if (mid === null || mid === 0n) return shape.noRoute()
  const biased = (mid * (10_000n + biasBps(deps.seed, name, tokenIn, tokenOut))) / 10_000n
  const amountOut = (SKEW[mode] ?? ((out: bigint) => out))(biased).toString()
  return json(200, offer(shape, said, amountOut, mode))
}

function offer(shape: AggregatorShape, said: Asked, amountOut: string, mode: string): unknown {
  if (mode === 'other_trade') {
    const swapped = { tokenIn: said.tokenOut, tokenOut: said.tokenIn, amountIn: said.amountIn }
    return shape.offer(swapped, amountOut)
  }
  const whole = shape.offer(said, amountOut)
  return mode === 'missing_fields' ? withoutText(whole, amountOut) : whole
}

/** Removes the amount field. */
const withoutText = (value: unknown, text: string): unknown =>
  JSON.parse(JSON.stringify(value, (_, field) => (field === text ? undefined : field)))

function readObject(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
