import { type Address, encodeErc20Approve, encodePermit2Approve, type Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { SimulatedTx } from '../types.ts'
import { isEth, lower, type SimulateAsk, type SimulatorDeps } from './deps.ts'
import { decodeReadings, encodeReadings, holding, READING_GAS, wordIn } from './readings.ts'
import {
  type AccountOverride,
  NotRunnable,
  type RanBlock,
  type RanCall,
  runBlocks,
  type SimBlock,
  type SimCall,
} from './runBlocks.ts'
import { isTooLittle } from './tooLittle.ts'

/** Null: could not be read. */
export interface Held {
  /** By the wallet, of the output. */
  output: bigint | null
  /** By the fee's recipient, of the fee's token. */
  fee: bigint | null
  /** By the wallet, of an input that was lent. */
  input: bigint | null
}

export interface RanPlan {
  /** The block it ran on top of. */
  block: number
  baseFeeWei: bigint
  lent: boolean
  /** Why approvals that were to be in place could not be put there. */
  unapproved: string[]
  transactions: SimulatedTx[]
  before: Held
  after: Held
}

const MAX_UINT256 = (1n << 256n) - 1n
const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT48 = 2 ** 48 - 1
const APPROVE_GAS = 500_000
const FEE_CAP_TOO_LOW = -38012
const TIME_ORDER = -38021

/** One simulated block: approvals in place if asked for, what is held, the plan's transactions in order, what is held. */
export async function runPlan(
  deps: SimulatorDeps,
  ask: SimulateAsk,
  overrides: Readonly<Record<Address, AccountOverride>>,
): Promise<RanPlan> {
  if (ask.approvals === 'as planned') return runAfter([], deps, ask, overrides)
  const ran = await runAfter(approvalsInPlace(deps, ask, [MAX_UINT256]), deps, ask, overrides)
  if (ran.unapproved.length === 0 || ran.transactions.every(({ ok }) => ok)) return ran
  // Some tokens take a new allowance only once the old one is gone.
  return runAfter(approvalsInPlace(deps, ask, [0n, MAX_UINT256]), deps, ask, overrides)
}

async function runAfter(
  approvals: readonly SimCall[],
  deps: SimulatorDeps,
  ask: SimulateAsk,
  overrides: Readonly<Record<Address, AccountOverride>>,
): Promise<RanPlan> {
  const lent = Object.keys(overrides).length > 0
  const reading = readingOf(deps, ask, lent)
  const planned = ask.transactions.map(
    ({ tx: { from, to, data, gas, valueWei, maxFeePerGasWei, authorizations } }): SimCall => ({
      from,
      to,
      data,
      gas,
      valueWei,
      maxFeePerGasWei,
      ...(authorizations && { authorizations }),
    }),
  )
  const calls = [...approvals, reading, ...planned, reading]
  const { number, baseFeeWei, calls: ran } = await runNext(deps, { calls, overrides })
  const approved = ran.slice(0, approvals.length)
  const [before, ...rest] = ran.slice(approvals.length) as [RanCall, ...RanCall[]]
  return {
    block: number - 1,
    baseFeeWei,
    lent,
    unapproved: approved.flatMap(({ error }) => error ?? []),
    transactions: ask.transactions.map(({ kind }, i) => {
      const { ok, data, gasUsed, error, logs } = rest[i]!
      return { kind, ok, gasUsed, error, ...(!ok && { tooLittle: isTooLittle(data) }), logs }
    }),
    before: heldIn(before, lent),
    after: heldIn(rest.at(-1)!, lent),
  }
}

/**
 * The block that would come next, with the chain's base fee and time. A node's own guess of the time may be many
 * seconds off; but where its head is newer than ours, that guess must do.
 */
async function runNext(
  { rpc, market, clock, timeoutMs }: SimulatorDeps,
  block: Pick<SimBlock, 'calls' | 'overrides'>,
): Promise<RanBlock> {
  const head = market.head()
  const next = { ...block, ...(head ? { baseFeeWei: head.baseFeeWei } : {}) }
  const timeS = Math.max(nowS(clock), head?.timestampS ?? 0) + 1
  const run = async (asked: SimBlock) => {
    const ran = (await runBlocks(rpc, [asked], { timeoutMs }))[0]!
    // Some nodes look at it themselves, others only where transactions are validated.
    const tooLow = block.calls.some(({ maxFeePerGasWei: cap }) => cap !== undefined && cap < ran.baseFeeWei)
    if (tooLow) throw new NotRunnable(FEE_CAP_TOO_LOW, 'the fee cap is under the base fee')
    return ran
  }
  try {
    return await run({ ...next, timeS })
  } catch (error) {
    if (error instanceof NotRunnable && error.code === TIME_ORDER) return run(next)
    throw error
  }
}

/** The input only where it was lent: that shows whether it was. */
function readingOf({ profile }: SimulatorDeps, ask: SimulateAsk, lent: boolean): SimCall {
  const { wallet, tokenIn, tokenOut, fee } = ask
  const multicall3 = lower(profile.contracts.multicall3)
  const readings = [holding(tokenOut, wallet, multicall3), holding(fee.token, fee.recipient, multicall3)]
  if (lent) readings.push(holding(tokenIn, wallet, multicall3))
  return { to: multicall3, gas: READING_GAS, data: encodeReadings(readings) }
}

function heldIn({ ok, data }: RanCall, lent: boolean): Held {
  const [output, fee, input] = decodeReadings(ok ? data : '0x', lent ? 3 : 2)
  return { output: wordIn(output), fee: wordIn(fee), input: wordIn(input) }
}

/** From the wallet, gas for free: they stand for what was done long before. */
function approvalsInPlace(
  { profile }: SimulatorDeps,
  ask: SimulateAsk,
  amounts: readonly bigint[],
): SimCall[] {
  const { wallet, tokenIn: token } = ask
  if (isEth(token)) return []
  const { permit2, universal_router: router } = profile.contracts
  const approve = (to: Address, data: Hex): SimCall => ({ from: wallet, to, data, gas: APPROVE_GAS })
  const isTaker = (target: Address) => target !== wallet && target !== router?.toLowerCase()
  const spenders = [lower(permit2), ...(ask.spenders ?? swapTargets(ask).filter(isTaker))]
  const calls = spenders.flatMap((spender) =>
    amounts.map((amount) => approve(token, encodeErc20Approve(spender, amount))),
  )
  if (router === null) return calls
  const allowance = { token, spender: lower(router), amount: MAX_UINT160, expiration: MAX_UINT48 }
  return [...calls, approve(lower(permit2), encodePermit2Approve(allowance))]
}

const swapTargets = ({ transactions }: SimulateAsk): Address[] => [
  ...new Set(transactions.filter(({ kind }) => kind === 'swap').map(({ tx }) => lower(tx.to))),
]
