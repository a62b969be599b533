import { readFileSync } from 'node:fs'
import { type Address, type Hex, NATIVE, sessionRoot } from '@pit/chain'
import { encodeBatch, encodeCurveTrade, encodeSwap, type SwapPlan } from '@pit/plans'
import { bindingHash, createBinding } from '@pit/protocol'
import type { ListedCurve } from '../src/own/curves.ts'
import { pinsOf } from '../src/pins.ts'
import { reviewSigning } from '../src/review/reviewSigning.ts'
import type { ReviewContext, WalletTransaction } from '../src/review/terms.ts'
import { hashing } from '../src/verify/grant.ts'

export const at = (digit: string) => `0x${digit.repeat(40)}` as Address
export const WALLET = at('1')
export const EXECUTOR = at('2')
export const COSIGNER = at('3')
export const RETURN = at('4')
export const THIEF = at('5')
export const TOKEN = at('a')
export const pins = pinsOf(JSON.parse(readFileSync('fixtures/pins.json', 'utf8')), { cosigner: COSIGNER })
export const USDG = [...pins.tokens].find(([, { core }]) => core === 'USDG')![0]
/** As the wallet's node lists them: bought with ETH, and with USDG. */
export const CURVES: readonly ListedCurve[] = [
  { id: at('c'), launchpad: 'pit', token: TOKEN, pair: NATIVE },
  { id: at('d'), launchpad: 'pons', token: at('b'), pair: USDG },
]
export const context: ReviewContext = {
  ...{ pins, wallet: WALLET, returnAddress: RETURN, host: 'pit.example', curves: CURVES },
  allowsUnknownCalls: false,
}

export interface Call {
  to: Address
  data: Hex
  value?: bigint
}
export const transactionOf = ({ to, data, value = 0n }: Call, change: Partial<WalletTransaction> = {}) =>
  ({
    kind: 'transaction',
    payload: {
      ...{ to, data, value: value.toString(), gas: '0x10000', nonce: '0x0' },
      ...{ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x0' },
      ...change,
    },
  }) as const
export const reviewCallOf = (call: Call, change: Partial<ReviewContext> = {}) =>
  reviewSigning({ ...context, ...change }, transactionOf(call))
export const textsOf = ({ effects }: { effects: readonly { text: string }[] }) =>
  effects.map(({ text }) => text)

export const [ETH_CURVE, USDG_CURVE] = [CURVES[0]!, CURVES[1]!]
export const ETHER = 10n ** 18n
const DEADLINE_S = 1_900_000_000n

const binding = createBinding({
  ...{ wallet: WALLET, executor: EXECUTOR, cosigner: COSIGNER, router: pins.router },
  ...{ feeRecipient: pins.feeRecipient, tokens: [USDG], expires_at: 1_800_003_600 },
  limits: { max_trade_micro_usd: 10_000_000, max_day_micro_usd: 20_000_000, max_trades: 5 },
  nonce: `0x${'4'.repeat(64)}`,
  risk: { accept_risks: [], shield: false, policies: [] },
})
export const root = sessionRoot(pins.addresses, {
  binding,
  bindingHash: bindingHash(hashing.keccakText, binding),
  eth: null,
  nowS: 1_800_000_000,
})
export const buy = (change: { recipient?: Address; amountIn?: bigint } = {}): Hex =>
  encodeCurveTrade({
    ...{ launchpad: 'pit', side: 'buy', amountIn: 5n * ETHER, amountOutMin: 1n, deadlineS: DEADLINE_S },
    ...{ recipient: WALLET, ...change },
  })
export const onUsdgCurve = (side: 'buy' | 'sell'): Hex =>
  encodeCurveTrade({
    ...{ launchpad: 'pons', side, amountIn: 2_000_000n, amountOutMin: 7n, deadlineS: 0n, recipient: WALLET },
  })
export const swap = (change: Partial<SwapPlan> = {}): Call => {
  const plan: SwapPlan = {
    ...{ tokenIn: NATIVE, tokenOut: USDG, amountIn: ETHER, amountOutMin: 12_345_600_000n, direct: true },
    legs: [
      {
        amountIn: ETHER - ETHER / 400n,
        hops: [
          {
            ...{ version: 'v4', pool: `0x${'0'.repeat(64)}`, tokenIn: NATIVE, tokenOut: USDG },
            key: { currency0: NATIVE, currency1: USDG, fee: 500, tickSpacing: 10, hooks: NATIVE },
          },
        ],
      },
    ],
    fee: { bps: 25, side: 'input', recipient: pins.feeRecipient },
    ...{ deadlineS: DEADLINE_S, weth: pins.weth, layout: pins.layout },
    ...change,
  }
  const { data, valueWei } = encodeSwap(plan)
  return { to: pins.router, data, value: valueWei }
}
export const batch = (...calls: Call[]): Call => ({
  to: WALLET,
  data: encodeBatch(calls.map(({ to, data, value = 0n }) => ({ to, data, valueWei: value }))),
})
