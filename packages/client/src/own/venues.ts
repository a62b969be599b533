import {
  type Address,
  encodePoolKey,
  type Hex,
  type HopPath,
  launchpadOf,
  multicall3Abi,
  NATIVE,
  v2FactoryAbi,
  v3FactoryAbi,
  v4StateViewAbi,
} from '@pit/chain'
import { decodeFunctionResult, encodeFunctionData, keccak256 } from 'viem'
import type { Pins } from '../pins.ts'
import { askCurves, curvesIn, type OwnCurve } from './curves.ts'
import type { PoolLogs } from './poolLogs.ts'
import type { StateReader } from './reading.ts'
import { ethCall, type RpcCall } from './rpc.ts'

/** A market of a token that the client found on its own node, and the core token on its other side. */
export type Venue =
  | { kind: 'pool'; payer: Address /** From the payer to the token. */; hop: HopPath }
  | { kind: 'curve'; payer: Address; curve: OwnCurve }

/** Finds the markets of a token without asking the service. */
export type FindVenues = (token: Address, signal?: AbortSignal) => Promise<readonly Venue[]>

const V3_FEES = [100, 500, 3_000, 10_000]
const V4_SPACINGS: readonly [fee: number, tickSpacing: number][] = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
]

export const payersOf = ({ tokens }: Pick<Pins, 'tokens'>): Address[] =>
  [...tokens].flatMap(([address, { core }]) => (core === null ? [] : [address]))

/**
 * Pools of the usual fees and curves of the pinned launchpads take one exchange (and one more for a curve's
 * pair); other v4 pools come from the manager's logs beside it, if the node serves them.
 */
export function createFindVenues(node: StateReader, pins: Pins, logs: PoolLogs): FindVenues {
  return async (token, signal) => {
    const payers = payersOf(pins).filter((payer) => payer !== token)
    const candidates = payers.flatMap((payer) => candidatesOf(pins, payer, token))
    const [existence, launched] = [askExistence(pins, candidates), askCurves(pins, token)]
    const [reading, logged] = await Promise.all([
      node.read([existence, ...launched], signal),
      logs.keysOf(token, payers, signal),
    ])
    const pools = new Map<string, Venue>()
    const add = (payer: Address, hop: HopPath) => pools.set(poolIdOf(hop), { kind: 'pool', payer, hop })
    for (const { payer, hop } of existingIn(candidates, reading.value(existence))) add(payer, hop)
    for (const key of logged) {
      const payer = key.currency0 === token ? key.currency1 : key.currency0
      add(payer, { version: 'v4', tokenIn: payer, tokenOut: token, key })
    }
    return [...pools.values(), ...(await curvesOf(node, curvesIn(pins, reading, launched), payers, signal))]
  }
}

/** Names a pool whatever the direction of the trade. */
export function poolIdOf(hop: HopPath): string {
  if (hop.version === 'v4') return `v4 ${encodePoolKey(hop.key)}`
  const ends = [hop.tokenIn, hop.tokenOut].sort().join(' ')
  return hop.version === 'v3' ? `v3 ${ends} ${hop.feePips}` : `v2 ${ends}`
}

export const reverseHop = (hop: HopPath): HopPath => ({
  ...hop,
  tokenIn: hop.tokenOut,
  tokenOut: hop.tokenIn,
})

interface Candidate {
  payer: Address
  hop: HopPath
  /** Answers a word above zero if the pool exists. */
  target: Address
  callData: Hex
}

/** Native ETH trades in v4 only. */
function candidatesOf({ profile }: Pins, payer: Address, token: Address): Candidate[] {
  const { v2_factory, v3_factory, v4_state_view } = profile.contracts
  const ends = { tokenIn: payer, tokenOut: token }
  const candidates: Candidate[] = []
  if (v2_factory && payer !== NATIVE)
    candidates.push({
      payer,
      hop: { version: 'v2', ...ends },
      target: v2_factory as Address,
      callData: encodeFunctionData({ abi: v2FactoryAbi, functionName: 'getPair', args: [payer, token] }),
    })
  if (v3_factory && payer !== NATIVE)
    for (const fee of V3_FEES)
      candidates.push({
        payer,
        hop: { version: 'v3', ...ends, feePips: fee },
        target: v3_factory as Address,
        callData: encodeFunctionData({
          abi: v3FactoryAbi,
          functionName: 'getPool',
          args: [payer, token, fee],
        }),
      })
  if (!v4_state_view) return candidates
  const [currency0, currency1] = payer < token ? [payer, token] : [token, payer]
  for (const [fee, tickSpacing] of V4_SPACINGS) {
    const key = { currency0, currency1, fee, tickSpacing, hooks: NATIVE }
    candidates.push({
      payer,
      hop: { version: 'v4', ...ends, key },
      target: v4_state_view as Address,
      callData: slot0Call(key),
    })
  }
  return candidates
}

export const slot0Call = (key: Parameters<typeof encodePoolKey>[0]): Hex =>
  encodeFunctionData({
    abi: v4StateViewAbi,
    functionName: 'getSlot0',
    args: [keccak256(`0x${encodePoolKey(key)}`)],
  })

function askExistence({ multicall3 }: Pins, candidates: readonly Candidate[]): RpcCall {
  const calls = candidates.map(({ target, callData }) => ({ target, allowFailure: true, callData }))
  return ethCall(
    multicall3,
    encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
  )
}

function existingIn(candidates: readonly Candidate[], answer: Hex): Candidate[] {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  return candidates.filter((_, i) => {
    const { success, returnData } = results[i]!
    return success && returnData.length >= 66 && BigInt(returnData.slice(0, 66)) > 0n
  })
}

/** Curves with the core token that each of them takes. */
async function curvesOf(
  node: StateReader,
  curves: readonly OwnCurve[],
  payers: readonly Address[],
  signal?: AbortSignal,
): Promise<Venue[]> {
  if (curves.length === 0) return []
  const endsCalls = curves.map(({ id, launchpad }) =>
    launchpadOf(launchpad).endsCalls.map((data) => ethCall(id, data)),
  )
  const reading = await node.read(endsCalls.flat(), signal)
  return curves.flatMap((curve, i): Venue[] => {
    const own = endsCalls[i]!.map((call) => reading.returned(call))
    if (own.includes(null)) return []
    const ends = launchpadOf(curve.launchpad).endsIn(own as Hex[])
    return ends && payers.includes(ends.pair) ? [{ kind: 'curve', payer: ends.pair, curve }] : []
  })
}
