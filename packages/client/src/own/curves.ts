import { type Address, type CurveSide, type Hex, launchpadOf, NATIVE } from '@pit/chain'
import type { LaunchpadKind } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import type { Reading, StateReader } from './reading.ts'
import { ethCall, type RpcCall } from './rpc.ts'

/** A curve by the word of a pinned launchpad. */
export interface OwnCurve {
  id: Address
  launchpad: LaunchpadKind
}

/**
 * A curve that a pinned launchpad lists, with what it trades.
 * @public
 */
export interface ListedCurve extends OwnCurve {
  token: Address
  /** Native ETH is the all-zero address. */
  pair: Address
}

/** Asks each pinned launchpad for a token's curve. */
export const askCurves = ({ launchpads }: Pick<Pins, 'launchpads'>, token: Address): RpcCall[] =>
  launchpads.map(({ kind, factory }) => ethCall(factory, launchpadOf(kind).askCurve(token)))

/** The curves in the answers to `askCurves`; none where no launchpad knows one. */
export function curvesIn(
  { launchpads }: Pick<Pins, 'launchpads'>,
  reading: Reading,
  calls: readonly RpcCall[],
): OwnCurve[] {
  return launchpads.flatMap(({ kind }, i) => {
    const answer = reading.returned(calls[i]!)
    const id = answer === null ? null : launchpadOf(kind).curveIn(answer)
    return id === null ? [] : [{ id, launchpad: kind }]
  })
}

/** A curve's current output for each amount, from its own contract; null if it quotes none. */
export async function quoteCurve(
  node: StateReader,
  { id, launchpad }: OwnCurve,
  { side, amounts }: { side: CurveSide; amounts: readonly bigint[] },
  signal?: AbortSignal,
): Promise<bigint[] | null> {
  const { quoteCalls, quoteIn } = launchpadOf(launchpad)
  const callsByAmount = amounts.map((amount) => quoteCalls(side, amount).map((data) => ethCall(id, data)))
  const reading = await node.read(callsByAmount.flat(), signal)
  const answers = callsByAmount.map((calls) => calls.map((call) => reading.returned(call)))
  if (answers.flat().includes(null)) return null
  return amounts.map((amount, i) => quoteIn(answers[i] as Hex[], side, amount))
}

/**
 * The curves a session with these tokens trades on: against ETH, not graduated, each the pinned launchpad's own
 * for that token. None unless the session binds ETH.
 */
export async function readSessionCurves(
  node: StateReader,
  pins: Pins,
  tokens: readonly Address[],
  signal?: AbortSignal,
): Promise<OwnCurve[]> {
  if (!tokens.includes(NATIVE)) return []
  const launched = tokens.filter((token) => token !== NATIVE)
  const calls = launched.map((token) => askCurves(pins, token))
  const reading = await node.read(calls.flat(), signal)
  const candidates = launched.flatMap((token, i) =>
    curvesIn(pins, reading, calls[i]!).map((curve) => ({ token, curve })),
  )
  if (candidates.length === 0) return []
  const states = candidates.map(({ curve: { id, launchpad } }) => {
    const { endsCalls, reserveCalls } = launchpadOf(launchpad)
    return [...endsCalls, ...reserveCalls].map((data) => ethCall(id, data))
  })
  const ofCurves = await node.read(states.flat(), signal)
  return candidates.flatMap(({ token, curve }, i) => {
    const own = states[i]!.map((call) => ofCurves.value(call))
    const { endsCalls, endsIn, reservesIn } = launchpadOf(curve.launchpad)
    const ends = endsIn(own.slice(0, endsCalls.length))
    const isLive = reservesIn(own.slice(endsCalls.length)) !== null
    return ends?.token === token && ends.pair === NATIVE && isLive ? [curve] : []
  })
}

/**
 * The curves among these addresses: each says which token it trades, and only the pinned launchpad's word on that
 * token makes it a curve.
 */
export async function readListedCurves(
  node: StateReader,
  { launchpads }: Pick<Pins, 'launchpads'>,
  addresses: readonly Address[],
): Promise<ListedCurve[]> {
  const candidates = addresses.flatMap((id) =>
    launchpads.map(({ kind, factory }) => {
      const calls = launchpadOf(kind).endsCalls.map((data) => ethCall(id, data))
      return { id, kind, factory, calls }
    }),
  )
  const claims = await node.read(candidates.flatMap(({ calls }) => calls))
  const claimed = candidates.flatMap(({ id, kind, factory, calls }) => {
    const answers = calls.map((call) => claims.returned(call))
    const { endsIn, askCurve } = launchpadOf(kind)
    const ends = answers.includes(null) ? undefined : endsIn(answers as Hex[])
    return ends ? [{ id, launchpad: kind, ...ends, call: ethCall(factory, askCurve(ends.token)) }] : []
  })
  if (claimed.length === 0) return []
  const lists = await node.read(claimed.map(({ call }) => call))
  return claimed.flatMap(({ call, ...curve }) => {
    const answer = lists.returned(call)
    return answer !== null && launchpadOf(curve.launchpad).curveIn(answer) === curve.id ? [curve] : []
  })
}
