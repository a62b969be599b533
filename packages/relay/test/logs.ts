import type { Address, Hex } from '@pit/chain'
import type { ScriptedLog } from '@pit/platform/test/scriptedChain'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Withdrawal(address indexed src, uint256 wad)',
  'event Swap(bytes32 indexed id, address indexed sender, int128, int128, uint160, uint128, int24, uint24)',
  'event CurveTrade(address indexed trader, bool indexed isBuy, uint, uint, uint, uint, uint, uint, uint)',
])
const words = (values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'int256' })),
    values,
  )

/** Logs encoded independently of the code that reads them. */
export const transfer = (token: Address, from: Address, to: Address, atoms: bigint): ScriptedLog => ({
  address: token,
  topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }) as Hex[],
  data: words([atoms]),
})
export const withdrawal = (weth: Address, src: Address, wei: bigint): ScriptedLog => ({
  address: weth,
  topics: encodeEventTopics({ abi: ABI, eventName: 'Withdrawal', args: { src } }) as Hex[],
  data: words([wei]),
})
/** `amount0` is positive if the pool paid it. */
export const v4Swap = (manager: Address, id: Hex, sender: Address, amount0: bigint): ScriptedLog => ({
  address: manager,
  topics: encodeEventTopics({ abi: ABI, eventName: 'Swap', args: { id, sender } }) as Hex[],
  data: words([amount0, -amount0, 1n, 1n, 0n, 500n]),
})
export const curveSale = (curve: Address, trader: Address, pairAmount: bigint): ScriptedLog => ({
  address: curve,
  topics: encodeEventTopics({ abi: ABI, eventName: 'CurveTrade', args: { trader, isBuy: false } }) as Hex[],
  data: words([pairAmount, 1n, 0n, 0n, 0n, 1n, 1n]),
})
