import { type Address, type HopPath, NATIVE } from '@pit/chain'
import { dollarsText, etherText, maxOf, worthDown } from '@pit/protocol'
import { own } from '../own/own.ts'
import { amountText, type TokenFactsMap } from '../own/tokenFacts.ts'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import { feesOf, triedGas } from '../verify/gas.ts'
import { gasOf, inside, type PlanReading, readApproval } from '../verify/readPlan.ts'
import { approvalText } from '../verify/signedTerms.ts'
import type { TradeReview, Verified } from '../verify/verified.ts'
import { timeText } from './effects.ts'

type Reviewed = Omit<Verified, 'review'>
interface Names {
  pins: Pins
  wallet: Address
  tokens: TokenFactsMap
}

/** Tokens that a review names. */
export const reviewedTokens = ({ tokenIn, tokenOut, between, approvals, permit }: PlanReading): Address[] => [
  ...[tokenIn, tokenOut, ...between, ...approvals.map(({ token }) => token)],
  ...(permit ? [permit.permit.details.token] : []),
]

export function reviewTrade(names: Names, verified: Reviewed): TradeReview {
  const { pins, tokens } = names
  const { reading, own: read } = verified
  const { tokenIn, tokenOut, amountIn, amountOutMin, deadlineS, permit } = reading
  const amount = (atoms: bigint, token: Address): string => amountText(own(atoms), tokens.get(token)!)
  const { trial } = read
  const isTaxed = reading.direct && !pins.tokens.has(tokenOut)
  const { paid } = read.market
  return own({
    rows: [
      { label: 'You sell', text: amount(amountIn, tokenIn) },
      {
        label: 'Minimum received',
        text: `${amount(amountOutMin, tokenOut)}${isTaxed ? ', before a tax of the token itself' : ''}`,
      },
      { label: 'Expected', text: trial.ok ? amount(trial.changes[0]!, tokenOut) : 'not simulated' },
      { label: 'Value', text: paid ? dollarsText(worthDown(amountIn, paid.bid)) : 'no price on your node' },
      { label: 'Fee', text: feeText(pins, reading, amount) },
      { label: 'Route', text: routeText(tokens, reading) },
      { label: 'Gas', text: gasText(pins, verified) },
    ],
    transactions: reading.transactions.map((step) => stepText(names, reading, step)),
    approvals: [
      ...reading.approvals.map((one) => ({
        amount: amount(one.amount, one.token),
        text: approvalText(pins, one),
      })),
      ...(permit ? [permitOf(permit.permit.details, amount)] : []),
    ],
    sellsEther: tokenIn === NATIVE,
    deadlineS: deadlineS === null ? null : Number(deadlineS),
  })
}

type AmountText = (atoms: bigint, token: Address) => string

function feeText(pins: Pins, { fee, tokenOut }: PlanReading, amount: AmountText): string {
  if (fee === null) return 'none'
  const { pays, token } = fee
  const what =
    'atoms' in pays
      ? amount(pays.atoms, token)
      : `${pays.bps} bps of the ${token === tokenOut ? 'output' : 'input'}`
  return `${what}, to the pinned recipient ${pins.feeRecipient}`
}

function routeText(tokens: TokenFactsMap, { curve, legs }: PlanReading): string {
  if (curve) return `launch curve ${curve.id}`
  const name = (token: Address): string => tokens.get(token)?.name ?? token
  return legs
    .map(({ hops }) => [
      name(hops[0]!.tokenIn),
      ...hops.map((hop) => `${poolText(hop)} ${name(hop.tokenOut)}`),
    ])
    .map((parts) => parts.join(' → '))
    .join('; ')
}

function poolText(hop: HopPath): string {
  const pips = hop.version === 'v2' ? 3_000 : hop.version === 'v3' ? hop.feePips : hop.key.fee
  return `(${hop.version}, ${pips >= 1_000_000 ? 'variable fee' : `${pips / 10_000}%`})`
}

/** By the client's own simulation, and the most that the signed limits allow. */
function gasText(pins: Pins, { plan, own: read }: Reviewed): string {
  const { maxFeePerGas } = feesOf(read)
  const limits = plan.steps.flatMap(({ tx }, i) => (tx ? [maxOf(gasOf(pins, tx), triedGas(read, i))] : []))
  // The limit of a swap that waits for its permit is not known yet.
  if (plan.permit) limits.push(BigInt(pins.limits.plan_gas))
  const most = `at most ${etherText(sum(limits) * maxFeePerGas)}`
  return read.trial.ok ? `about ${etherText(sum(read.trial.gasUsed) * read.baseFeeWei)}, ${most}` : most
}

const sum = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n)

function stepText({ pins, wallet }: Names, { curve, tokenIn }: PlanReading, step: UnsignedStep): string {
  const parts = inside(wallet, step).map((call) => {
    const approval = readApproval(pins, call)
    if (approval) return approvalText(pins, approval)
    if (call.to === pins.router) return 'The trade, by the exchange’s router.'
    return curve && call.to === curve.id ? 'The trade, on its launch curve.' : 'The fee.'
  })
  return step.value > 0n && tokenIn === NATIVE
    ? `${parts.join(' ')} It sends ${etherText(step.value)}.`
    : parts.join(' ')
}

const permitOf = (
  { token, amount: atoms, expiration }: { token: Address; amount: bigint; expiration: number },
  amountOf: AmountText,
) => {
  const amount = amountOf(atoms, token)
  return {
    amount,
    text: `Your wallet signs a permit: the router may take ${amount} until ${timeText(expiration)}.`,
  }
}
