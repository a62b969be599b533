import type { LaunchpadKind } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import type { PoolLog } from '../pools/logs.ts'
import type { CurvePool } from '../pools/types.ts'

/** A launchpad of the profile. */
export type PinnedLaunchpad = { kind: LaunchpadKind; factory: Address }

export type CurveSide = 'buy' | 'sell'

export type CurveBuy = {
  tokensOut: bigint
  /** Input spent; less than the whole only if the buy takes the last token for sale. */
  spent: bigint
  curveFee: bigint
  creatorTax: bigint
  snipeTax: bigint
  graduates: boolean
}
export type CurveSell = { pairOut: bigint; curveFee: bigint; creatorTax: bigint }

/** The trade recorded in a curve's log. */
export type CurveMove = { side: CurveSide; pairAmount: bigint; tokenAmount: bigint }

/** A launchpad's curves, as their contract is: everything that differs from one launchpad to the next. */
export interface LaunchpadAdapter {
  kind: LaunchpadKind
  /** The factory's log of a launch, and what it names. */
  launchedTopic: Hex
  launchIn(log: PoolLog): { curve: Address; token: Address; pair: Address }
  /** Calls of a new curve whose answers the launch's log leaves out; they never change. */
  birthCalls: readonly Hex[]
  /** The curve before its first trade; undefined where an answer cannot be read. */
  born(log: PoolLog, answers: readonly Hex[]): CurvePool | undefined
  /** Logs of a curve that change what it gives, and the change; false for another log. */
  stateTopics: readonly Hex[]
  apply(curve: CurvePool, log: PoolLog): boolean
  moveIn(log: PoolLog): CurveMove | undefined
  /** For a recipient without an exemption, in a block of that time. */
  snipeTaxBps(curve: CurvePool, atS: number): number
  quoteBuy(curve: CurvePool, amountIn: bigint, atS: number): CurveBuy | undefined
  quoteSell(curve: CurvePool, tokensIn: bigint): CurveSell | undefined
  /** `buy` and `sell`: amount in, minimum out, recipient, and with a deadline that too. */
  methods: Record<CurveSide, { selector: Hex; signature: string }>
  hasDeadline: boolean
  /** Asks the factory for a token's curve. */
  askCurve(token: Address): Hex
  curveIn(answer: Hex): Address | null
  /** Asks a contract what it says of itself: only the factory's word makes it a curve. */
  endsCalls: readonly Hex[]
  endsIn(answers: readonly Hex[]): { token: Address; pair: Address } | undefined
  /** Asks a curve for its reserves; null once it has graduated. */
  reserveCalls: readonly Hex[]
  reservesIn(answers: readonly Hex[]): { x: bigint; y: bigint } | null
  /** Asks a curve what a trade would give now, without a snipe tax. */
  quoteCalls(side: CurveSide, amount: bigint): readonly Hex[]
  quoteIn(answers: readonly Hex[], side: CurveSide, amount: bigint): bigint
}
