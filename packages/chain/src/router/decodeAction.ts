import { ACTION_BYTE } from './constants.ts'
import { AbiFault, addressAt, boolAt, countAt, hexAt, int24At, numberAt, uintAt } from './readWords.ts'
import type { PathKey, PoolKey, RouterLayout, V4Action } from './types.ts'

const NAME_OF_BYTE = new Map(
  Object.entries(ACTION_BYTE).map(([name, byte]) => [byte as string, name as V4Action['action']]),
)

export function decodeAction(byte: string, d: string, layout: RouterLayout): V4Action {
  const action = NAME_OF_BYTE.get(byte)
  switch (action) {
    case undefined:
      throw new AbiFault('UNKNOWN_ACTION')
    case 'SWAP_EXACT_IN_SINGLE':
      return {
        action,
        poolKey: decodePoolKey(d, 0x20),
        zeroForOne: boolAt(d, 0xc0),
        amountIn: uintAt(d, 0xe0),
        amountOutMin: uintAt(d, 0x100),
        hookData: hexAt(d, layout === '2.1.1' ? 0x160 : 0x140),
      }
    case 'SWAP_EXACT_IN':
      return {
        action,
        currencyIn: addressAt(d, 0x20),
        path: decodePath(d, 0xc0),
        amountIn: uintAt(d, 0x80),
        amountOutMin: uintAt(d, 0xa0),
      }
    case 'SETTLE':
      return { action, currency: addressAt(d, 0), amount: uintAt(d, 0x20), payerIsUser: boolAt(d, 0x40) }
    case 'SETTLE_ALL':
      return { action, currency: addressAt(d, 0), amountMax: uintAt(d, 0x20) }
    case 'TAKE':
      return { action, currency: addressAt(d, 0), recipient: addressAt(d, 0x20), amount: uintAt(d, 0x40) }
    case 'TAKE_ALL':
      return { action, currency: addressAt(d, 0), amountMin: uintAt(d, 0x20) }
    case 'TAKE_PORTION':
      return { action, currency: addressAt(d, 0), recipient: addressAt(d, 0x20), bips: uintAt(d, 0x40) }
  }
}

function decodePoolKey(d: string, at: number): PoolKey {
  return {
    currency0: addressAt(d, at),
    currency1: addressAt(d, at + 0x20),
    fee: numberAt(d, at + 0x40),
    tickSpacing: int24At(d, at + 0x60),
    hooks: addressAt(d, at + 0x80),
  }
}

function decodePath(d: string, at: number): PathKey[] {
  const path: PathKey[] = []
  for (let i = 0, count = countAt(d, at); i < count; i++) {
    const hop = at + 0x20 + numberAt(d, at + 0x20 + 0x20 * i)
    path.push({
      intermediateCurrency: addressAt(d, hop),
      fee: numberAt(d, hop + 0x20),
      tickSpacing: int24At(d, hop + 0x40),
      hooks: addressAt(d, hop + 0x60),
      hookData: hexAt(d, hop + 0xa0),
    })
  }
  return path
}
