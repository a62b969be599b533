import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  type Hex,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem'
import { SINGLE_SWAP } from '../src/market/swapTx.ts'
import type { Call } from './testWorld.ts'

/** Universal Router calls for tests, encoded with viem: independent of the code under test. */

const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002'
const SENDER: Address = '0x0000000000000000000000000000000000000001'
const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])

const encode = (types: string[], values: unknown[]): Hex =>
  encodeAbiParameters(
    types.map((type) => ({ type })),
    values,
  )

export interface Step {
  command: string
  input: Hex
}

export const wrap = (amount: bigint): Step => ({
  command: '0b',
  input: encode(['address', 'uint256'], [ROUTER_ITSELF, amount]),
})
export const v2Swap = (path: Address[], amountIn: bigint, payerIsUser: boolean): Step => ({
  command: '08',
  input: encode(
    ['address', 'uint256', 'uint256', 'address[]', 'bool'],
    [ROUTER_ITSELF, amountIn, 0n, path, payerIsUser],
  ),
})
export const v3Swap = (path: [Address, number, Address], amountIn: bigint, payerIsUser: boolean): Step => ({
  command: '00',
  input: encode(
    ['address', 'uint256', 'uint256', 'bytes', 'bool'],
    [ROUTER_ITSELF, amountIn, 0n, encodePacked(['address', 'uint24', 'address'], path), payerIsUser],
  ),
})

export interface Key {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}

/** SWAP_EXACT_IN_SINGLE, SETTLE_ALL, TAKE to the router. */
export function v4Swap(poolKey: Key, zeroForOne: boolean, amountIn: bigint): Step {
  const [currencyIn, currencyOut] = zeroForOne
    ? [poolKey.currency0, poolKey.currency1]
    : [poolKey.currency1, poolKey.currency0]
  const swap = encodeAbiParameters(SINGLE_SWAP, [
    { poolKey, zeroForOne, amountIn, amountOutMinimum: 0n, hookData: '0x' },
  ])
  const settle = encode(['address', 'uint256'], [currencyIn, amountIn])
  const take = encode(['address', 'address', 'uint256'], [currencyOut, ROUTER_ITSELF, 0n])
  return { command: '10', input: encode(['bytes', 'bytes[]'], ['0x060c0e', [swap, settle, take]]) }
}
export const payPortion = (token: Address, to: Address, bps: number): Step => ({
  command: '06',
  input: encode(['address', 'address', 'uint256'], [token, to, BigInt(bps)]),
})
export const sweep = (token: Address): Step => ({
  command: '04',
  input: encode(['address', 'address', 'uint256'], [token, SENDER, 0n]),
})
export const unwrap = (): Step => ({ command: '0c', input: encode(['address', 'uint256'], [SENDER, 0n]) })

export const execute = (router: Address, from: Address, steps: Step[], value = 0n): Call => ({
  from,
  to: router,
  abi: routerAbi,
  functionName: 'execute',
  args: [`0x${steps.map((step) => step.command).join('')}`, steps.map((step) => step.input), maxUint256],
  value,
})

/** The key of the plain pool of a specimen or long-tail token against ETH. */
export const ethKey = (token: Address, fee = 3000, hooks: Address = zeroAddress): Key => ({
  currency0: zeroAddress,
  currency1: token,
  fee,
  tickSpacing: 60,
  hooks,
})
