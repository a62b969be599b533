import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  type Hex,
  type Hop,
  MSG_SENDER,
  NATIVE,
  OPEN_DELTA,
  type RouterCommand,
} from '@pit/chain'
import { encodeExecute } from '@pit/plans'

/** ETH through these pools; the last one pays the caller directly, as a token may expect of its pool. */
export function encodeBuy(hops: readonly Hop[], valueWei: bigint, weth: Address): Hex {
  const commands: RouterCommand[] = []
  let held: Address = NATIVE
  for (const [i, hop] of hops.entries()) {
    if (held === NATIVE && hop.tokenIn === weth) {
      commands.push({
        command: 'WRAP_ETH',
        recipient: ADDRESS_THIS,
        amount: i === 0 ? valueWei : CONTRACT_BALANCE,
      })
    }
    if (held === weth && hop.tokenIn === NATIVE) {
      commands.push({ command: 'UNWRAP_WETH', recipient: ADDRESS_THIS, amountMin: 0n })
    }
    const isLast = i === hops.length - 1
    commands.push(swap(hop, CONTRACT_BALANCE, isLast ? MSG_SENDER : ADDRESS_THIS, { payerIsUser: false }))
    held = hop.tokenOut
  }
  return encodeExecute({ commands, deadlineS: undefined })
}

/** Sells the caller's tokens in one pool by Permit2; the proceeds go to the caller. */
export function encodeSell(hop: Hop, amountIn: bigint): Hex {
  const command = swap(hop, amountIn, MSG_SENDER, { payerIsUser: true })
  return encodeExecute({ commands: [command], deadlineS: undefined })
}

/** The same pool in the other direction. */
export const reversed = ({ pool, zeroForOne, tokenIn, tokenOut }: Hop): Hop => ({
  pool,
  zeroForOne: !zeroForOne,
  tokenIn: tokenOut,
  tokenOut: tokenIn,
})

function swap(
  hop: Hop,
  amountIn: bigint,
  recipient: Address,
  { payerIsUser }: { payerIsUser: boolean },
): RouterCommand {
  const { pool, tokenIn, tokenOut } = hop
  const both = { recipient, amountIn, amountOutMin: 0n, payerIsUser }
  if (pool.version === 'v2') return { command: 'V2_SWAP_EXACT_IN', ...both, path: [tokenIn, tokenOut] }
  if (pool.version === 'v3') {
    return {
      command: 'V3_SWAP_EXACT_IN',
      ...both,
      path: { tokens: [tokenIn, tokenOut], fees: [pool.feePips] },
    }
  }
  return {
    command: 'V4_SWAP',
    actions: [
      // Paid before the swap, which then sells what arrived: a transfer tax leaves no debt.
      { action: 'SETTLE', currency: tokenIn, amount: amountIn, payerIsUser },
      {
        action: 'SWAP_EXACT_IN_SINGLE',
        poolKey: pool.key,
        zeroForOne: hop.zeroForOne,
        amountIn: OPEN_DELTA,
        amountOutMin: 0n,
        hookData: '0x',
      },
      { action: 'TAKE', currency: tokenOut, recipient, amount: OPEN_DELTA },
    ],
  }
}
