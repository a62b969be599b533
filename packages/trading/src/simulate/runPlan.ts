import type { Address, Hex } from '@pit/chain'
import { encodeErc20Approve, encodePermit2Approve } from '@pit/plans'
import { nowS } from '@pit/platform/clock'
import {
  type AccountOverride,
  NotRunnable,
  type RanBlock,
  type SimBlock,
  type SimCall,
  simulateBlocks,
} from '@pit/platform/reads'
import { lower } from '@pit/protocol'
import { toFunctionSelector } from 'viem'
import type { SimulatedTx } from '../types.ts'
import { heldReading, measuredByBalances, readingOf } from './byBalances.ts'
import { type Doubt, measuredByLogs } from './byLogs.ts'
import { isEth, type SimulateParams, type SimulatorDeps } from './deps.ts'

export interface RanPlan {
  /** The block it ran on. */
  block: number
  lent: boolean
  /** Why requested approvals could not be set. */
  unapproved: string[]
  transactions: SimulatedTx[]
  /** Received before gas: output by the wallet, fee by its recipient. Null: unreadable. */
  received: { output: bigint | null; fee: bigint | null }
  /** The wallet's balance of a lent input token before the run. Null: unreadable, or nothing was lent. */
  inputHeld: bigint | null
}

const MAX_UINT256 = (1n << 256n) - 1n
const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT48 = 2 ** 48 - 1
const APPROVE_GAS = 500_000
const FEE_CAP_TOO_LOW = -38012
const TIME_ORDER = -38021

type Overrides = Readonly<Record<Address, AccountOverride>>
type Measure = 'by logs' | 'by balances'

/** How long balances are used after logs missed what balances showed. */
const LOGS_AGAIN_MS = 60_000

/** One simulated block: approvals if requested, the plan's transactions in order, and what they moved. */
export async function runPlan(
  deps: SimulatorDeps,
  request: SimulateParams,
  overrides: Overrides,
): Promise<RanPlan> {
  const { logs, clock } = deps
  const isTold = logs.tokens.has(request.tokenOut) && logs.tokens.has(request.fee.token)
  if (!isTold || clock.nowMs() < logs.notBeforeMs) return runApproved(deps, request, overrides, 'by balances')
  const ran = await runApproved(deps, request, overrides, 'by logs')
  if (ran.doubt === null) return ran
  const settled = await runApproved(deps, request, overrides, 'by balances')
  const isBorneOut =
    settled.transactions.every(({ ok }) => ok) && (settled.received.output ?? 0n) >= request.amountOutMin
  if (isBorneOut && ran.doubt === 'untold') logs.notBeforeMs = clock.nowMs() + LOGS_AGAIN_MS
  return settled
}

async function runApproved(
  deps: SimulatorDeps,
  request: SimulateParams,
  overrides: Overrides,
  measure: Measure,
) {
  const run = (approvals: readonly SimCall[]) => runMeasured(deps, request, overrides, { approvals, measure })
  if (request.approvals === 'as planned') return run([])
  if (request.approvals === 'taken back') return run(approvalsTakenBack(deps, request))
  const ran = await run(approvalsInPlace(deps, request, [MAX_UINT256]))
  if (ran.unapproved.length === 0 || ran.transactions.every(({ ok }) => ok)) return ran
  // Some tokens accept a new allowance only once the old one is zero.
  return run(approvalsInPlace(deps, request, [0n, MAX_UINT256]))
}

async function runMeasured(
  deps: SimulatorDeps,
  request: SimulateParams,
  overrides: Overrides,
  { approvals, measure }: { approvals: readonly SimCall[]; measure: Measure },
): Promise<RanPlan & { doubt: Doubt | null }> {
  const lent = Object.keys(overrides).length > 0
  const planned = request.transactions.map(callOf)
  const reading = readingOf(deps, request, lent)
  const byBalances = measure === 'by balances'
  // A token loan must be confirmed by its balance; an ETH loan needs no confirmation.
  const first = byBalances ? [reading] : lent && !isEth(request.tokenIn) ? [heldReading(request)] : []
  const calls = [...approvals, ...first, ...planned, ...(byBalances ? [reading] : [])]
  const block = { calls, overrides: withPermitSigner(request, overrides) }
  const {
    number,
    baseFeeWei,
    calls: all,
  } = await runNext(deps, block, {
    traceTransfers: !byBalances,
    ...(request.block && { block: request.block }),
  })
  const start = approvals.length + first.length
  const ran = all.slice(start, start + planned.length)
  const measured = byBalances
    ? measuredByBalances(
        request,
        { before: all[start - 1]!, after: all.at(-1)!, planned: ran, baseFeeWei },
        lent,
      )
    : measuredByLogs(request, ran, first.length > 0 ? all[start - 1]! : null)
  return {
    block: number - 1,
    lent,
    unapproved: all.slice(0, approvals.length).flatMap(({ error }) => error ?? []),
    transactions: request.transactions.map(({ kind }, i) => {
      const { ok, data, gasUsed, error, logs } = ran[i]!
      return { kind, ok, gasUsed, error, ...(!ok && { tooLittle: isTooLittle(data) }), logs }
    }),
    ...measured,
  }
}

const callOf = ({ tx }: SimulateParams['transactions'][number]): SimCall => {
  const { from, to, data, gas, valueWei, maxFeePerGasWei, authorizations } = tx
  return { from, to, data, gas, valueWei, maxFeePerGasWei, ...(authorizations && { authorizations }) }
}

/**
 * The next block, with the chain's base fee and time. A node's own estimate of the time may be many seconds
 * off, but is used if its head is newer than ours.
 */
async function runNext(
  { rpc, market, clock, timeoutMs }: SimulatorDeps,
  block: Pick<SimBlock, 'calls' | 'overrides'>,
  terms: { traceTransfers: boolean; block?: number },
): Promise<RanBlock> {
  const head = market.head()
  const next = { ...block, ...(head ? { baseFeeWei: head.baseFeeWei } : {}) }
  const timeS = Math.max(nowS(clock), head?.timestampS ?? 0) + 1
  const run = async (simBlock: SimBlock) => {
    const ran = (await simulateBlocks(rpc, [simBlock], { timeoutMs, ...terms }))[0]!
    // Some nodes check this themselves, others only when they validate transactions.
    const tooLow = block.calls.some(({ maxFeePerGasWei: cap }) => cap !== undefined && cap < ran.baseFeeWei)
    if (tooLow) throw new NotRunnable(FEE_CAP_TOO_LOW, 'the fee cap is below the base fee')
    return ran
  }
  try {
    return await run({ ...next, timeS })
  } catch (error) {
    if (error instanceof NotRunnable && error.code === TIME_ORDER) return run(next)
    throw error
  }
}

/** Answers every call with EIP-1271's magic value, so that Permit2 accepts any signature for this wallet. */
const SIGNS_ANYTHING: Hex = '0x631626ba7e60e01b5f5260205ff3'

const withPermitSigner = ({ wallet, permitSigner }: SimulateParams, overrides: Overrides): Overrides =>
  permitSigner === 'anybody'
    ? { ...overrides, [wallet]: { ...overrides[wallet], code: SIGNS_ANYTHING } }
    : overrides

const approvalsInPlace = (
  deps: SimulatorDeps,
  request: SimulateParams,
  amounts: readonly bigint[],
): SimCall[] =>
  approvalCalls(deps, request, { amounts, permit: { amount: MAX_UINT160, expiration: MAX_UINT48 } })

const approvalsTakenBack = (deps: SimulatorDeps, request: SimulateParams): SimCall[] =>
  approvalCalls(deps, request, { amounts: [0n], permit: { amount: 0n, expiration: 0 } })

/** From the wallet without gas cost: they stand for earlier transactions. */
function approvalCalls(
  { profile }: SimulatorDeps,
  request: SimulateParams,
  { amounts, permit }: { amounts: readonly bigint[]; permit: { amount: bigint; expiration: number } },
): SimCall[] {
  const { wallet, tokenIn: token } = request
  if (isEth(token)) return []
  const { permit2, universal_router: router } = profile.contracts
  const approve = (to: Address, data: Hex): SimCall => ({ from: wallet, to, data, gas: APPROVE_GAS })
  const isTaker = (target: Address) => target !== wallet && target !== router?.toLowerCase()
  const spenders = [lower(permit2), ...(request.spenders ?? swapTargets(request).filter(isTaker))]
  const calls = spenders.flatMap((spender) =>
    amounts.map((amount) => approve(token, encodeErc20Approve(spender, amount))),
  )
  if (router === null) return calls
  const allowance = { token, spender: lower(router), ...permit }
  return [...calls, approve(lower(permit2), encodePermit2Approve(allowance))]
}

const swapTargets = ({ transactions }: SimulateParams): Address[] => [
  ...new Set(transactions.filter(({ kind }) => kind === 'swap').map(({ tx }) => lower(tx.to))),
]

/** Errors of router and curves for an output below the minimum. */
const SIGNATURES = [
  'V2TooLittleReceived()',
  'V3TooLittleReceived()',
  'V4TooLittleReceived(uint256,uint256)',
  'InsufficientETH()',
  'InsufficientToken()',
  'TooLittle(uint256,uint256)',
  'SlippageExceeded(uint256,uint256)',
]
const selectors = new Set(SIGNATURES.map((signature) => toFunctionSelector(signature)))

/** Whether a call failed only for its minimum: the price moved, the call is valid. */
export const isTooLittle = (revert: Hex): boolean => selectors.has(revert.slice(0, 10) as Hex)
