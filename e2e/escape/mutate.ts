import { type HopPath, NATIVE } from '@pit/chain'
import { encodeSwap, type SwapPath } from '@pit/plans'
import type { Honest } from './honest.ts'
import type { World } from './world.ts'

/** An honest call with one bit flipped in a place that must not change. */

/**
 * Bits of a number that the owner may choose; flipping them all shows where the number is in the calldata.
 */
const flip = (value: bigint, bits: number): bigint => value ^ ((1n << BigInt(bits)) - 1n)

/**
 * Bytes that a session leaves open: the minimum, the token input, the deadline and the pools. Another value
 * there is another trade inside the bounds, or is covered by the other hostile calls.
 */
function openBytes(path: SwapPath): Set<number> {
  const base = bytesOf(path)
  const variants: SwapPath[] = [
    { ...path, amountOutMin: flip(path.amountOutMin, 127) },
    { ...path, deadlineS: flip(path.deadlineS, 16) },
    ...path.legs.flatMap(({ hops }, i) => hops.map((_, j) => withHop(path, i, j))),
    ...(path.fee.side === 'output' ? [{ ...path, fee: { ...path.fee, bps: path.fee.bps ^ 0xff } }] : []),
  ]
  // An ETH input spends the call's value, so no bit of it can change alone.
  const amounts = path.tokenIn === NATIVE ? [] : path.legs.map(({ amountIn }) => amountIn)
  const open = new Set<number>(wordsOf(base, amounts))
  for (const variant of variants) {
    const bytes = bytesOf(variant)
    // A variant with another layout shows no positions.
    if (bytes.length !== base.length) throw new Error('a variant of another length')
    for (const [i, byte] of bytes.entries()) if (byte !== base[i]) open.add(i)
  }
  return open
}

const bytesOf = (path: SwapPath): Buffer => Buffer.from(encodeSwap(path).data.slice(2), 'hex')

/** Positions of these amounts as whole words. */
function wordsOf(bytes: Buffer, amounts: readonly bigint[]): number[] {
  const places: number[] = []
  for (const amount of amounts) {
    const word = Buffer.from(amount.toString(16).padStart(64, '0'), 'hex')
    for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) {
      for (let i = 0; i < word.length; i++) places.push(at + i)
    }
  }
  return places
}

function withHop(path: SwapPath, legIndex: number, hopIndex: number): SwapPath {
  const leg = path.legs[legIndex]!
  const hop = leg.hops[hopIndex]!
  return {
    ...path,
    legs: path.legs.with(legIndex, { ...leg, hops: leg.hops.with(hopIndex, otherPool(hop)) }),
  }
}

function otherPool(hop: HopPath): HopPath {
  if (hop.version === 'v2') return hop
  if (hop.version === 'v3') return { ...hop, feePips: hop.feePips ^ 0xffffff }
  const hooks = `0x${flip(BigInt(hop.key.hooks), 160).toString(16).padStart(40, '0')}` as const
  return {
    ...hop,
    key: { ...hop.key, fee: hop.key.fee ^ 0xffffff, tickSpacing: ~hop.key.tickSpacing, hooks },
  }
}

/**
 * The honest calldata with one bit of one fixed byte flipped; undefined for a plan with an intermediate
 * token.
 */
export function flipBit({ random }: World, { path, execution }: Honest & { kind: 'router' }) {
  // Any intermediate token is allowed, and it has its own positions.
  if (path.legs.some(({ hops }) => hops.length > 1)) return undefined
  const open = openBytes(path)
  const bytes = Buffer.from(execution.data.slice(2), 'hex')
  const closed = [...bytes.keys()].filter((i) => !open.has(i))
  const at = random.pick(closed)
  bytes[at]! ^= 1 << random.below(8)
  return { ...execution, data: `0x${bytes.toString('hex')}` as const }
}
