import type { Address, Hex } from '../bytes/hex.ts'
import type { RouterCommand, V4Action } from './types.ts'

export const COMMAND_BYTE = {
  V3_SWAP_EXACT_IN: '00',
  PERMIT2_TRANSFER_FROM: '02',
  SWEEP: '04',
  TRANSFER: '05',
  PAY_PORTION: '06',
  V2_SWAP_EXACT_IN: '08',
  PERMIT2_PERMIT: '0a',
  WRAP_ETH: '0b',
  UNWRAP_WETH: '0c',
  V4_SWAP: '10',
} as const satisfies Record<RouterCommand['command'], string>

export const ACTION_BYTE = {
  SWAP_EXACT_IN_SINGLE: '06',
  SWAP_EXACT_IN: '07',
  SETTLE: '0b',
  SETTLE_ALL: '0c',
  TAKE: '0e',
  TAKE_ALL: '0f',
  TAKE_PORTION: '10',
} as const satisfies Record<V4Action['action'], string>

/** Stands for the caller of the router. */
export const MSG_SENDER: Address = '0x0000000000000000000000000000000000000001'
/** Stands for the router itself. */
export const ADDRESS_THIS: Address = '0x0000000000000000000000000000000000000002'
export const NATIVE: Address = '0x0000000000000000000000000000000000000000'
/** As an amount: all the router holds. */
export const CONTRACT_BALANCE = 1n << 255n
/** As an amount of a v4 action: all that is owed or due. */
export const OPEN_DELTA = 0n

export const EXECUTE_SELECTOR = '24856bc3'
export const EXECUTE_WITH_DEADLINE_SELECTOR = '3593564c'

/** `Transfer(address indexed from, address indexed to, uint256 value)`. */
export const ERC20_TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
