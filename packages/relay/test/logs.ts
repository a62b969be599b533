import type { Address, Hex } from '@pit/chain'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import type { ScriptedLog } from './scriptedChain.ts'

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Withdrawal(address indexed src, uint256 wad)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  'event CurveTrade(address indexed trader, bool indexed isBuy, uint256 pairAmount, uint256 tokenAmount, uint256 curveFee, uint256 creatorTax, uint256 snipeTax, uint256 x, uint256 y)',
])
const words = (values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'int256' })),
    values,
  )

/** Logs as contracts write them, encoded by another hand than the one that reads them. */
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
/** `amount0` is positive when the pool gave it. */
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
