import type { Address, Hex, SignedTx } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Rpc } from '@pit/platform/rpc'
import { CHAIN_ID, FAST, fail, feeOf } from '@pit/protocol'
import {
  type Account,
  findRelayed,
  type Relay,
  type RelayedTrade,
  type SignedBytes,
  type Trader,
  type TradeTerms,
} from '@pit/relay'
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
  db: Sql
  relayOnce: Relay['relayOnce']
  simulator: Pick<Simulator, 'simulatePlan'>
  account: Pick<Account, 'tierBps' | 'recordRefusal'>
  watch: WalletWatch
  readFunds: ReadFunds
}

/** What a hint may have got wrong: such a failure is judged again by the chain as it is now. */
const HINTED: readonly string[] = [
  'FEE_BPS',
  'PERMIT',
  'NOT_AS_BUILT',
  'STOCK_PAUSED',
  'WALLET_BLOCKED',
  'FAST_FUNDS',
]

/** Assessed by what was known, or by what the chain says now. */
interface Known {
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
  /** Asking the chain and the store for what was not warm. */
  readMs: number
}
interface Times {
  started: number
  checks: number
}
interface Asked {
  request: FastParams
  tx: TxReading
  wallet: Address
}

/** A trade that passed every rule, or one that was relayed before. */
export interface FastTrade {
  hash: Hex
  relayed: boolean
  /** It was relayed before: the trade is told as it was written then. */
  repeat: boolean
  route: PinnedRoute
  withPermit: boolean
  fee: Pick<FastFee, 'bps' | 'tier' | 'shield' | 'recipient'> & RelayedTrade['fee']
  minOut: bigint
  minOutFloor: bigint | null
  checks: Check[]
  simulation: ReturnType<typeof describeSimulation>
  /** Only what was done has a time. */
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
  /** Charges the budget for what asks the node more than a plain trade does. */
  admitSimulation(): Promise<void>
}

/** Reads, rebuilds, judges, tries out and relays; nothing is relayed that fails a single rule. */
export async function fastTrade(
  deps: FastDeps,
  { by: { keyId, wallet }, request, admitSimulation }: FastTradeRequest,
): Promise<FastTrade> {
  const started = performance.now()
  if (request.simulate || request.checkOnly) await admitSimulation()
  deps.watch.want(wallet)
  const asked: Asked = { request, tx: readTx(deps.crypto, request.raw), wallet }
  const assessed = await assessWell(deps, asked)
  const { facts, judged } = assessed
  const signed = signedOf(asked)
  const { simulationMs, readMs } = assessed
  const times: Times = { started, checks: performance.now() - started - simulationMs - readMs }

  if (judged.failures.length > 0) {
    // What was relayed before is answered as such, whatever time has done to it since.
    const before = signed && !request.checkOnly ? await findRelayed(deps.db, signed.hash) : null
    if (before === 'in_flight') fail('IN_FLIGHT')
    const repeated = before && repeatOf(deps, asked, before, times)
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
  const before = repeat ? await findRelayed(deps.db, signed!.hash) : null
  const repeated = before && before !== 'in_flight' && repeatOf(deps, asked, before, times)
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
 * Bytes that were relayed before: the trade as it was written then, whatever is said of it now. Null where no
 * pinned route joins its tokens: it was relayed by another way.
 */
function repeatOf(
  { pinned }: FastDeps,
  { tx: { tx, hash } }: Asked,
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

/** By what is known already; where that would refuse and may be old, once more by what the chain says now. */
async function assessWell(deps: FastDeps, asked: Asked): Promise<Assessed> {
  const hint = deps.watch.hint(asked.wallet)
  const known = hint ? { ...hint, fresh: false, readMs: 0 } : await readKnown(deps, asked)
  const first = await assess(deps, asked, known)
  const doubted = !first.fresh && first.judged.failures.some(({ code }) => HINTED.includes(code))
  if (!doubted) return first
  const second = await assess(deps, asked, await readKnown(deps, asked))
  return { ...second, simulationMs: first.simulationMs + second.simulationMs }
}

async function readKnown(
  { account, readFunds, ...deps }: FastDeps,
  { request, wallet }: Asked,
): Promise<Known> {
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
  asked: Asked,
  { tierBps, funds, fresh, readMs }: Known,
): Promise<Assessed> {
  const facts = gather(deps, { ...asked, nowMs: deps.clock.nowMs(), tierBps, funds })
  let simulationMs = 0
  if (asked.request.simulate && isToTry(facts)) {
    const started = performance.now()
    facts.simulation = withFeeChecked(await simulate(deps, facts), facts)
    simulationMs = performance.now() - started
  }
  return { facts, judged: judge(facts), fresh, simulationMs, readMs }
}

/** Only our own call from the key's wallet is simulated: simulations are not offered for other code. */
function isToTry({ tx: { tx, fault, sender }, wallet, addresses, rebuilt }: Facts): boolean {
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
    // Lent only where nothing can be relayed: what is relayed was tried on what the wallet has.
    fund: request.checkOnly && request.fund,
    approvals: request.checkOnly && request.fund && !request.permit ? 'in place' : 'as planned',
    holdsInput: true,
  })
}

/** A rule that was not judged must never be a rule that passed: what follows sends money. */
function assertJudged({ request, rebuilt, priced, poolOut, simulation, funds, tx, wallet }: Facts): void {
  const tried = request.simulate ? simulation?.ok === true : funds !== null
  if (!tried || rebuilt?.matches !== true || !priced || poolOut === null || tx.sender !== wallet) {
    throw new Error('a fast trade reached the relay without being judged')
  }
}

/** Null unless these are bytes the wallet itself signed. */
function signedOf({ request, tx: { tx, sender, hash }, wallet }: Asked): SignedBytes | null {
  if (!tx || !hash || sender !== wallet) return null
  return { raw: request.raw.toLowerCase() as Hex, hash, signer: sender, nonce: tx.nonce }
}

/** What is written of the trade before its bytes leave. */
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
    // Both ends are major: the one that ranks first counts, and pays.
    volumeToken: token,
  }
}
