import type { Address } from '@pit/chain'
import { askCall, readAll, wordsIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { encodeFunctionData, parseAbi } from 'viem'

/** What the chain says of a token whose price only its owner says. */
export interface MarkedToken {
  /** Undefined when it does not say as a token does. */
  decimals: number | undefined
  /** What its curve asks for one whole token; null without a curve that still sells. */
  weiPerToken: bigint | null
}

const abi = parseAbi([
  'function decimals() view returns (uint8)',
  'function state() view returns (uint256 x, uint256 y, uint256 left, uint256 snipeBps, bool isGraduated)',
])
const DECIMALS = encodeFunctionData({ abi, functionName: 'decimals' })
const STATE = encodeFunctionData({ abi, functionName: 'state' })
/** What a stranger's token may spend to answer. */
const READ_GAS = 150_000

/**
 * Reads tokens and, where they have one in the session, their curves. Throws when the chain does not answer.
 */
export async function readMarked(
  rpc: Pick<Rpc, 'batch'>,
  tokens: readonly Address[],
  curveTokens: Readonly<Record<Address, Address>>,
): Promise<Map<Address, MarkedToken>> {
  if (tokens.length === 0) return new Map()
  const curveOf = new Map(Object.entries(curveTokens).map(([curve, token]) => [token, curve as Address]))
  const calls = tokens.flatMap((token) => {
    const curve = curveOf.get(token)
    return [{ to: token, data: DECIMALS }, ...(curve ? [{ to: curve, data: STATE }] : [])]
  })
  const answers = await readAll(
    rpc,
    calls.map((call) => askCall(call, { gas: READ_GAS })),
  )
  const read = new Map<Address, MarkedToken>()
  let next = 0
  for (const token of tokens) {
    const decimals = wordsIn(answers[next++], 1)?.[0]
    const state = curveOf.has(token) ? wordsIn(answers[next++], 5) : null
    const whole = decimals !== undefined && decimals <= 36n ? Number(decimals) : undefined
    read.set(token, { decimals: whole, weiPerToken: priceOf(state, whole) })
  }
  return read
}

function priceOf(state: bigint[] | null, decimals: number | undefined): bigint | null {
  const [x, y, , , isGraduated] = state ?? []
  if (x === undefined || !y || isGraduated !== 0n || decimals === undefined) return null
  return (x * 10n ** BigInt(decimals)) / y
}
