import type { LaunchpadKind } from '@pit/protocol'
import type { CurvePool } from '../pools/types.ts'
import { pitLaunchpad } from './pit.ts'
import { ponsLaunchpad } from './pons.ts'
import type { LaunchpadAdapter } from './types.ts'

export type {
  CurveBuy,
  CurveMove,
  CurveSell,
  CurveSide,
  LaunchpadAdapter,
  PinnedLaunchpad,
} from './types.ts'

/** A new kind of launchpad is one file here, a test, and a row of docs/reference/market.md. */
const LAUNCHPADS: Record<LaunchpadKind, LaunchpadAdapter> = { pit: pitLaunchpad, pons: ponsLaunchpad }

export const launchpadOf = (kind: LaunchpadKind): LaunchpadAdapter => LAUNCHPADS[kind]
export const allLaunchpads = (): LaunchpadAdapter[] => Object.values(LAUNCHPADS)

/** In a block of that time, for a recipient without an exemption. */
export const snipeTaxBps = (curve: CurvePool, atS: number): number =>
  launchpadOf(curve.launchpad).snipeTaxBps(curve, atS)

export const quoteCurveBuy = (curve: CurvePool, amountIn: bigint, atS: number) =>
  launchpadOf(curve.launchpad).quoteBuy(curve, amountIn, atS)

export const quoteCurveSell = (curve: CurvePool, tokensIn: bigint) =>
  launchpadOf(curve.launchpad).quoteSell(curve, tokensIn)
