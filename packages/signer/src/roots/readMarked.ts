import { type Address, type Hex, launchpadOf } from '@pit/chain'
import { askCall, readAll, wordsIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { encodeFunctionData, parseAbi } from 'viem'
import type { LaunchedCurve } from './readCurves.ts'

/** Chain data of a token that is valued by its owner's mark. */
export interface MarkedToken {
  /** Undefined if it does not return valid decimals. */
  decimals: number | undefined
  /** The curve's price of one whole token; null without a curve that still sells. */
  weiPerToken: bigint | null
}

const abi = parseAbi(['function decimals() view returns (uint8)'])
const DECIMALS = encodeFunctionData({ abi, functionName: 'decimals' })
/** Gas limit for a call to an unknown token. */
const READ_GAS = 150_000

/**
 * Reads tokens and their curves in the session, if any. Throws if the chain does not answer.
 */
export async function readMarked(
  rpc: Pick<Rpc, 'batch'>,
  tokens: readonly Address[],
  launched: Readonly<Record<Address, LaunchedCurve>>,
): Promise<Map<Address, MarkedToken>> {
  if (tokens.length === 0) return new Map()
  const curveOf = new Map(
    Object.entries(launched).map(([curve, { token, launchpad }]) => [
      token,
      { to: curve as Address, adapter: launchpadOf(launchpad) },
    ]),
  )
  const calls = tokens.flatMap((token) => {
    const curve = curveOf.get(token)
    const reserves = curve?.adapter.reserveCalls.map((data) => ({ to: curve.to, data })) ?? []
    return [{ to: token, data: DECIMALS }, ...reserves]
  })
  const answers = await readAll(
    rpc,
    calls.map((call) => askCall(call, { gas: READ_GAS })),
  )
  const read = new Map<Address, MarkedToken>()
  let next = 0
  for (const token of tokens) {
    const decimals = wordsIn(answers[next++], 1)?.[0]
    const adapter = curveOf.get(token)?.adapter
    const own = answers.slice(next, next + (adapter?.reserveCalls.length ?? 0))
    next += own.length
    const reserves = adapter && !own.includes(undefined) ? adapter.reservesIn(own as Hex[]) : null
    const whole = decimals !== undefined && decimals <= 36n ? Number(decimals) : undefined
    read.set(token, { decimals: whole, weiPerToken: priceOf(reserves, whole) })
  }
  return read
}

function priceOf(reserves: { x: bigint; y: bigint } | null, decimals: number | undefined): bigint | null {
  if (!reserves || reserves.y === 0n || decimals === undefined) return null
  return (reserves.x * 10n ** BigInt(decimals)) / reserves.y
}
