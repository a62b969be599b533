import type { LaunchpadKind } from '@pit/protocol'
import type { Address, Hex } from '../bytes/hex.ts'
import { AbiFault, type Cursor, checkEnd, readAddress, readUint } from '../bytes/readWords.ts'
import { allLaunchpads } from '../launchpads/index.ts'
import type { CurveSide } from '../launchpads/types.ts'

export type CurveReading = {
  /** Whose curves understand such a call. */
  launchpad: LaunchpadKind
  side: CurveSide
  /** Of the pair for a buy, of the token for a sell. */
  amountIn: bigint
  amountOutMin: bigint
  recipient: Address
  /** Null where the call has none: it can be mined whenever its sender's nonce is due. */
  deadlineS: bigint | null
}

const METHODS = new Map(
  allLaunchpads().flatMap(({ kind, methods, hasDeadline }) =>
    (['buy', 'sell'] as const).map((side) => [methods[side].selector, { kind, side, hasDeadline }] as const),
  ),
)

/** A curve's `buy` or `sell` in lower-case digits and its canonical encoding; undefined for anything else. */
export function readCurveCall(data: Hex): CurveReading | undefined {
  const method = METHODS.get(data.slice(0, 10) as Hex)
  if (!method || !/^[0-9a-f]*$/.test(data.slice(10))) return undefined
  const cursor: Cursor = { digits: data, at: 10 }
  try {
    const reading: CurveReading = {
      launchpad: method.kind,
      side: method.side,
      amountIn: readUint(cursor),
      amountOutMin: readUint(cursor),
      recipient: readAddress(cursor),
      deadlineS: method.hasDeadline ? readUint(cursor) : null,
    }
    checkEnd(cursor)
    return reading
  } catch (error) {
    if (error instanceof AbiFault) return undefined
    throw error
  }
}
