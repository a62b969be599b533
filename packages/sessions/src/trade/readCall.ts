import {
  type Address,
  type Execution,
  NATIVE,
  readCurveCall,
  readSwap,
  type SignedAuthorization,
  type SwapReading,
} from '@pit/chain'
import { feeOf } from '@pit/protocol'
import type { Planned, TradeFee, TradePlan, WalletState } from '@pit/trading'
import type { SessionAddresses } from '../addresses.ts'
import type { SessionDeps } from '../deps.ts'
import { authorizationJson } from '../describe.ts'
import { authorizationAt, codeOf } from '../readWallet.ts'
import { isSigned, type Session } from '../types.ts'
import { type RootOf, readRoots, rootOf } from './readRoots.ts'

/** How the wallet comes by the delegator's code. */
export type CodeState =
  | { state: 'in place' }
  /** This trade carries it. */
  | { state: 'with this trade'; authorization: SignedAuthorization }
  /** Its owner has to sign for it first, and what. */
  | { state: 'unsigned'; why: string; sign: Record<string, unknown> }
  | { state: 'unfit'; why: string }

interface Common {
  execution: Execution
  /** Why a session makes no such call; null when it does. */
  fault: string | null
  /** Why its fee is not the one that was set for the trade; null when it is, or cannot be read. */
  feeFault: string | null
  /** What the input lacks of the owner's approvals; null when nothing. */
  setup: string | null
  code: CodeState
  /** The most ETH the root lets out in one call. */
  maxWei: bigint
}

/** The one call a session trade makes from the wallet, and what it was found to say. */
export type SessionCall =
  | (Common & { kind: 'router'; root: RootOf<'router'>; reading: SwapReading | null })
  | (Common & {
      kind: 'curve'
      roots: { curve: RootOf<'curve'>; fee: RootOf<'fee'> } | null
      fee: { recipient: Address; amountWei: bigint }
      /** Who receives what the curve gives. */
      recipient: Address
      /** Steps that a curve trade under its roots has not. */
      oddSteps: readonly string[]
    })

type Deps = Pick<SessionDeps, 'crypto' | 'addresses'>

/** Takes the call out of a plan, and reads it as anybody would who did not make it. */
export function readCall(deps: Deps, session: Session, planned: Planned): SessionCall {
  const { plan, request } = planned
  const addresses = deps.addresses()
  const swap = plan.steps.find(({ kind }) => kind === 'swap')?.tx
  if (!swap) throw new Error('a plan without a swap')
  const execution: Execution = { target: swap.to, valueWei: swap.valueWei, data: swap.data }
  const root = rootOf(deps.crypto, addresses.delegation, session.root)
  if (root?.kind !== 'router') throw new Error('a session without its root')
  const common = {
    execution,
    code: codeFor(deps, session, request.wallet),
    setup: approvalsMissing(planned),
    maxWei: root.eth?.tradeWei ?? 0n,
  }
  return plan.execution === 'router'
    ? routerCall(addresses, { ...common, root }, planned)
    : curveCall(deps, common, session, plan)
}

function routerCall(
  { weth, layout }: SessionAddresses,
  common: Omit<Common, 'fault' | 'feeFault'> & { root: RootOf<'router'> },
  { plan: { quote }, request }: Planned,
): SessionCall {
  const { execution } = common
  const read = readSwap(execution.data, { weth, layout })
  if ('fault' in read) {
    return {
      kind: 'router',
      ...common,
      reading: null,
      feeFault: null,
      fault: `The router call cannot be read: ${read.fault}.`,
    }
  }
  const fault =
    read.permit !== null
      ? 'A session’s call carries no permit.'
      : read.valueWei !== execution.valueWei
        ? 'The call carries another value than it spends.'
        : read.amountIn !== quote.amountIn ||
            read.tokenIn !== quote.tokenIn.address ||
            read.tokenOut !== quote.tokenOut.address
          ? 'The call trades something else than was planned.'
          : null
  return { kind: 'router', ...common, reading: read, fault, feeFault: feeFaultOf(read, request.quote.fee) }
}

/** By what the call says, and not by what it was made from. */
function feeFaultOf({ fee: paid, amountIn }: SwapReading, due: TradeFee): string | null {
  const isPaid =
    paid?.side === due.side &&
    (paid.side === 'input' ? paid.amount === feeOf(amountIn, due.bps) : paid.bps === due.bps)
  return isPaid ? null : `The call does not pay ${due.bps} bps of its ${due.side}.`
}

function curveCall(
  deps: Deps,
  common: Omit<Common, 'fault' | 'feeFault'>,
  session: Session,
  plan: TradePlan,
): SessionCall {
  const { quote, feeAmount } = plan
  const { data } = common.execution
  const read = readCurveCall(data)
  const isBatch = plan.execution === 'batch'
  return {
    kind: 'curve',
    ...common,
    roots: readRoots(deps, session),
    fee: { recipient: quote.fee.recipient, amountWei: feeAmount ?? 0n },
    recipient: read?.recipient ?? NATIVE,
    oddSteps: [
      ...plan.steps.map(({ kind }) => kind).filter((kind) => kind === 'sign_permit'),
      ...(isBatch ? ['batch'] : []),
      ...(quote.fee.token === NATIVE ? [] : ['fee in a token']),
    ],
    fault: read ? null : 'The curve call cannot be read.',
    // It is paid beside the call; a sale's is of what it is expected to bring.
    feeFault:
      quote.tokenIn.address === NATIVE && feeAmount !== feeOf(quote.amountIn, quote.fee.bps)
        ? `The fee beside the call is not ${quote.fee.bps} bps of what it spends.`
        : null,
  }
}

/** An allowance that is missing or too small, in words. */
function approvalsMissing({ spending, request: { quote } }: Planned): string | null {
  const { approve, grant, spender } = spending
  if (approve === null && grant === null) return null
  const symbol = quote.tokenIn.symbol.slice(0, 32)
  return approve !== null
    ? `The wallet lets ${spender} take less ${symbol} than this trade spends: ` +
        `send the setup of the grant, or raise it.`
    : `Permit2 lets the router take less ${symbol} than this trade spends, ` +
        `or not long enough: send the setup of the grant.`
}

/** An authorization counts at one nonce only: whatever the wallet sends in between, it is signed again. */
function codeFor(
  { crypto, addresses }: Deps,
  { wallet, authorization }: Session,
  { delegatedTo, hasOtherCode, nonce }: WalletState,
): CodeState {
  const code = codeOf(delegatedTo, hasOtherCode, addresses().delegation.delegator)
  if (code === 'delegator') return { state: 'in place' }
  if (code === 'other')
    return { state: 'unfit', why: 'The wallet runs other code than the stateless delegator 1.3.0.' }
  if (isSigned(authorization) && authorization.nonce === nonce)
    return { state: 'with this trade', authorization }
  const why = !isSigned(authorization)
    ? 'The wallet does not run the stateless delegator, and no authorization for it is stored'
    : nonce > authorization.nonce
      ? 'The wallet has sent other transactions since it signed its authorization, which no longer counts'
      : `The wallet’s authorization counts only after its next ${authorization.nonce - nonce} transactions`
  return {
    state: 'unsigned',
    why:
      `${why}: sign \`sign.authorization\` (nonce ${nonce}) and send it to live/session/grant ` +
      'with session_id and authorization_signature.',
    sign: authorizationJson(crypto, wallet, authorizationAt(addresses(), nonce)),
  }
}
