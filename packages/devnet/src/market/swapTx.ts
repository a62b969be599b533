import { encodeCurveTrade } from '@pit/plans'
import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, numberToHex, padHex } from 'viem'
import type { MarketTx } from './sender.ts'
import { type Curve, type MarketWorld, NATIVE, type Pool } from './types.ts'

/** Universal Router calls of the crowd, in the shapes real wallets send. */

const ROUTER_ABI = [
  {
    type: 'function',
    name: 'execute',
    stateMutability: 'payable',
    inputs: [
      { name: 'commands', type: 'bytes' },
      { name: 'inputs', type: 'bytes[]' },
      { name: 'deadline', type: 'uint256' },
    ],
    outputs: [],
  },
] as const

const SENDER: Hex = '0x0000000000000000000000000000000000000001'
const ROUTER: Hex = '0x0000000000000000000000000000000000000002'
const FOREVER = (1n << 256n) - 1n

const addresses = (...types: string[]) => types.map((type) => ({ type }))
const encode = (types: string[], values: unknown[]) =>
  encodeAbiParameters(addresses(...types), values as never)

export const POOL_KEY = {
  type: 'tuple',
  components: [
    { name: 'currency0', type: 'address' },
    { name: 'currency1', type: 'address' },
    { name: 'fee', type: 'uint24' },
    { name: 'tickSpacing', type: 'int24' },
    { name: 'hooks', type: 'address' },
  ],
} as const

export const SINGLE_SWAP = [
  {
    type: 'tuple',
    components: [
      { name: 'poolKey', ...POOL_KEY },
      { name: 'zeroForOne', type: 'bool' },
      { name: 'amountIn', type: 'uint128' },
      { name: 'amountOutMinimum', type: 'uint128' },
      { name: 'hookData', type: 'bytes' },
    ],
  },
] as const

const COMMAND = { v3: '0x00', v2: '0x08', wrap: '0x0b', unwrap: '0x0c', v4: '0x10' } as const
/** Exact in on one pool: settle all, take all. */
const V4_ACTIONS: Hex = '0x060c0f'

export interface Swap {
  pool: Pool
  zeroForOne: boolean
  amountIn: bigint
}

const execute = (
  world: MarketWorld,
  commands: Hex[],
  inputs: Hex[],
  value: bigint,
  gas: bigint,
): MarketTx => ({
  to: world.contracts.universalRouter,
  data: encodeFunctionData({
    abi: ROUTER_ABI,
    functionName: 'execute',
    args: [concatHex(commands), inputs, FOREVER],
  }),
  value,
  gas,
})

/** ETH is paid and received if the pool holds WETH; tokens go through Permit2. */
export function swapTx(world: MarketWorld, { pool, zeroForOne, amountIn }: Swap): MarketTx {
  const [tokenIn, tokenOut] = zeroForOne ? [pool.currency0, pool.currency1] : [pool.currency1, pool.currency0]
  if (pool.version === 4) {
    const { currency0, currency1, fee, tickSpacing, hooks } = pool
    const poolKey = { currency0, currency1, fee, tickSpacing, hooks }
    const swap = { poolKey, zeroForOne, amountIn, amountOutMinimum: 0n, hookData: '0x' as Hex }
    const params = [
      encodeAbiParameters(SINGLE_SWAP, [swap]),
      encode(['address', 'uint256'], [tokenIn, amountIn]),
      encode(['address', 'uint256'], [tokenOut, 0n]),
    ]
    const input = encode(['bytes', 'bytes[]'], [V4_ACTIONS, params])
    return execute(world, [COMMAND.v4], [input], tokenIn === NATIVE ? amountIn : 0n, 800_000n)
  }
  const isWeth = (token: string) => token.toLowerCase() === world.contracts.weth.toLowerCase()
  const [paysEth, takesEth] = [isWeth(tokenIn), isWeth(tokenOut)]
  const path =
    pool.version === 3
      ? concatHex([tokenIn, padHex(numberToHex(pool.fee), { size: 3 }), tokenOut])
      : [tokenIn, tokenOut]
  const swap = encode(
    ['address', 'uint256', 'uint256', pool.version === 3 ? 'bytes' : 'address[]', 'bool'],
    [takesEth ? ROUTER : SENDER, amountIn, 0n, path, !paysEth],
  )
  const steps: [Hex, Hex][] = [[pool.version === 3 ? COMMAND.v3 : COMMAND.v2, swap]]
  if (paysEth) steps.unshift([COMMAND.wrap, encode(['address', 'uint256'], [ROUTER, amountIn])])
  if (takesEth) steps.push([COMMAND.unwrap, encode(['address', 'uint256'], [SENDER, 0n])])
  const [commands, inputs] = [steps.map(([command]) => command), steps.map(([, input]) => input)]
  return execute(world, commands, inputs, paysEth ? amountIn : 0n, 700_000n)
}

const APPROVE_SELECTOR = '0x095ea7b3'
const PERMIT2_APPROVE_SELECTOR = '0x87517c45'

/** Approves `spender` for a token without limit. */
export const approveTx = (token: Hex, spender: Hex): MarketTx => ({
  to: token,
  data: concatHex([APPROVE_SELECTOR, encode(['address', 'uint256'], [spender, FOREVER])]),
  gas: 90_000n,
})

/** Both approvals the router needs: the token's to Permit2, Permit2's to the router. */
export const routerApprovals = (world: MarketWorld, token: Hex): MarketTx[] => [
  approveTx(token, world.contracts.permit2),
  {
    to: world.contracts.permit2,
    data: concatHex([
      PERMIT2_APPROVE_SELECTOR,
      encode(
        ['address', 'address', 'uint160', 'uint48'],
        [token, world.contracts.universalRouter, (1n << 160n) - 1n, 2n ** 48n - 1n],
      ),
    ]),
    gas: 90_000n,
  },
]

/** A buy that may be the last one also opens a pool. */
const CURVE_GAS = { usual: 350_000n, graduating: 8_000_000n }

export const curveTx = (
  curve: Pick<Curve, 'launchpad' | 'address' | 'pair'>,
  side: 'buy' | 'sell',
  amountIn: bigint,
  to: Hex,
  effort: keyof typeof CURVE_GAS,
): MarketTx => ({
  to: curve.address,
  data: encodeCurveTrade({
    launchpad: curve.launchpad,
    side,
    amountIn,
    amountOutMin: 0n,
    recipient: to,
    deadlineS: FOREVER,
  }),
  value: side === 'buy' && curve.pair === NATIVE ? amountIn : 0n,
  gas: CURVE_GAS[effort],
})
