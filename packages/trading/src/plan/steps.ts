import { type Address, type Hex, NATIVE } from '@pit/chain'
import { encodeErc20Approve, encodeErc20Transfer, encodePermit2Approve } from '@pit/plans'
import { decimalText } from '@pit/protocol'
import type { PlanStep, PlanTx, TradeToken } from '../types.ts'
import { isUnlimited } from './approvals.ts'

/** A transaction before it has a nonce. */
export interface Call {
  to: Address
  valueWei: bigint
  data: Hex
  /** Gas limit without a simulation. */
  gas: number
}
export type Draft = Omit<PlanStep, 'tx'> & { call: Call | null }

/** Upper bounds per kind of call for ordinary tokens; a simulation is more exact. */
const GAS = { approve: 100_000, permit2Approve: 90_000, sendEth: 60_000, sendToken: 120_000 } as const
/** Base cost of a transaction. */
export const INTRINSIC_GAS = 21_000

export interface Sender {
  wallet: Address
  nonce: number
  gasPriceWei: bigint
}

/** Leaves room for the base fee to double. The tip is nominal: this chain has no priority auction. */
export function feesOf(gasPriceWei: bigint): Pick<PlanTx, 'maxFeePerGasWei' | 'maxPriorityFeePerGasWei'> {
  const tip = gasPriceWei / 20n > 0n ? gasPriceWei / 20n : 1n
  return { maxFeePerGasWei: 2n * gasPriceWei + tip, maxPriorityFeePerGasWei: tip }
}

/** Numbers the transactions, starting at the wallet's next nonce. */
export function lineUp(drafts: readonly Draft[], { wallet, nonce, gasPriceWei }: Sender): PlanStep[] {
  let next = nonce
  const fees = feesOf(gasPriceWei)
  return drafts.map(({ call, ...step }) => ({
    ...step,
    tx: call === null ? null : { from: wallet, ...call, nonce: next++, ...fees },
  }))
}

type Named = Pick<TradeToken, 'address' | 'symbol'> & {
  /** Null if not read. */
  decimals: number | null
}

/** A readable amount: whole tokens, with atoms beside. */
export const amountJson = ({ address, symbol, decimals }: Named, atoms: bigint) => ({
  token: address,
  symbol,
  amount: atoms === 0n ? '0' : decimals === null ? null : decimalText(atoms, decimals),
  atoms: atoms.toString(),
  ...(isUnlimited(atoms) && { unlimited: true as const }),
})

export function approveStep(token: Named, spender: Address, amount: bigint, why: string) {
  return {
    kind: 'approve',
    why,
    call: { to: token.address, valueWei: 0n, data: encodeErc20Approve(spender, amount), gas: GAS.approve },
    decoded: () => ({
      function: 'approve(address spender, uint256 amount)' as const,
      spender,
      ...amountJson(token, amount),
    }),
  } as const satisfies Draft
}

export function permit2ApproveStep(request: {
  permit2: Address
  token: Named
  router: Address
  amount: bigint
  expirationS: number
}): Draft {
  const { permit2, token, router, amount, expirationS } = request
  const data = encodePermit2Approve({
    token: token.address,
    spender: router,
    amount,
    expiration: expirationS,
  })
  return {
    kind: 'approve',
    why: 'Allows the router to take the input through Permit2.',
    call: { to: permit2, valueWei: 0n, data, gas: GAS.permit2Approve },
    decoded: () => ({
      function: 'approve(address token, address spender, uint160 amount, uint48 expiration)',
      spender: router,
      ...amountJson(token, amount),
      expiration: expirationS,
    }),
  }
}

export function feeStep(token: Named, recipient: Address, amount: bigint): Draft {
  return {
    kind: 'fee_transfer',
    why: 'Pays the fee, which a curve cannot deduct from the trade.',
    call: transferCall(token.address, recipient, amount),
    decoded: () => ({
      function: token.address === NATIVE ? 'plain transfer' : 'transfer(address to, uint256 amount)',
      recipient,
      ...amountJson(token, amount),
    }),
  }
}

export function transferCall(token: Address, to: Address, amount: bigint): Call {
  return token === NATIVE
    ? { to, valueWei: amount, data: '0x', gas: GAS.sendEth }
    : { to: token, valueWei: 0n, data: encodeErc20Transfer(to, amount), gas: GAS.sendToken }
}

const ESTIMATE_PER_CENT = 150
const SIMULATED_PER_CENT = 130

/** A gas limit from an estimate for ranking. */
export const limitFromEstimate = (gas: number): number => Math.ceil((gas * ESTIMATE_PER_CENT) / 100)

/** A gas limit from simulated use: refunds (at most a fifth) are credited only after the gas was needed. */
export const limitFromUse = (gasUsed: number): number =>
  Math.max(INTRINSIC_GAS, Math.ceil((gasUsed * SIMULATED_PER_CENT) / 100))

/** For a swap, which crosses more ticks (30,000 gas each) if others trade first. */
export const swapLimitFromUse = (gasUsed: number): number => limitFromUse(gasUsed) + TICKS_GAS
const TICKS_GAS = 120_000
