export { type CurveReading, readCurveCall } from './readCurveCall.ts'
export { type RunCommand, readRun } from './readRun.ts'
export { readSwap } from './readSwap.ts'
export type { FeeReading, HopPath, LegPath, SwapReading } from './types.ts'
