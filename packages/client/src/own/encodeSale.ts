import {
  ACTION_BYTE,
  type Address,
  COMMAND_BYTE,
  type Hex,
  type HopPath,
  launchpadOf,
  MSG_SENDER,
  OPEN_DELTA,
  permit2Abi,
  type RouterLayout,
  universalRouterAbi,
} from '@pit/chain'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbiParameters,
  toHex,
} from 'viem'
import type { Pins } from '../pins.ts'
import type { OwnCurve } from './curves.ts'

// Calls that sell a token again. They are simulated and never signed.

export const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT48 = 2 ** 48 - 1

export const allowRouter = ({ router }: Pins, token: Address): Hex =>
  encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [token, router, MAX_UINT160, MAX_UINT48],
  })

/** `sell(amount, 0, wallet)`, with a deadline if the launchpad's curves take one. */
export function sellOnCurve({ launchpad }: OwnCurve, amount: bigint, wallet: Address): Hex {
  const { methods, hasDeadline } = launchpadOf(launchpad)
  const words = encodeAbiParameters(parseAbiParameters('uint256, uint256, address'), [amount, 0n, wallet])
  const deadline = hasDeadline ? [toHex(MAX_UINT48, { size: 32 })] : []
  return concat([methods.sell.selector, words, ...deadline])
}

export function sellInPool(layout: RouterLayout, hop: HopPath, amount: bigint): Hex {
  const [command, input] = commandOf(layout, hop, amount)
  return encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [`0x${COMMAND_BYTE[command]}`, [input], BigInt(MAX_UINT48)],
  })
}

/** From router 2.1.1 on every swap takes a list of price floors, which stays empty. */
function commandOf(layout: RouterLayout, hop: HopPath, amount: bigint): [keyof typeof COMMAND_BYTE, Hex] {
  const isOld = layout === '2.1.0'
  if (hop.version === 'v4') return ['V4_SWAP', encodeV4(layout, hop, amount)]
  const isV3 = hop.version === 'v3'
  const path = isV3
    ? encodePacked(['address', 'uint24', 'address'], [hop.tokenIn, hop.feePips, hop.tokenOut])
    : [hop.tokenIn, hop.tokenOut]
  const types = `address, uint256, uint256, ${isV3 ? 'bytes' : 'address[]'}, bool${isOld ? '' : ', uint256[]'}`
  const values = [MSG_SENDER, amount, 0n, path, true, ...(isOld ? [] : [[]])]
  const input = encodeAbiParameters(parseAbiParameters(types), values as never)
  return [isV3 ? 'V3_SWAP_EXACT_IN' : 'V2_SWAP_EXACT_IN', input]
}

const POOL_KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key'

function encodeV4(layout: RouterLayout, hop: Extract<HopPath, { version: 'v4' }>, amount: bigint): Hex {
  const floor = layout === '2.1.0' ? '' : 'uint256 floor, '
  const swap = encodeAbiParameters(
    parseAbiParameters(
      `(${POOL_KEY}, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, ${floor}bytes hookData) swap`,
    ),
    [
      {
        key: hop.key,
        zeroForOne: hop.key.currency0 === hop.tokenIn,
        amountIn: OPEN_DELTA,
        amountOutMin: 0n,
        floor: 0n,
        hookData: '0x',
      },
    ] as never,
  )
  const settle = encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [
    hop.tokenIn,
    amount,
    true,
  ])
  const take = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [
    hop.tokenOut,
    MSG_SENDER,
    OPEN_DELTA,
  ])
  const actions: Hex = `0x${ACTION_BYTE.SETTLE}${ACTION_BYTE.SWAP_EXACT_IN_SINGLE}${ACTION_BYTE.TAKE}`
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, [settle, swap, take]])
}
