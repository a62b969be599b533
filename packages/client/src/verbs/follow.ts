import { type Address, type Hex, NATIVE } from '@pit/chain'
import { feeOf } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { refuse } from '../errors.ts'
import { readEtherMoves } from '../own/etherMoves.ts'
import { netOf, type Receipt, receiptOf, transfersIn } from '../own/receipt.ts'
import type { Pins } from '../pins.ts'
import type { FeePaid, PlanReading } from '../verify/readPlan.ts'
import { type HandOverOptions, notMined, type SignedBytes } from './handOver.ts'
import { findReceipt, relay, waitMined } from './sendSigned.ts'
import { type Fate, watchBytes } from './watchBytes.ts'

/** The least a trade must bring, and the fee it may pay. */
export interface Bound {
  /** Whose balance grows: the account, or the wallet behind its session. */
  receiver: Address
  tokenOut: Address
  leastOut: bigint
  /** The service's fee; null when the calldata pays none. Absent in records of older versions. */
  fee?: SignedFee | null
  /** The call's own deadline, or how long to wait when it has none. */
  deadlineS: number
  /** The call has no deadline: the bytes can be mined until their nonce is used. */
  undated?: true
}
export type SignedFee = { token: Address; recipient: Address; pays: FeePaid }

export const signedFee = (
  { feeRecipient: recipient }: Pick<Pins, 'feeRecipient'>,
  { fee }: Pick<PlanReading, 'fee'>,
): SignedFee | null => fee && { token: fee.token, recipient, pays: fee.pays }

/**
 * A trade's signed bytes and what they must bring. Store it to finish the trade after a crash.
 * @public
 */
export interface SignedTrade extends Bound, SignedBytes {}
/**
 * A mined trade, by your own node.
 * @public
 */
export interface Followed {
  receipt: Receipt
  /** Received by the receiver; null if this node cannot prove it (ETH in a block that it cannot replay). */
  amountOut: bigint | null
  /** Received by the fee recipient; null if this node cannot prove it. */
  feePaid: bigint | null
}

/** Waits until sent transactions are mined, and checks what they moved against what was signed. */
export async function follow(
  deps: ClientDeps,
  bound: Bound,
  hashes: readonly Hex[],
  { signal }: VerbOptions,
): Promise<Followed> {
  const { deadlineS, undated } = bound
  const until = { deadlineS, undated, signal }
  const { receipt, fate } = await waitMined(deps, hashes.at(-1)!, until)
  const earlier = await Promise.all(
    hashes.slice(0, -1).map(async (hash) => {
      // Lower nonces of the same account, so these are mined too.
      const one = await watchBytes(deps, hash, until)
      if (one.receipt === null) throw notMined(one.fate, until)
      return receiptOf(hash, one.receipt)
    }),
  )
  return { receipt, ...(await checkMoves(deps, bound, [...earlier, receipt], fate)) }
}

/**
 * Finishes a trade that was signed before: looks for it first, then hands over the same bytes again.
 * @param signed of the stage `signed` of `trade`, stored before a crash
 * @param options `signal`, `onStage`
 * @returns receipt and what was received
 * @throws NOT_MINED the transactions can no longer be mined, or their fate is unknown
 * @example
 * ```ts
 * let stored: SignedTrade | undefined
 * await client.trade(
 *   { token_in: 'ETH', token_out: 'USDG', notional_usd: 10 },
 *   {
 *     onStage: (stage) => {
 *       if (stage.stage === 'signed') stored = stage.signed
 *     },
 *   },
 * )
 * if (stored) console.log((await client.resume(stored)).receipt.block)
 * ```
 */
export async function resume(
  deps: ClientDeps,
  signed: SignedTrade,
  options: HandOverOptions = {},
): Promise<Followed> {
  const { hashes, deadlineS, undated } = signed
  if (!(await findReceipt(deps, hashes.at(-1)!, options)))
    await relay(deps, signed, { deadlineS, undated, ...options })
  return follow(deps, signed, hashes, options)
}

/** Tokens by the receipts' logs, ETH by what the node can prove about the blocks. */
async function checkMoves(
  { rpc, pins }: ClientDeps,
  { receiver, tokenOut, leastOut, fee }: Bound,
  receipts: readonly Receipt[],
  fate: Fate,
): Promise<Omit<Followed, 'receipt'>> {
  const recipient = fee?.recipient ?? receiver
  const needsEther = tokenOut === NATIVE || fee?.token === NATIVE
  const ether = needsEther ? await readEtherMoves(rpc, receipts, [receiver, recipient]) : null
  const transfers = transfersIn(receipts.flatMap(({ logs }) => logs))
  const gained = (token: Address, holder: Address): bigint | null =>
    token === NATIVE ? (ether?.get(holder) ?? null) : netOf(transfers, token, holder)
  const amountOut = gained(tokenOut, receiver)
  const details = { tx_hash: fate.hash, fate }
  if (amountOut !== null && amountOut < leastOut)
    refuse(
      'MINED_MISMATCH',
      `${amountOut} atoms were received, but the signed minimum is ${leastOut}`,
      details,
    )
  if (!fee) return { amountOut, feePaid: fee === null ? 0n : null }
  // The fee recipient's own trades: its fee cannot be separated from its output.
  if (recipient === receiver) return { amountOut, feePaid: null }
  const feePaid = gained(fee.token, recipient)
  const due = feeDue(fee, { amountOut, feePaid, routed: sentBy(pins.router) })
  // Tokens outside the pins can tax a transfer, so less may arrive; never more.
  const isExact = fee.token === NATIVE || pins.tokens.has(fee.token)
  if (feePaid !== null && due !== null && (isExact ? feePaid !== due : feePaid > due))
    refuse('MINED_MISMATCH', `a fee of ${feePaid} atoms was paid, but the signed fee is ${due}`, details)
  return { amountOut, feePaid }

  function sentBy(router: Address): bigint {
    return transfers.reduce(
      (sum, { token, from, atoms }) => (token === tokenOut && from === router ? sum + atoms : sum),
      0n,
    )
  }
}

/** A rate is of what the router held of the output: the fee and the receiver's part together. */
function feeDue(
  { token, pays }: SignedFee,
  { amountOut, feePaid, routed }: { amountOut: bigint | null; feePaid: bigint | null; routed: bigint },
): bigint | null {
  if ('atoms' in pays) return pays.atoms
  if (token !== NATIVE) return feeOf(routed, pays.bps)
  return amountOut === null || feePaid === null ? null : feeOf(amountOut + feePaid, pays.bps)
}
