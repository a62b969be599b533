import type { Address, RouterCommand } from '@pit/chain'

/**
 * An independent model of a Universal Router's balances: pools return as many atoms as they take, so that only
 * the commands decide the final balances.
 */

const CALLER: Address = '0x0000000000000000000000000000000000000001'
const ROUTER: Address = '0x0000000000000000000000000000000000000002'
const ETH: Address = '0x0000000000000000000000000000000000000000'
const ALL = 1n << 255n

export type Ledger = { of(who: Address, token: Address): bigint; holders(): Address[]; left(): bigint }

/** Runs the commands. `runsOut` reduces what each v3 pool can take by that percentage. Throws on a revert. */
export function runOnModel(
  commands: readonly RouterCommand[],
  request: { value: bigint; weth: Address; runsOut?: number },
): Ledger {
  const { value, weth, runsOut = 0 } = request
  const balances = new Map<string, bigint>()
  const of = (who: Address, token: Address): bigint => balances.get(`${who} ${token}`) ?? 0n
  const add = (who: Address, token: Address, amount: bigint): void => {
    const next = of(who, token) + amount
    // The caller's tokens come from outside: a negative balance is what it paid.
    if (next < 0n && who !== CALLER) throw new Error('reverted: not enough')
    balances.set(`${who} ${token}`, next)
  }
  const move = (token: Address, from: Address, to: Address, amount: bigint): void => {
    add(from, token, -amount)
    add(to, token, amount)
  }
  const payer = (isUser: boolean): Address => (isUser ? CALLER : ROUTER)
  const exact = (amount: bigint, token: Address): bigint => (amount === ALL ? of(ROUTER, token) : amount)

  move(ETH, CALLER, ROUTER, value)
  for (const c of commands) {
    switch (c.command) {
      case 'PERMIT2_PERMIT':
        break
      case 'PERMIT2_TRANSFER_FROM':
        move(c.token, CALLER, c.recipient, c.amount)
        break
      case 'TRANSFER':
        move(c.token, ROUTER, c.recipient, c.amount)
        break
      case 'PAY_PORTION':
        move(c.token, ROUTER, c.recipient, (of(ROUTER, c.token) * c.bips) / 10_000n)
        break
      case 'SWEEP':
        if (of(ROUTER, c.token) < c.amountMin) throw new Error('reverted: too little')
        move(c.token, ROUTER, c.recipient, of(ROUTER, c.token))
        break
      case 'WRAP_ETH': {
        const amount = exact(c.amount, ETH)
        add(ROUTER, ETH, -amount)
        add(c.recipient, weth, amount)
        break
      }
      case 'UNWRAP_WETH': {
        const amount = of(ROUTER, weth)
        if (amount < c.amountMin) throw new Error('reverted: too little')
        add(ROUTER, weth, -amount)
        add(c.recipient, ETH, amount)
        break
      }
      case 'V2_SWAP_EXACT_IN': {
        const amount = exact(c.amountIn, c.path[0]!)
        if (amount < c.amountOutMin) throw new Error('reverted: too little')
        add(payer(c.payerIsUser), c.path[0]!, -amount)
        add(c.recipient, c.path.at(-1)!, amount)
        break
      }
      case 'V3_SWAP_EXACT_IN': {
        let amount = exact(c.amountIn, c.path.tokens[0]!)
        let from = payer(c.payerIsUser)
        for (const [i, token] of c.path.tokens.slice(0, -1).entries()) {
          const next = c.path.tokens[i + 1]!
          amount -= (amount * BigInt(runsOut)) / 100n
          add(from, token, -amount)
          from = ROUTER
          add(i === c.path.fees.length - 1 ? c.recipient : ROUTER, next, amount)
        }
        if (amount < c.amountOutMin) throw new Error('reverted: too little')
        break
      }
      case 'V4_SWAP': {
        const [settle, swap, take] = c.actions
        if (settle?.action !== 'SETTLE' || take?.action !== 'TAKE') throw new Error('reverted: not settled')
        const out =
          swap?.action === 'SWAP_EXACT_IN'
            ? swap.path.at(-1)!.intermediateCurrency
            : swap?.action === 'SWAP_EXACT_IN_SINGLE'
              ? swap.poolKey[swap.zeroForOne ? 'currency1' : 'currency0']
              : undefined
        if (out !== take.currency) throw new Error('reverted: not settled')
        const amount = exact(settle.amount, settle.currency)
        // Native ETH always comes from the router.
        add(settle.currency === ETH ? ROUTER : payer(settle.payerIsUser), settle.currency, -amount)
        add(take.recipient, out, amount)
        if (amount < (swap as { amountOutMin: bigint }).amountOutMin) throw new Error('reverted: too little')
        break
      }
    }
  }
  return {
    of,
    holders: () =>
      [...new Set([...balances].filter(([, n]) => n !== 0n).map(([key]) => key.split(' ')[0]!))] as Address[],
    left: () => [...balances].reduce((sum, [key, n]) => (key.startsWith(ROUTER) ? sum + n : sum), 0n),
  }
}
