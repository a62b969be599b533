import { type Address, ponsCurveAbi, snipeTaxBps } from '@pit/chain'
import { askCall, readAll, wordIn } from '@pit/platform/reads'
import { encodeFunctionData } from 'viem'
import type { QuoterDeps } from './deps.ts'

const BUDGET_MS = 500

/**
 * The curves of these tokens that take no snipe tax of the wallet while everybody else pays one. Only asked in
 * a launch's first seconds; without an answer nobody is exempt.
 */
export async function readSnipeExempt(
  { market, rpc }: Pick<QuoterDeps, 'market' | 'rpc'>,
  wallet: Address | null,
  tokens: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const atS = market.head()?.timestampS
  if (wallet === null || atS === undefined) return NONE
  const taxed = tokens.flatMap((token) => {
    const curve = market.curveOf(token)
    const asks = curve?.version === 'curve' && curve.launchpad === 'pons' && snipeTaxBps(curve, atS) > 0
    return asks ? [curve.id] : []
  })
  if (taxed.length === 0) return NONE
  const data = encodeFunctionData({
    abi: ponsCurveAbi,
    functionName: 'currentSnipeTaxBps',
    args: [wallet],
  })
  const answers = await readAll(
    rpc,
    taxed.map((to) => askCall({ to, data })),
    { timeoutMs: BUDGET_MS },
  ).catch(() => [])
  // A tax of nothing at the newest block stays nothing: it only falls.
  return new Set(taxed.filter((_, i) => wordIn(answers[i]) === 0n))
}

const NONE: ReadonlySet<Address> = new Set()
