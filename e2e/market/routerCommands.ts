import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  MSG_SENDER,
  NATIVE,
  OPEN_DELTA,
  type Route,
  type RouterCommand,
} from '@pit/chain'

/** A route as router commands, hop by hop, from the ETH sent to the wallet. */
export function commandsFor(route: Route, amountIn: bigint, tokenOut: Address): RouterCommand[] {
  const commands: RouterCommand[] = []
  let held: Address = NATIVE
  let amount = amountIn
  const hold = (token: Address) => {
    if (held === token) return
    if (held === NATIVE) commands.push({ command: 'WRAP_ETH', recipient: ADDRESS_THIS, amount })
    else commands.push({ command: 'UNWRAP_WETH', recipient: ADDRESS_THIS, amountMin: 0n })
    held = token
  }
  for (const { pool, tokenIn, tokenOut: next, zeroForOne } of route.hops) {
    hold(tokenIn)
    const swap = { recipient: ADDRESS_THIS, amountIn: amount, amountOutMin: 0n, payerIsUser: false }
    if (pool.version === 'v2') commands.push({ command: 'V2_SWAP_EXACT_IN', ...swap, path: [tokenIn, next] })
    else if (pool.version === 'v3') {
      commands.push({
        command: 'V3_SWAP_EXACT_IN',
        ...swap,
        path: { tokens: [tokenIn, next], fees: [pool.feePips] },
      })
    } else {
      commands.push({
        command: 'V4_SWAP',
        actions: [
          { action: 'SETTLE', currency: tokenIn, amount, payerIsUser: false },
          {
            action: 'SWAP_EXACT_IN_SINGLE',
            poolKey: pool.key,
            zeroForOne,
            amountIn: OPEN_DELTA,
            amountOutMin: 0n,
            hookData: '0x',
          },
          { action: 'TAKE', currency: next, recipient: ADDRESS_THIS, amount: OPEN_DELTA },
        ],
      })
    }
    held = next
    amount = CONTRACT_BALANCE
  }
  hold(tokenOut)
  return [...commands, { command: 'SWEEP', token: tokenOut, recipient: MSG_SENDER, amountMin: 0n }]
}
