import type { Address, Hex } from '../bytes/hex.ts'
import { AbiFault, type Cursor, checkEnd, readAddress, readUint } from '../bytes/readWords.ts'

/** buy(uint256,uint256,address,uint256) */
export const CURVE_BUY_SELECTOR: Hex = '0x8945257c'
/** sell(uint256,uint256,address,uint256) */
export const CURVE_SELL_SELECTOR: Hex = '0x8a038a54'

export type CurveReading = {
  side: 'buy' | 'sell'
  /** Of the pair for a buy, of the token for a sell. */
  amountIn: bigint
  amountOutMin: bigint
  recipient: Address
  deadlineS: bigint
}

/** A curve's `buy` or `sell` in lower-case digits and its canonical encoding; undefined for anything else. */
export function readCurveCall(data: Hex): CurveReading | undefined {
  const selector = data.slice(0, 10)
  if (selector !== CURVE_BUY_SELECTOR && selector !== CURVE_SELL_SELECTOR) return undefined
  if (!/^[0-9a-f]*$/.test(data.slice(10))) return undefined
  const cursor: Cursor = { digits: data, at: 10 }
  try {
    const reading: CurveReading = {
      side: selector === CURVE_BUY_SELECTOR ? 'buy' : 'sell',
      amountIn: readUint(cursor),
      amountOutMin: readUint(cursor),
      recipient: readAddress(cursor),
      deadlineS: readUint(cursor),
    }
    checkEnd(cursor)
    return reading
  } catch (error) {
    if (error instanceof AbiFault) return undefined
    throw error
  }
}
