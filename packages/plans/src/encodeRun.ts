import { type Address, type HopPath, OPEN_DELTA, type RouterCommand, type V4Action } from '@pit/chain'

type HopOf<V extends HopPath['version']> = Extract<HopPath, { version: V }>
/** Consecutive hops of one kind that one command can execute. */
export type Run =
  | { version: 'v2'; hops: HopOf<'v2'>[] }
  | { version: 'v3'; hops: HopOf<'v3'>[] }
  | { version: 'v4'; hops: HopOf<'v4'>[] }

export function runsOf(hops: readonly HopPath[]): Run[] {
  const runs: Run[] = []
  for (const hop of hops) {
    const last = runs[runs.length - 1]
    const joins = last?.version === hop.version && last.hops[last.hops.length - 1]!.tokenOut === hop.tokenIn
    // The versions are equal, which the types do not express.
    if (joins) (last.hops as HopPath[]).push(hop)
    else runs.push({ version: hop.version, hops: [hop] } as Run)
  }
  return runs
}

export type RunTerms = { recipient: Address; amountIn: bigint; amountOutMin: bigint; payerIsUser: boolean }

export function encodeRun(run: Run, terms: RunTerms): RouterCommand {
  const tokenIn = run.hops[0]!.tokenIn
  if (run.version === 'v4') return encodeV4Run(run.hops, terms)
  const tokens = [tokenIn, ...run.hops.map((hop) => hop.tokenOut)]
  if (run.version === 'v2') return { command: 'V2_SWAP_EXACT_IN', ...terms, path: tokens }
  const fees = run.hops.map((hop) => hop.feePips)
  return { command: 'V3_SWAP_EXACT_IN', ...terms, path: { tokens, fees } }
}

function encodeV4Run(hops: readonly HopOf<'v4'>[], terms: RunTerms): RouterCommand {
  const [first, last] = [hops[0]!, hops[hops.length - 1]!]
  const amounts = { amountIn: OPEN_DELTA, amountOutMin: terms.amountOutMin }
  const swap: V4Action =
    hops.length === 1
      ? {
          action: 'SWAP_EXACT_IN_SINGLE',
          poolKey: first.key,
          zeroForOne: first.key.currency0 === first.tokenIn,
          ...amounts,
          hookData: '0x',
        }
      : {
          action: 'SWAP_EXACT_IN',
          currencyIn: first.tokenIn,
          path: hops.map(({ tokenOut, key: { fee, tickSpacing, hooks } }) => ({
            intermediateCurrency: tokenOut,
            fee,
            tickSpacing,
            hooks,
            hookData: '0x',
          })),
          ...amounts,
        }
  return {
    command: 'V4_SWAP',
    actions: [
      // Paid before the swap, which then takes what arrived, so that a transfer tax does not leave a debt.
      { action: 'SETTLE', currency: first.tokenIn, amount: terms.amountIn, payerIsUser: terms.payerIsUser },
      swap,
      { action: 'TAKE', currency: last.tokenOut, recipient: terms.recipient, amount: OPEN_DELTA },
    ],
  }
}
