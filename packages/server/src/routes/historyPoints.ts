import type { Point } from '@pit/history'
import { usdOf } from '@pit/protocol'

/** A point of micro-dollars in dollars. */
export const dollarPoint = ([atS, microUsd]: Point): [number, number] => [atS, usdOf(BigInt(microUsd))]
