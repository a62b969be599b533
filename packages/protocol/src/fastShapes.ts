import type { ChainProfile } from './profile.ts'
import type { FastPool, RouterInput, RouterValue } from './schemas/fastTable.ts'
import type { FeeSide } from './values.ts'

export interface FastShape {
  inputs: RouterInput[]
  names: readonly string[]
  feeCommand: string
}

const NATIVE = '0x0000000000000000000000000000000000000000'
/** The router's placeholder addresses for its caller and for itself. */
const CALLER = '0x0000000000000000000000000000000000000001'
const ROUTER = '0x0000000000000000000000000000000000000002'

const input = (
  command: string,
  name: string,
  fields: readonly (readonly [type: string, value: RouterValue])[],
): RouterInput => ({
  command,
  name,
  types: fields.map(([type]) => type),
  values: fields.map(([, value]) => value),
})

/**
 * The commands of a trade on a pinned pool, in the order and form in which the service builds them itself.
 */
export function shapeOf(trade: {
  pool: FastPool
  side: FeeSide
  recipient: string
  tokenIn: string
  tokenOut: string
  layout: ChainProfile['contracts']['universal_router_layout']
}): FastShape {
  const { pool, side, recipient, tokenIn, tokenOut, layout } = trade
  const wraps = pool.token_in !== tokenIn
  const unwraps = pool.token_out !== tokenOut
  const paysInput = side === 'input'
  // An output-side fee, or ETH from a WETH pool, goes through the router; otherwise the pool pays the caller.
  const direct = paysInput && !unwraps
  const terms = {
    amountIn: paysInput ? '$swap_in' : '$amount_in',
    recipient: direct ? CALLER : ROUTER,
    amountOutMin: direct ? '$min_out' : '0',
    payerIsUser: tokenIn !== NATIVE,
    layout,
  }
  const inputs: RouterInput[] = []
  const feeCommand = paysInput ? (tokenIn === NATIVE ? 'TRANSFER' : 'PERMIT2_TRANSFER_FROM') : 'PAY_PORTION'
  if (feeCommand === 'TRANSFER') {
    inputs.push(
      input('0x05', feeCommand, [
        ['address', tokenIn],
        ['address', recipient],
        ['uint256', '$fee'],
      ]),
    )
  } else if (feeCommand === 'PERMIT2_TRANSFER_FROM') {
    inputs.push(
      input('0x02', feeCommand, [
        ['address', tokenIn],
        ['address', recipient],
        ['uint160', '$fee'],
      ]),
    )
  }
  if (wraps)
    inputs.push(
      input('0x0b', 'WRAP_ETH', [
        ['address', ROUTER],
        ['uint256', terms.amountIn],
      ]),
    )
  inputs.push(pool.version === 'v3' ? v3Swap(pool, terms) : v4Swap(pool, terms))
  if (unwraps)
    inputs.push(
      input('0x0c', 'UNWRAP_WETH', [
        ['address', ROUTER],
        ['uint256', '0'],
      ]),
    )
  if (feeCommand === 'PAY_PORTION') {
    inputs.push(
      input('0x06', feeCommand, [
        ['address', tokenOut],
        ['address', recipient],
        ['uint256', '$fee_bps'],
      ]),
    )
  }
  if (!direct) inputs.push(sweep(tokenOut, '$min_out'))
  // If a v3 pool runs out, the unused input stays in the router.
  if (wraps && pool.version === 'v3') inputs.push(sweep(pool.token_in, '0'))
  return { inputs, names: inputs.map(({ name }) => name), feeCommand }
}

const sweep = (token: string, least: string): RouterInput =>
  input('0x04', 'SWEEP', [
    ['address', token],
    ['address', CALLER],
    ['uint160', least],
  ])

interface SwapTerms {
  amountIn: string
  recipient: string
  amountOutMin: string
  payerIsUser: boolean
  layout: ChainProfile['contracts']['universal_router_layout']
}

function v3Swap(pool: FastPool & { version: 'v3' }, terms: SwapTerms): RouterInput {
  return input('0x00', 'V3_SWAP_EXACT_IN', [
    ['address', terms.recipient],
    ['uint256', terms.amountIn],
    ['uint256', terms.amountOutMin],
    ['bytes', pool.path],
    ['bool', terms.payerIsUser],
    // 2.1.1 takes price floors per hop; none are set.
    ...(terms.layout !== '2.1.0' ? [['uint256[]', []] as const] : []),
  ])
}

/**
 * SETTLE the full input first, swap all of it, TAKE all of the output; 0 means "all".
 */
function v4Swap(pool: FastPool & { version: 'v4' }, terms: SwapTerms): RouterInput {
  const { currency0, currency1, fee, tick_spacing, hooks, token_in, token_out, zero_for_one } = pool
  const floors = terms.layout !== '2.1.0' ? { types: ['uint256'], values: ['0'] } : { types: [], values: [] }
  const struct = [
    '(address,address,uint24,int24,address)',
    'bool',
    'uint128',
    'uint128',
    ...floors.types,
    'bytes',
  ]
  const actions = [
    {
      name: 'SETTLE',
      types: ['address', 'uint256', 'bool'],
      values: [token_in, terms.amountIn, terms.payerIsUser],
    },
    {
      name: 'SWAP_EXACT_IN_SINGLE',
      types: [`(${struct.join(',')})`],
      values: [
        [
          [currency0, currency1, String(fee), String(tick_spacing), hooks],
          zero_for_one,
          '0',
          terms.amountOutMin,
          ...floors.values,
          '0x',
        ],
      ],
    },
    { name: 'TAKE', types: ['address', 'address', 'uint256'], values: [token_out, terms.recipient, '0'] },
  ]
  return {
    ...input('0x10', 'V4_SWAP', [
      ['bytes', '0x0b060e'],
      ['bytes[]', '$actions'],
    ]),
    actions,
  }
}

/** Permit2's PermitSingle for exactly this trade, spent by the router. */
export const permitInput = ({ token, spender }: { token: string; spender: string }): RouterInput =>
  input('0x0a', 'PERMIT2_PERMIT', [
    [
      '((address,uint160,uint48,uint48),address,uint256)',
      [[token, '$amount_in', '$permit_expiration', '$permit_nonce'], spender, '$permit_sig_deadline'],
    ],
    ['bytes', '$permit_signature'],
  ])
