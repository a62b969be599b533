import { type Address, feeOf, type Hex, type SignedTx } from '@pit/chain'
import type { Call, Charge } from '@pit/platform/call'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Rpc } from '@pit/platform/rpc'
import { type Answer, CHAIN_ID, FAST, fail } from '@pit/protocol'
import {
  type Account,
  findRelayed,
  type Relay,
  type RelayedTrade,
  type SignedBytes,
  type TradeTerms,
} from '@pit/relay'
import type { PlanSimulation, PlanTx, Trade } from '../index.ts'
import { relayedOrRefused } from './afterRelay.ts'
import { describeRepeat, describeTrade } from './describeTrade.ts'
import type { Facts, FastBody, Funds } from './facts.ts'
import { type GatherDeps, gather, routeOf } from './gather.ts'
import { type Judged, judge, refusalOf } from './judge.ts'
import type { ReadFunds } from './readFunds.ts'
import { readTx, type TxReading } from './readTx.ts'
import { withFeeChecked } from './simulation.ts'
import type { WalletWatch } from './watchWallets.ts'

export interface FastDeps extends GatherDeps {
  clock: Clock
  rpc: Pick<Rpc, 'request'>
  db: Sql
  relayOnce: Relay['relayOnce']
  simulator: Pick<Trade['simulator'], 'simulatePlan'>
  account: Pick<Account, 'tierBps' | 'recordRefusal'>
  watch: WalletWatch
  readFunds: ReadFunds
  charge: Charge
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
  body: FastBody
  tx: TxReading
  wallet: Address
}

/** POST live/fast: read, rebuilt, judged, tried out, relayed; nothing is relayed that fails a single rule. */
export async function fastTrade(deps: FastDeps, call: Call<'live.fast'>): Promise<Answer<'live.fast'>> {
  const started = performance.now()
  const { body, caller } = call
  const { keyId, wallet } = keyOf(call)
  if (body.simulate || body.check_only) await deps.charge(caller, ['fast_sim'])
  deps.watch.want(wallet)
  const asked: Asked = { body, tx: readTx(deps.crypto, body.raw_tx), wallet }
  const assessed = await assessWell(deps, asked)
  const { facts, judged } = assessed
  const signed = signedOf(asked)
  const { simulationMs, readMs } = assessed
  const times: Times = { started, checks: performance.now() - started - simulationMs - readMs }

  if (judged.failures.length > 0) {
    // What was relayed before is answered as such, whatever time has done to it since.
    const before = signed && !body.check_only ? await findRelayed(deps.db, signed.hash) : null
    if (before === 'in_flight') fail('IN_FLIGHT')
    const repeated = before && repeatOf(deps, asked, before, times)
    if (repeated) return repeated
    const { amountIn, minOut: amountOutMin } = facts.ask
    const { token_in: tokenIn, token_out: tokenOut } = body
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
  if (body.check_only) return describeTrade(deps, assessed, { relayed: false, repeat: false, times })
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
  return describeTrade(deps, assessed, { relayed: true, repeat, times, relay: outcome.ms })
}

const repeatOf = (deps: FastDeps, { tx: { tx, hash } }: Asked, before: RelayedTrade, times: Times) =>
  describeRepeat(deps, before, { hash: hash!, data: tx!.data, times })

function keyOf({ caller: { key } }: Call<'live.fast'>): { keyId: number; wallet: Address } {
  return key?.wallet ? { keyId: key.keyId, wallet: key.wallet } : fail('WALLET_NOT_BOUND')
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

async function readKnown({ account, readFunds, ...deps }: FastDeps, { body, wallet }: Asked): Promise<Known> {
  const started = performance.now()
  const route = routeOf(deps, body)
  const isStock = route !== null && (route.tokenIn.stock || route.tokenOut.stock)
  const needsFunds = isStock || !body.simulate || Boolean(body.permit)
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
  if (asked.body.simulate && isToTry(facts)) {
    const started = performance.now()
    facts.simulation = withFeeChecked(await simulate(deps, facts), facts)
    simulationMs = performance.now() - started
  }
  return { facts, judged: judge(facts), fresh, simulationMs, readMs }
}

/** Only what is our own call from the key's wallet is tried out: a simulation is no service for strangers' code. */
function isToTry({ tx: { tx, fault, sender }, wallet, place, rebuilt }: Facts): boolean {
  return (
    fault === null &&
    tx?.type === FAST.txType &&
    tx.chainId === CHAIN_ID &&
    tx.to === place.router &&
    sender === wallet &&
    tx.gas <= BigInt(FAST.gasLimitMax) &&
    rebuilt?.matches === true
  )
}

async function simulate({ simulator }: FastDeps, facts: Facts): Promise<PlanSimulation> {
  const { wallet, ask, route, body, fee } = facts
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
    amountIn: ask.amountIn,
    fee: { token: fee.token!, recipient: fee.recipient },
    amountOutMin: ask.minOut,
    // Lent only where nothing can be relayed: what is relayed was tried on what the wallet has.
    fund: body.check_only && body.fund === true,
    approvals: body.check_only && body.fund === true && !ask.permit ? 'in place' : 'as planned',
    holdsInput: true,
  })
}

/** A rule that was not judged must never be a rule that passed: what follows sends money. */
function assertJudged({ body, rebuilt, priced, poolOut, simulation, funds, tx, wallet }: Facts): void {
  const tried = body.simulate ? simulation?.ok === true : funds !== null
  if (!tried || rebuilt?.matches !== true || !priced || poolOut === null || tx.sender !== wallet) {
    throw new Error('a fast trade reached the relay without being judged')
  }
}

/** Null unless these are bytes the wallet itself signed. */
function signedOf({ body, tx: { tx, sender, hash }, wallet }: Asked): SignedBytes | null {
  if (!tx || !hash || sender !== wallet) return null
  return { raw: body.raw_tx.toLowerCase() as Hex, hash, signer: sender, nonce: tx.nonce }
}

/** What is written of the trade before its bytes leave. */
function tradeTerms({ route, ask, fee }: Facts): TradeTerms {
  const { tokenIn, tokenOut, row } = route!
  const { bps, tier, recipient } = fee
  const { side } = row.fee
  const token = row.fee.token as Address
  return {
    path: 'fast',
    sessionId: null,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn: ask.amountIn,
    amountOutMin: ask.minOut,
    fee: {
      bps,
      class: 'major',
      tier,
      side,
      token,
      amount: side === 'input' ? feeOf(ask.amountIn, bps) : null,
      recipient,
    },
    feeApart: false,
    // Both ends are major: the one that ranks first counts, and pays.
    volumeToken: token,
  }
}
