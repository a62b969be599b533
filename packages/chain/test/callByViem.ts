import {
  type AbiParameter,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import type { Hex } from '../src/bytes/hex.ts'
import { ACTION_BYTE, COMMAND_BYTE } from '../src/router/constants.ts'
import type { RouterCall, RouterCommand, RouterLayout, V4Action } from '../src/router/types.ts'

/** The same layouts in viem's words, taken from the contracts. */
export const KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks)'
const HOP = '(address intermediateCurrency, uint24 fee, int24 tickSpacing, address hooks, bytes hookData)'
export const abi = (text: string): readonly AbiParameter[] =>
  parseAbiParameters(text) as readonly AbiParameter[]
const SHAPES = shapes()
function shapes() {
  const named = {
    '2.1.0': {
      single: abi(
        `(${KEY} poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, bytes hookData)`,
      ),
      v3: abi('address, uint256, uint256, bytes, bool'),
      v2: abi('address, uint256, uint256, address[], bool'),
    },
    '2.1.1': {
      single: abi(
        `(${KEY} poolKey, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, uint256 floor, bytes ` +
          'hookData)',
      ),
      v3: abi('address, uint256, uint256, bytes, bool, uint256[]'),
      v2: abi('address, uint256, uint256, address[], bool, uint256[]'),
    },
  }
  // 2.1.2 takes the same words.
  return { ...named, '2.1.2': named['2.1.1'] }
}
const MULTI = abi(
  `(address currencyIn, ${HOP}[] path, uint256[] floors, uint128 amountIn, uint128 amountOutMin)`,
)
const ROUTER = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
  'function execute(bytes commands, bytes[] inputs) payable',
])
const join = (parts: string[]): Hex => `0x${parts.join('')}`

function actionByViem(a: V4Action, layout: RouterLayout): Hex {
  switch (a.action) {
    case 'SWAP_EXACT_IN_SINGLE':
      return encodeAbiParameters(SHAPES[layout].single, [{ ...a, floor: 0n }])
    case 'SWAP_EXACT_IN':
      return encodeAbiParameters(MULTI, [{ ...a, floors: [] }])
    case 'SETTLE':
      return encodeAbiParameters(abi('address, uint256, bool'), [a.currency, a.amount, a.payerIsUser])
    case 'SETTLE_ALL':
      return encodeAbiParameters(abi('address, uint256'), [a.currency, a.amountMax])
    case 'TAKE':
      return encodeAbiParameters(abi('address, address, uint256'), [a.currency, a.recipient, a.amount])
    case 'TAKE_ALL':
      return encodeAbiParameters(abi('address, uint256'), [a.currency, a.amountMin])
    case 'TAKE_PORTION':
      return encodeAbiParameters(abi('address, address, uint256'), [a.currency, a.recipient, a.bips])
  }
}

function commandByViem(c: RouterCommand, layout: RouterLayout): Hex {
  const floors = layout === '2.1.0' ? [] : [[]]
  switch (c.command) {
    case 'V3_SWAP_EXACT_IN': {
      const path = encodePacked(
        c.path.tokens.flatMap((_, i) => (i === 0 ? ['address'] : ['uint24', 'address'])),
        c.path.tokens.flatMap((token, i) => (i === 0 ? [token] : [c.path.fees[i - 1]!, token])),
      )
      return encodeAbiParameters(SHAPES[layout].v3, [
        c.recipient,
        c.amountIn,
        c.amountOutMin,
        path,
        c.payerIsUser,
        ...floors,
      ])
    }
    case 'V2_SWAP_EXACT_IN':
      return encodeAbiParameters(SHAPES[layout].v2, [
        c.recipient,
        c.amountIn,
        c.amountOutMin,
        c.path,
        c.payerIsUser,
        ...floors,
      ])
    case 'V4_SWAP':
      return encodeAbiParameters(abi('bytes, bytes[]'), [
        join(c.actions.map((a) => ACTION_BYTE[a.action])),
        c.actions.map((a) => actionByViem(a, layout)),
      ])
    case 'PERMIT2_PERMIT':
      return encodeAbiParameters(
        abi(
          '((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline), bytes',
        ),
        [c.permit, c.signature],
      )
    case 'PERMIT2_TRANSFER_FROM':
      return encodeAbiParameters(abi('address, address, uint160'), [c.token, c.recipient, c.amount])
    case 'SWEEP':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.amountMin])
    case 'TRANSFER':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.amount])
    case 'PAY_PORTION':
      return encodeAbiParameters(abi('address, address, uint256'), [c.token, c.recipient, c.bips])
    case 'WRAP_ETH':
      return encodeAbiParameters(abi('address, uint256'), [c.recipient, c.amount])
    case 'UNWRAP_WETH':
      return encodeAbiParameters(abi('address, uint256'), [c.recipient, c.amountMin])
  }
}

export function callByViem({ commands, deadlineS }: RouterCall, layout: RouterLayout): Hex {
  const names = join(commands.map((c) => COMMAND_BYTE[c.command]))
  const inputs = commands.map((c) => commandByViem(c, layout))
  if (deadlineS === undefined)
    return encodeFunctionData({ abi: ROUTER, functionName: 'execute', args: [names, inputs] })
  return encodeFunctionData({ abi: ROUTER, functionName: 'execute', args: [names, inputs, deadlineS] })
}
