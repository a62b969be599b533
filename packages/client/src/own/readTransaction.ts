import { type Address, decodeRedeem, type Hex, NATIVE, readCurveCall } from '@pit/chain'
import { feeOf, lower } from '@pit/protocol'
import { isRefusal } from '../errors.ts'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import { type FeePaid, readApproval, readRouterCall } from '../verify/readPlan.ts'
import { readEtherMoves } from './etherMoves.ts'
import { netOf, type RawReceipt, type Receipt, receiptOf, type Transfer, transfersIn } from './receipt.ts'
import type { Rpc } from './rpc.ts'

/**
 * A swap or a session trade as its signer bound it. Amounts are atoms.
 * @public
 */
export interface SignedSwap {
  kind: 'swap'
  by: 'router' | 'curve'
  /** Whose tokens move: the sender, or the wallet behind its session. */
  wallet: Address
  isSession: boolean
  /** Null for a curve: its call names amounts only. */
  tokenIn: Address | null
  tokenOut: Address | null
  amountIn: bigint
  amountOutMin: bigint
  fee: { token: Address; pays: FeePaid } | null
  deadlineS: bigint | null
}
/**
 * What a transaction’s calldata does.
 * @public
 */
export type SignedCall =
  | SignedSwap
  | { kind: 'approval'; token: Address; spender: Address; amount: bigint; expiresS: number | null }
  | { kind: 'transfer'; token: Address; to: Address; amount: bigint }
  /** A call that Pit does not build. */
  | { kind: 'other'; selector: Hex | null }

/**
 * A transaction with its decoded call and, once mined, its effects.
 * @public
 */
export interface TransactionReading {
  hash: Hex
  from: Address
  to: Address | null
  valueWei: bigint
  nonce: number
  signed: SignedCall
  /** Null while it is pending. */
  mined: MinedReading | null
}

/**
 * Effects of a mined transaction, by the caller’s node.
 * @public
 */
export interface MinedReading {
  isReverted: boolean
  block: number
  timeS: number | null
  feeWei: bigint
  events: number
  transfers: readonly Transfer[]
  /** Net change of the wallet by token, gas apart; ETH is missing if this node cannot prove it. */
  moves: ReadonlyMap<Address, bigint>
  isEtherKnown: boolean
  /** Received by the fee recipient; null without a fee or proof. */
  feePaid: bigint | null
}

interface RawTransaction {
  from: Address
  to: Address | null
  value: Hex
  nonce: Hex
  input: Hex
}

/**
 * A transaction with its call decoded and its effects, read from the caller's own node; null if unknown.
 * @public
 */
export async function readTransaction(
  rpc: Rpc,
  pins: Pins,
  hash: Hex,
  signal?: AbortSignal,
): Promise<TransactionReading | null> {
  const [raw, rawReceipt] = await read<[RawTransaction | null, RawReceipt | null]>(
    rpc,
    [
      { method: 'eth_getTransactionByHash', params: [hash] },
      { method: 'eth_getTransactionReceipt', params: [hash] },
    ],
    signal,
  )
  if (raw === null) return null
  const from = lower(raw.from)
  const step = { to: lower(raw.to ?? NATIVE), value: BigInt(raw.value), data: lower(raw.input) }
  const signed = readCall(pins, from, step)
  return {
    hash,
    from,
    to: raw.to && lower(raw.to),
    valueWei: step.value,
    nonce: Number(raw.nonce),
    signed,
    mined: rawReceipt && (await readMined(rpc, pins, { hash, from, signed, rawReceipt }, signal)),
  }
}

async function readMined(
  rpc: Rpc,
  pins: Pins,
  {
    hash,
    from,
    signed,
    rawReceipt,
  }: { hash: Hex; from: Address; signed: SignedCall; rawReceipt: RawReceipt },
  signal?: AbortSignal,
): Promise<MinedReading> {
  const receipt = receiptOf(hash, rawReceipt)
  const wallet = signed.kind === 'swap' ? signed.wallet : from
  const [[block], ether] = await Promise.all([
    read<[{ timestamp: Hex } | null]>(
      rpc,
      [{ method: 'eth_getBlockByNumber', params: [rawReceipt.blockNumber, false] }],
      signal,
    ),
    readEtherMoves(rpc, [receipt], [wallet, pins.feeRecipient]),
  ])
  const transfers = transfersIn(receipt.logs)
  const net = (holder: Address): Map<Address, bigint> => {
    const tokens = new Set(transfers.map(({ token }) => token))
    const own = ether?.get(holder)
    return new Map([
      ...(own === undefined ? [] : [[NATIVE, own] as const]),
      ...[...tokens].map((token) => [token, netOf(transfers, token, holder)] as const),
    ])
  }
  const feeToken = signed.kind === 'swap' ? signed.fee?.token : undefined
  return {
    isReverted: rawReceipt.status !== '0x1',
    block: receipt.block,
    timeS: block === null ? null : Number(block.timestamp),
    feeWei: gasWei(receipt),
    events: receipt.logs.length,
    transfers,
    moves: new Map([...net(wallet)].filter(([, atoms]) => atoms !== 0n)),
    isEtherKnown: ether !== null,
    feePaid: feeToken === undefined ? null : (net(pins.feeRecipient).get(feeToken) ?? null),
  }
}

const gasWei = ({ gasUsed, gasPriceWei }: Receipt): bigint => gasUsed * gasPriceWei

/** The call in words and numbers, read as a plan is read before it is signed. */
function readCall(pins: Pins, from: Address, step: UnsignedStep): SignedCall {
  const session = step.to === pins.addresses.manager ? readSession(step.data) : null
  const swap = readSwapCall(pins, session?.wallet ?? from, session?.call ?? step)
  if (swap) return { ...swap, isSession: session !== null }
  const approval = readApproval(pins, step)
  if (approval) return { kind: 'approval', ...approval }
  const sent = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(step.data)
  if (sent) return { kind: 'transfer', token: step.to, to: `0x${sent[1]}`, amount: BigInt(`0x${sent[2]}`) }
  if (step.data === '0x') return { kind: 'transfer', token: NATIVE, to: step.to, amount: step.value }
  return { kind: 'other', selector: step.data.slice(0, 10) as Hex }
}

function readSession(data: Hex): { wallet: Address; call: UnsignedStep } | null {
  const redeem = decodeRedeem(data)
  const [redemption] = redeem.ok ? redeem.redemptions : []
  const root = redemption?.delegations.at(-1)
  if (!redemption || !root) return null
  const { target, valueWei, data: inner } = redemption.execution
  return { wallet: lower(root.delegator), call: { to: lower(target), value: valueWei, data: lower(inner) } }
}

function readSwapCall(pins: Pins, wallet: Address, call: UnsignedStep): Omit<SignedSwap, 'isSession'> | null {
  const curve = readCurveCall(call.data)
  if (curve) {
    const { amountIn, amountOutMin, deadlineS } = curve
    const ends = { tokenIn: null, tokenOut: null, fee: null }
    return { kind: 'swap', by: 'curve', wallet, ...ends, amountIn, amountOutMin, deadlineS }
  }
  if (call.to !== pins.router) return null
  try {
    const { tokenIn, tokenOut, amountIn, amountOutMin, fee, deadlineS } = readRouterCall(pins, call)
    const paid = fee && { token: fee.token, pays: fee.pays }
    const ends = { tokenIn, tokenOut, fee: paid }
    return { kind: 'swap', by: 'router', wallet, ...ends, amountIn, amountOutMin, deadlineS }
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

/**
 * The fee that a signed swap pays when this much came out; null if it has none.
 * @public
 */
export function signedFeeAtoms(
  { fee }: SignedSwap,
  received: bigint | null,
  paid: bigint | null,
): bigint | null {
  if (fee === null) return null
  if ('atoms' in fee.pays) return fee.pays.atoms
  return received === null || paid === null ? null : feeOf(received + paid, fee.pays.bps)
}

async function read<Results extends unknown[]>(
  rpc: Rpc,
  calls: { method: string; params: unknown[] }[],
  signal?: AbortSignal,
): Promise<Results> {
  const answers = await rpc.all(calls, signal)
  for (const answer of answers) if (answer instanceof Error) throw answer
  return answers as Results
}
