import { type Address, ponsCurveAbi, snipeTaxBps } from '@pit/chain'
import { askCall, readAll, wordIn } from '@pit/platform/reads'
import { encodeFunctionData } from 'viem'
import type { QuoterDeps } from './deps.ts'

const BUDGET_MS = 500

/**
 * Curves of these tokens that charge this wallet no snipe tax while others pay one. Reads the chain only in a
 * launch's first seconds, otherwise synchronous; without a response the wallet is not exempt.
 */
export function readSnipeExempt(
  { market, rpc }: Pick<QuoterDeps, 'market' | 'rpc'>,
  wallet: Address | null,
  tokens: readonly Address[],
): ReadonlySet<Address> | Promise<ReadonlySet<Address>> {
  if (wallet === null) return NONE
  const taxed = tokens.flatMap((token) => {
    const curve = market.curveOf(token)
    if (curve?.version !== 'curve' || curve.launchpad !== 'pons') return []
    const atS = market.head()?.timestampS
    return atS !== undefined && snipeTaxBps(curve, atS) > 0 ? [curve.id] : []
  })
  return taxed.length === 0 ? NONE : askExempt(rpc, wallet, taxed)
}

async function askExempt(
  rpc: QuoterDeps['rpc'],
  wallet: Address,
  taxed: readonly Address[],
): Promise<ReadonlySet<Address>> {
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
  // The tax only falls: zero at the newest block stays zero.
  return new Set(taxed.filter((_, i) => wordIn(answers[i]) === 0n))
}

const NONE: ReadonlySet<Address> = new Set()
