import { type Crypto, type Hex, NATIVE, type PermitSingle } from '@pit/chain'
import { describeSwap, encodeSwap, type SwapPlan } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import type { PoolLeg, TradePlan, TradeQuote } from '../types.ts'
import type { TradeAddresses } from './addresses.ts'
import { type Outcome, outcomeOf } from './amounts.ts'
import type { Grant } from './approvals.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import { checkAnchor, permitOf, verifyPermit } from './permits.ts'
import { approvalDrafts, type BuildRequest, deadlineOf, floorOf, type Spending } from './spending.ts'
import { amountJson, type Draft, limitFromEstimate, lineUp, permit2ApproveStep } from './steps.ts'

type RouterRequest = BuildRequest & {
  route: BuildableRoute & { way: { kind: 'pools'; legs: readonly PoolLeg[] } }
}

/** One call of the Universal Router, and the approvals before it. */
export function buildRouterPlan(
  deps: { crypto: Crypto; addresses: TradeAddresses },
  request: RouterRequest,
  spending: Spending,
): TradePlan {
  const { quote, route, wallet } = request
  const deadlineS = deadlineOf(request.nowS)
  const drafts = approvalDrafts(request, spending)
  const permission = permitFor(deps, request, spending)
  drafts.push(...permission.drafts)
  const outcome = outcomeOf(quote, route, floorOf(request))
  const { permit, signature, complete } = permission
  const terms = { legs: route.way.legs, outcome, deadlineS }
  if (complete) drafts.push(swapDraft(deps.addresses, request, { ...terms, permit, signature }))
  const preview = complete
    ? null
    : swapDraft(deps.addresses, request, { ...terms, permit: null, signature: null }).call
  const isInput = quote.fee.side === 'input'
  return {
    quote,
    route,
    execution: 'router',
    steps: lineUp(drafts, { ...wallet, gasPriceWei: quote.gasPriceWei }),
    feeAmount: isInput ? feeOf(quote.amountIn, quote.fee.bps) : null,
    feeCommand: !isInput
      ? 'PAY_PORTION'
      : quote.tokenIn.address === NATIVE
        ? 'TRANSFER'
        : 'PERMIT2_TRANSFER_FROM',
    amountOutMin: outcome.min,
    amountOutExpected: outcome.expected,
    deadlineS,
    permit,
    permitNowS: permit && permission.anchorS,
    preview,
    complete,
  }
}

interface Permission {
  drafts: Draft[]
  permit: PermitSingle | null
  signature: Hex | null
  anchorS: number
  complete: boolean
}

/** Permit2's allowance to the router: in place, by signature or by a transaction. */
function permitFor(
  { crypto, addresses }: { crypto: Crypto; addresses: TradeAddresses },
  request: BuildRequest,
  { grant }: Spending,
): Permission {
  const { quote, wallet, approval, nowS } = request
  const anchorS = request.permit.kind === 'signed' ? request.permit.nowS : nowS
  const none: Permission = { drafts: [], permit: null, signature: null, anchorS, complete: true }
  if (grant === null) return none
  if (approval.permitMode === 'transaction') {
    return { ...none, drafts: [grantStep(addresses, quote, grant)] }
  }
  const token = quote.tokenIn.address
  const { router } = addresses
  const permit = permitOf({ token, router, grant, nonce: wallet.permit.nonce, anchorS })
  if (request.permit.kind === 'own key') return { ...none, permit, signature: request.permit.sign(permit) }
  if (request.permit.kind === 'signed') {
    const { signature } = request.permit
    checkAnchor(anchorS, { nowS, deadlineS: deadlineOf(nowS) })
    return {
      ...none,
      permit,
      signature: verifyPermit({ crypto, addresses }, { permit, signature, wallet: wallet.wallet }),
    }
  }
  return { ...none, permit, drafts: [signStep(quote, permit)], complete: false }
}

function grantStep({ permit2, router }: TradeAddresses, { tokenIn }: TradeQuote, grant: Grant): Draft {
  return permit2ApproveStep({ permit2, token: tokenIn, router, ...grant })
}

const signStep = ({ tokenIn }: TradeQuote, { details, spender, sigDeadline }: PermitSingle): Draft => ({
  kind: 'sign_permit',
  why:
    'Sign `permit` and repeat the request with permit_signature and permit_now: ' + 'no transaction, no gas.',
  call: null,
  decoded: () => ({
    function: 'PermitSingle, a signature for Permit2',
    spender,
    ...amountJson(tokenIn, details.amount),
    expiration: details.expiration,
    nonce: details.nonce,
    sig_deadline: Number(sigDeadline),
  }),
})

function swapDraft(
  addresses: TradeAddresses,
  { quote, route }: BuildRequest,
  terms: { legs: readonly PoolLeg[]; outcome: Outcome; deadlineS: number } & Pick<
    Permission,
    'permit' | 'signature'
  >,
): Draft {
  const { permit, signature } = terms
  const { fee, tokenIn, tokenOut } = quote
  const { contractMin, direct, countsBeforeTax } = terms.outcome
  const swap: SwapPlan = {
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    amountIn: quote.amountIn,
    legs: terms.legs,
    amountOutMin: contractMin,
    direct,
    fee: { bps: fee.bps, side: fee.side, recipient: fee.recipient },
    ...(permit && signature ? { permit: { permit, signature } } : {}),
    deadlineS: BigInt(terms.deadlineS),
    weth: addresses.weth,
    layout: addresses.layout,
  }
  const { valueWei, data } = encodeSwap(swap)
  const gas = limitFromEstimate(route.gas + (permit ? PERMIT_GAS : 0))
  return {
    kind: 'swap',
    why: 'The trade, including the fee.',
    call: { to: addresses.router, valueWei, data, gas },
    decoded: () => ({
      ...describeSwap(swap, addresses.namesFor([tokenIn, tokenOut])),
      ...(countsBeforeTax && tokenOut.core === null && { minimum_counts: BEFORE_TAX }),
    }),
  }
}

const BEFORE_TAX =
  'before the token’s tax: the pool pays the wallet directly, since a transfer through the router would be ' +
  'taxed again, and the pool counts what it sends. A tax raised before the trade is mined reduces what arrives.'

/** Gas to check a signature and write a new allowance. */
const PERMIT_GAS = 60_000
