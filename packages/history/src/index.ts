export { type History, openHistory } from './openHistory.ts'
export type { Point } from './points.ts'
