import { type Address, type CurveSide, type Hex, launchpadOf, NATIVE } from '@pit/chain'
import type { LaunchpadKind } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import { ethCall, type Rpc, type RpcCall, RpcFailure, resultOf } from './rpc.ts'

/** A curve by the word of a pinned launchpad. */
export interface OwnCurve {
  id: Address
  launchpad: LaunchpadKind
}

/** Asks each pinned launchpad for a token's curve. */
export const askCurves = ({ launchpads }: Pick<Pins, 'launchpads'>, token: Address): RpcCall[] =>
  launchpads.map(({ kind, factory }) => ethCall(factory, launchpadOf(kind).askCurve(token)))

/** The curves in the answers to `askCurves`; none where no launchpad knows one. */
export function curvesIn({ launchpads }: Pick<Pins, 'launchpads'>, answers: readonly unknown[]): OwnCurve[] {
  return launchpads.flatMap(({ kind }, i) => {
    const answer = answers[i]
    const id = typeof answer === 'string' ? launchpadOf(kind).curveIn(answer as Hex) : null
    return id === null ? [] : [{ id, launchpad: kind }]
  })
}

/** A curve's current output for each amount, from its own contract; throws if a call fails. */
export async function quoteCurve(
  rpc: Rpc,
  { id, launchpad }: OwnCurve,
  { side, amounts }: { side: CurveSide; amounts: readonly bigint[] },
  signal?: AbortSignal,
): Promise<bigint[]> {
  const { quoteCalls, quoteIn } = launchpadOf(launchpad)
  const callsByAmount = amounts.map((amount) => quoteCalls(side, amount).map((data) => ethCall(id, data)))
  const answers = await rpc.all(callsByAmount.flat(), signal)
  let next = 0
  return amounts.map((amount, i) => {
    const own = answers.slice(next, next + callsByAmount[i]!.length)
    next += callsByAmount[i]!.length
    const failed = own.find((answer) => answer instanceof RpcFailure)
    if (failed) throw failed
    if (own.includes('0x')) throw new RpcFailure('nothing is there to answer')
    return quoteIn(own as Hex[], side, amount)
  })
}

/**
 * The curves a session with these tokens trades on: against ETH, not graduated, each the pinned launchpad's own
 * for that token. None unless the session binds ETH.
 */
export async function readSessionCurves(
  rpc: Rpc,
  pins: Pins,
  tokens: readonly Address[],
  signal?: AbortSignal,
): Promise<OwnCurve[]> {
  if (!tokens.includes(NATIVE)) return []
  const launched = tokens.filter((token) => token !== NATIVE)
  const calls = launched.map((token) => askCurves(pins, token))
  const answers = await rpc.all(calls.flat(), signal)
  const candidates = launched.flatMap((token, i) => {
    const size = pins.launchpads.length
    const own = answers.slice(i * size, (i + 1) * size)
    return curvesIn(pins, own).map((curve) => ({ token, curve }))
  })
  if (candidates.length === 0) return []
  const states = candidates.map(({ curve: { id, launchpad } }) => {
    const { endsCalls, reserveCalls } = launchpadOf(launchpad)
    return [...endsCalls, ...reserveCalls].map((data) => ethCall(id, data))
  })
  const read = await rpc.all(states.flat(), signal)
  let next = 0
  return candidates.flatMap(({ token, curve }, i) => {
    const own = read.slice(next, next + states[i]!.length).map((answer) => resultOf<Hex>(answer))
    next += states[i]!.length
    const { endsCalls, endsIn, reservesIn } = launchpadOf(curve.launchpad)
    const ends = endsIn(own.slice(0, endsCalls.length))
    const isLive = reservesIn(own.slice(endsCalls.length)) !== null
    return ends?.token === token && ends.pair === NATIVE && isLive ? [curve] : []
  })
}
