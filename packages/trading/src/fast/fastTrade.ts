import type { Account } from '@pit/accounts'
import type { Address, Hex, SignedTx } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Rpc } from '@pit/platform/rpc'
import { CHAIN_ID, FAST, fail, feeOf } from '@pit/protocol'
import type { Relay, RelayedTrade, SignedBytes, Trader, TradeTerms } from '@pit/relay'
import type { Simulator } from '../simulate/index.ts'
import type { Check, PlanSimulation, PlanTx } from '../types.ts'
import { relayedOrRefused } from './afterRelay.ts'
import { readCall } from './diffs.ts'
import type { Facts, FastFee, Funds } from './facts.ts'
import { type GatherDeps, gather, routeOf } from './gather.ts'
import { type Judged, judge, refusalOf } from './judge.ts'
import { minOutFloor } from './prices.ts'
import type { ReadFunds } from './readFunds.ts'
import { readTx, type TxReading } from './readTx.ts'
import type { FastParams } from './rebuild.ts'
import { describeSimulation, withFeeChecked } from './simulation.ts'
import type { PinnedRoute } from './table.ts'
import type { WalletWatch } from './watchWallets.ts'

export interface FastDeps extends GatherDeps {
  clock: Clock
  rpc: Pick<Rpc, 'request'>
  relayOnce: Relay['relayOnce']
  findRelayed: Relay['findRelayed']
  simulator: Pick<Simulator, 'simulatePlan'>
  account: Pick<Account, 'tierBps' | 'recordRefusal'>
  watch: WalletWatch
  readFunds: ReadFunds
}

/** Codes that a stale hint can cause: such failures are checked again with fresh reads. */
const HINT_DEPENDENT_CODES: readonly string[] = [
  'FEE_BPS',
  'PERMIT',
  'NOT_AS_BUILT',
  'STOCK_PAUSED',
  'WALLET_BLOCKED',
  'FAST_FUNDS',
]

/** Wallet data from the hint, or freshly read. */
interface WalletFacts {
  tierBps: number
  funds: Funds | null
  fresh: boolean
  readMs: number
}
interface Assessed {
  facts: Facts
  judged: Judged
  fresh: boolean
  simulationMs: number
  /** Time spent on chain and store reads. */
  readMs: number
}
interface Times {
  started: number
  checks: number
}
interface ParsedTrade {
  request: FastParams
  tx: TxReading
  wallet: Address
}

/** A trade that passed every rule, or one that was relayed before. */
export interface FastTrade {
  hash: Hex
  relayed: boolean
  /** Relayed before: the trade is returned as it was recorded then. */
  repeat: boolean
  route: PinnedRoute
  withPermit: boolean
  fee: Pick<FastFee, 'bps' | 'tier' | 'shield' | 'recipient'> & RelayedTrade['fee']
  minOut: bigint
  minOutFloor: bigint | null
  checks: Check[]
  simulation: ReturnType<typeof describeSimulation>
  /** A stage that did not run has no time. */
  timings: {
    checksMs: number
    readMs?: number
    simulationMs?: number
    writeMs?: number
    sendMs?: number
    totalMs: number
  }
}

export interface FastTradeRequest {
  by: Trader
  request: FastParams
  /** Charges the rate budget for the extra node calls of a simulation. */
  admitSimulation(): Promise<void>
}

/** Parses, rebuilds, checks, simulates and relays; a trade that fails any rule is not relayed. */
export async function fastTrade(
  deps: FastDeps,
  { by: { keyId, wallet }, request, admitSimulation }: FastTradeRequest,
): Promise<FastTrade> {
  const started = performance.now()
  if (request.simulate || request.checkOnly) await admitSimulation()
  deps.watch.want(wallet)
  const trade: ParsedTrade = { request, tx: readTx(deps.crypto, request.raw), wallet }
  const assessed = await assessWell(deps, trade)
  const { facts, judged } = assessed
  const signed = signedOf(trade)
  const { simulationMs, readMs } = assessed
  const times: Times = { started, checks: performance.now() - started - simulationMs - readMs }

  if (judged.failures.length > 0) {
    // A trade relayed before is returned as such, even if it would fail a rule now.
    const before = signed && !request.checkOnly ? await deps.findRelayed(signed.hash) : null
    if (before === 'in_flight') fail('IN_FLIGHT')
    const repeated = before && repeatOf(deps, trade, before, times)
    if (repeated) return repeated
    const { tokenIn, tokenOut, amountIn, minOut: amountOutMin } = request
    const { code } = judged.failures[0]!
    deps.account.recordRefusal({
      keyId,
      wallet,
      path: 'fast',
      code,
      tokenIn,
      tokenOut,
      amountIn,
      amountOutMin,
    })
    throw refusalOf(facts, judged)
  }
  if (request.checkOnly) return tradeOf(assessed, { relayed: false, repeat: false, times })
  assertJudged(facts)
  const terms = tradeTerms(facts)
  const outcome = await deps.relayOnce({
    signed: signed!,
    kind: 'swap',
    keyId,
    wallet,
    terms,
    whenInFlight: 'tell',
  })
  const { repeat } = await relayedOrRefused(deps, outcome, signed!)
  const before = repeat ? await deps.findRelayed(signed!.hash) : null
  const repeated = before && before !== 'in_flight' && repeatOf(deps, trade, before, times)
  if (repeated) return repeated
  return tradeOf(assessed, { relayed: true, repeat, times, relay: outcome.ms })
}

function tradeOf(
  { facts, judged, simulationMs, readMs }: Assessed,
  {
    relayed,
    repeat,
    times,
    relay,
  }: { relayed: boolean; repeat: boolean; times: Times; relay?: { write: number; send: number } },
): FastTrade {
  const { fee, tx, request } = facts
  const route = facts.route!
  const { side, token } = route.row.fee
  return {
    hash: tx.hash!,
    relayed,
    repeat,
    route,
    withPermit: request.permit !== null,
    fee: { ...fee, side, token: token as Address },
    minOut: request.minOut,
    minOutFloor: minOutFloor(facts),
    checks: judged.checks,
    simulation: describeSimulation(facts),
    timings: {
      checksMs: times.checks,
      ...(readMs > 0 && { readMs }),
      ...(facts.simulation && { simulationMs }),
      ...(relay && { writeMs: relay.write, sendMs: relay.send }),
      totalMs: performance.now() - times.started,
    },
  }
}

/**
 * The recorded trade for bytes that were relayed before. Null if no pinned route joins its tokens: another
 * endpoint relayed it.
 */
function repeatOf(
  { pinned }: FastDeps,
  { tx: { tx, hash } }: ParsedTrade,
  { tokenIn, tokenOut, minOut, fee }: RelayedTrade,
  times: Times,
): FastTrade | null {
  const route = [...pinned.routes.values()].find(
    (one) => one.tokenIn.address === tokenIn && one.tokenOut.address === tokenOut,
  )
  if (!route) return null
  return {
    hash: hash!,
    relayed: true,
    repeat: true,
    route,
    withPermit: readCall(tx!.data, pinned.addresses)?.commands[0]?.command === 'PERMIT2_PERMIT',
    fee: { ...fee, shield: fee.bps > fee.tier },
    minOut,
    minOutFloor: null,
    checks: [],
    simulation: null,
    timings: { checksMs: times.checks, totalMs: performance.now() - times.started },
  }
}

/** Assesses with the hint; if that would refuse and the hint may be stale, once more with fresh reads. */
async function assessWell(deps: FastDeps, trade: ParsedTrade): Promise<Assessed> {
  const hint = deps.watch.hint(trade.wallet)
  const walletFacts = hint ? { ...hint, fresh: false, readMs: 0 } : await readWalletFacts(deps, trade)
  const first = await assess(deps, trade, walletFacts)
  const doubted =
    !first.fresh && first.judged.failures.some(({ code }) => HINT_DEPENDENT_CODES.includes(code))
  if (!doubted) return first
  const second = await assess(deps, trade, await readWalletFacts(deps, trade))
  return { ...second, simulationMs: first.simulationMs + second.simulationMs }
}

async function readWalletFacts(
  { account, readFunds, ...deps }: FastDeps,
  { request, wallet }: ParsedTrade,
): Promise<WalletFacts> {
  const started = performance.now()
  const route = routeOf(deps, request)
  const isStock = route !== null && (route.tokenIn.stock || route.tokenOut.stock)
  const needsFunds = isStock || !request.simulate || request.permit !== null
  const [tierBps, read] = await Promise.all([
    account.tierBps(wallet),
    needsFunds ? readFunds([wallet]) : null,
  ])
  return { tierBps, funds: read?.[0] ?? null, fresh: true, readMs: performance.now() - started }
}

async function assess(
  deps: FastDeps,
  trade: ParsedTrade,
  { tierBps, funds, fresh, readMs }: WalletFacts,
): Promise<Assessed> {
  const facts = gather(deps, { ...trade, nowMs: deps.clock.nowMs(), tierBps, funds })
  let simulationMs = 0
  if (trade.request.simulate && isSimulatable(facts)) {
    const started = performance.now()
    facts.simulation = withFeeChecked(await simulate(deps, facts), facts)
    simulationMs = performance.now() - started
  }
  return { facts, judged: judge(facts), fresh, simulationMs, readMs }
}

/** Simulates only our own call from the key's wallet; arbitrary code is not simulated. */
function isSimulatable({ tx: { tx, fault, sender }, wallet, addresses, rebuilt }: Facts): boolean {
  return (
    fault === null &&
    tx?.type === FAST.txType &&
    tx.chainId === CHAIN_ID &&
    tx.to === addresses.router &&
    sender === wallet &&
    tx.gas <= BigInt(FAST.gasLimitMax) &&
    rebuilt?.matches === true
  )
}

async function simulate({ simulator }: FastDeps, facts: Facts): Promise<PlanSimulation> {
  const { wallet, request, route, fee } = facts
  const tx = facts.tx.tx as SignedTx & { type: 2 }
  const planTx: PlanTx = {
    from: wallet,
    to: tx.to!,
    valueWei: tx.value,
    data: tx.data,
    gas: Number(tx.gas),
    nonce: tx.nonce,
    maxFeePerGasWei: tx.maxFeePerGas,
    maxPriorityFeePerGasWei: tx.maxPriorityFeePerGas,
  }
  return simulator.simulatePlan({
    wallet,
    transactions: [{ kind: 'swap', tx: planTx }],
    tokenIn: route!.tokenIn.address,
    tokenOut: route!.tokenOut.address,
    amountIn: request.amountIn,
    fee: { token: fee.token!, recipient: fee.recipient },
    amountOutMin: request.minOut,
    // Funds are lent in check-only mode; a trade to be relayed is simulated on the wallet's own balance.
    fund: request.checkOnly && request.fund,
    approvals: request.checkOnly && request.fund && !request.permit ? 'in place' : 'as planned',
    holdsInput: true,
  })
}

/** Guard before sending money: every rule must have been evaluated. */
function assertJudged({ request, rebuilt, priced, poolOut, simulation, funds, tx, wallet }: Facts): void {
  const tried = request.simulate ? simulation?.ok === true : funds !== null
  if (!tried || rebuilt?.matches !== true || !priced || poolOut === null || tx.sender !== wallet) {
    throw new Error('a fast trade reached the relay without passing every rule')
  }
}

/** Null unless the wallet itself signed these bytes. */
function signedOf({ request, tx: { tx, sender, hash }, wallet }: ParsedTrade): SignedBytes | null {
  if (!tx || !hash || sender !== wallet) return null
  return { raw: request.raw.toLowerCase() as Hex, hash, signer: sender, nonce: tx.nonce }
}

/** Trade record, written before the bytes are sent. */
function tradeTerms({ route, request, fee }: Facts): TradeTerms {
  const { tokenIn, tokenOut, row } = route!
  const { bps, tier, recipient } = fee
  const { side } = row.fee
  const token = row.fee.token as Address
  return {
    path: 'fast',
    sessionId: null,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn: request.amountIn,
    amountOutMin: request.minOut,
    fee: {
      bps,
      class: 'major',
      tier,
      side,
      token,
      amount: side === 'input' ? feeOf(request.amountIn, bps) : null,
      recipient,
    },
    feeApart: false,
    // Both ends are major: the higher-ranked one counts for volume and pays the fee.
    volumeToken: token,
  }
}
