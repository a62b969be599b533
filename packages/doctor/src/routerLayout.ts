import { type Address, type Hex, universalRouterAbi } from '@pit/chain'
import type { Question } from '@pit/platform/reads'
import type { RpcError } from '@pit/platform/rpc'
import { encodeAbiParameters, encodeFunctionData } from 'viem'
import { ask } from './asking.ts'
import { ASK_AGAIN, type DoctorDeps, type Finding, fail, ok, unknown } from './types.ts'

const FAR_AHEAD = 10n ** 11n
const V3_SWAP_EXACT_IN = '0x00'
const NOWHERE = 'f'.repeat(64)

/**
 * Detects the router release by behaviour. From 2.1.1 on, the sixth word of a v3 swap points at a list of
 * price floors; 2.1.0 ignores that word. The same swap runs with a list and with an invalid pointer. Both
 * fail because the amount is zero; they fail alike only if the word is ignored.
 */
export async function examineLayout(deps: DoctorDeps): Promise<Finding[]> {
  const { universal_router: router, universal_router_layout: layout, weth } = deps.profile.contracts
  const usdg = deps.profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  if (router === null || weth === null || !usdg) return []
  const path = `${weth}0001f4${usdg.address.slice(2)}`.toLowerCase() as Hex
  const [withList, withNowhere] = await ask(
    deps,
    [wordsOf(path), withoutList(wordsOf(path))].map((input) => tried(router as Address, input)),
  )
  const check = 'router layout'
  if (withList === undefined || withNowhere === undefined)
    return [unknown(check, 'no answer from the node', ASK_AGAIN)]
  const reads = withList !== withNowhere
  const seen = reads ? '2.1.1 or later' : '2.1.0'
  return reads === (layout !== '2.1.0')
    ? [ok(check, seen)]
    : [fail(check, `it behaves like ${seen}, the profile says ${layout}`, 'Correct the layout.')]
}

const TYPES = ['address', 'uint256', 'uint256', 'bytes', 'bool', 'uint256[]'].map((type) => ({ type }))
const ME = '0x0000000000000000000000000000000000000001'

const wordsOf = (path: Hex): Hex => encodeAbiParameters(TYPES, [ME, 0n, 0n, path, true, []]) as Hex

/** Replaces the sixth word, the offset of the list. */
const withoutList = (words: Hex): Hex => `0x${words.slice(2, 2 + 5 * 64)}${NOWHERE}${words.slice(2 + 6 * 64)}`

/** The call's failure, as text to compare. */
function tried(router: Address, input: Hex): Question<string> {
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [V3_SWAP_EXACT_IN, [input], FAR_AHEAD],
  })
  return {
    call: ['eth_call', [{ to: router, data }, 'latest']],
    parse: (result) => `done ${String(result)}`,
    refused: (error: RpcError) =>
      error.code === REVERTED ? `failed ${JSON.stringify(error.data ?? error.message)}` : undefined,
  }
}
const REVERTED = 3
