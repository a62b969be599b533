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

/** How the wallet gets the delegator's code. */
export type CodeState =
  | { state: 'in place' }
  /** This trade includes the authorization. */
  | { state: 'with this trade'; authorization: SignedAuthorization }
  /** The owner has to sign an authorization first. */
  | { state: 'unsigned'; why: string; sign: Record<string, unknown> }
  | { state: 'unfit'; why: string }

interface Common {
  execution: Execution
  /** Why this call is not allowed in a session; null if it is. */
  fault: string | null
  /** Why the call's fee differs from the trade's; null if equal or unreadable. */
  feeFault: string | null
  /** Missing approval of the input; null if sufficient. */
  setup: string | null
  code: CodeState
  /** The root's maximum ETH per call. */
  maxWei: bigint
}

/** The single call of a session trade, decoded. */
export type SessionCall =
  | (Common & { kind: 'router'; root: RootOf<'router'>; reading: SwapReading | null })
  | (Common & {
      kind: 'curve'
      roots: { curve: RootOf<'curve'>; fee: RootOf<'fee'> } | null
      fee: { recipient: Address; amountWei: bigint }
      /** Recipient of the curve's output. */
      recipient: Address
      /** Steps not allowed in a curve trade under its roots. */
      oddSteps: readonly string[]
    })

type Deps = Pick<SessionDeps, 'crypto' | 'addresses'>

/** Extracts the call from a plan and decodes it independently. */
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
      ? 'A session call must not contain a permit.'
      : read.valueWei !== execution.valueWei
        ? 'The call’s value differs from the amount it spends.'
        : read.amountIn !== quote.amountIn ||
            read.tokenIn !== quote.tokenIn.address ||
            read.tokenOut !== quote.tokenOut.address
          ? 'The call differs from the planned trade.'
          : null
  return { kind: 'router', ...common, reading: read, fault, feeFault: feeFaultOf(read, request.quote.fee) }
}

/** Checks the decoded call, not its source data. */
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
    // Paid outside the call; for a sale it is based on the expected output.
    feeFault:
      quote.tokenIn.address === NATIVE && feeAmount !== feeOf(quote.amountIn, quote.fee.bps)
        ? `The separate fee is not ${quote.fee.bps} bps of the amount spent.`
        : null,
  }
}

/** Message for a missing or insufficient allowance. */
function approvalsMissing({ spending, request: { quote } }: Planned): string | null {
  const { approve, grant, spender } = spending
  if (approve === null && grant === null) return null
  const symbol = quote.tokenIn.symbol.slice(0, 32)
  return approve !== null
    ? `The approval of ${symbol} to ${spender} is less than this trade spends. ` +
        `Send the setup of the grant, or raise the approval.`
    : `The Permit2 allowance of ${symbol} for the router is too small ` +
        `or expires too early. Send the setup of the grant.`
}

/** An authorization is valid at one nonce only: after any other transaction it has to be signed again. */
function codeFor(
  { crypto, addresses }: Deps,
  { wallet, authorization }: Session,
  { delegatedTo, hasOtherCode, nonce }: WalletState,
): CodeState {
  const code = codeOf(delegatedTo, hasOtherCode, addresses().delegation.delegator)
  if (code === 'delegator') return { state: 'in place' }
  if (code === 'other')
    return { state: 'unfit', why: 'The wallet has other code than the stateless delegator 1.3.0.' }
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
