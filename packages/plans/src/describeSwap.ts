import {
  ADDRESS_THIS,
  type Address,
  CONTRACT_BALANCE,
  DYNAMIC_FEE,
  type HopPath,
  MSG_SENDER,
  NATIVE,
  type RouterCommand,
  type RunCommand,
  readRun,
} from '@pit/chain'
import { decimalText, feeOf, grouped } from '@pit/protocol'
import { encodeSwap } from './encodeSwap.ts'
import type { SwapPath } from './plan.ts'

/** Deployers choose symbols; one that could be read as part of the sentence is replaced by the address. */
const PLAIN_SYMBOL = /^[\w.$+-]{1,16}$/

export type TokenNames = (token: Address) => { symbol: string; decimals: number } | undefined

/**
 * A readable description of a plan: a sentence per command, amounts in units and in atoms.
 */
export function describeSwap(plan: SwapPath, names: TokenNames) {
  const { commands, valueWei } = encodeSwap(plan)
  const describe = createDescriber(names, plan)
  const { tokenIn, tokenOut, amountIn, amountOutMin, fee, deadlineS } = plan
  const feeToken = fee.side === 'input' ? tokenIn : tokenOut
  return {
    function: 'execute(bytes commands, bytes[] inputs, uint256 deadline)' as const,
    pays: describe.amount(tokenIn, amountIn),
    receives_at_least: describe.amount(tokenOut, amountOutMin),
    fee: {
      bps: fee.bps,
      side: fee.side,
      token: feeToken,
      recipient: fee.recipient,
      // A portion of the output is known only after the swap.
      ...(fee.side === 'input' && { amount: describe.amount(tokenIn, feeOf(amountIn, fee.bps)) }),
    },
    legs: plan.legs.map((leg) => ({
      pays: describe.amount(tokenIn, leg.amountIn),
      hops: leg.hops.map((hop) => describe.hop(hop)),
    })),
    commands: commands.map((command) => ({ command: command.command, does: describe.command(command) })),
    value_wei: valueWei.toString(),
    deadline: Number(deadlineS),
  }
}

function createDescriber(names: TokenNames, plan: SwapPath) {
  const symbol = (token: Address): string => {
    if (token === NATIVE) return 'ETH'
    if (token === plan.weth) return 'WETH'
    const name = names(token)?.symbol
    return name !== undefined && PLAIN_SYMBOL.test(name) ? name : token
  }
  const decimals = (token: Address): number | undefined =>
    names(token)?.decimals ?? (token === NATIVE || token === plan.weth ? 18 : undefined)

  const amount = (token: Address, atoms: bigint) => {
    const places = decimals(token)
    const whole = places === undefined ? null : decimalText(atoms, places)
    return { token, symbol: symbol(token), amount: whole, atoms: atoms.toString() }
  }
  const money = (token: Address, atoms: bigint): string => {
    if (atoms === CONTRACT_BALANCE) return `all the router’s ${symbol(token)}`
    const { amount: whole } = amount(token, atoms)
    return whole === null
      ? `${atoms} atoms of ${symbol(token)}`
      : `${grouped(whole)} ${symbol(token)} (${atoms} atoms)`
  }
  const who = (address: Address): string =>
    address === MSG_SENDER ? 'the caller' : address === ADDRESS_THIS ? 'the router' : address
  const hop = (one: HopPath): string => `${symbol(one.tokenIn)} → ${symbol(one.tokenOut)} (${poolOf(one)})`

  const command = (c: RouterCommand): string => {
    switch (c.command) {
      case 'PERMIT2_PERMIT': {
        const { details, spender, sigDeadline } = c.permit
        const amount = money(details.token, details.amount)
        const until = timeOf(BigInt(details.expiration))
        const signature = `nonce ${details.nonce}, valid until ${timeOf(sigDeadline)}`
        const allowance = `Lets ${spender} move up to ${amount} of the caller through Permit2 until ${until}`
        return `${allowance}, by the caller’s signature (${signature}).`
      }
      case 'PERMIT2_TRANSFER_FROM':
        return `Sends ${money(c.token, c.amount)} from the caller to ${who(c.recipient)}.`
      case 'TRANSFER':
        return `Sends ${money(c.token, c.amount)} of the transaction’s value to ${who(c.recipient)}.`
      case 'WRAP_ETH':
        return `Wraps ${money(NATIVE, c.amount)} as WETH for ${who(c.recipient)}.`
      case 'UNWRAP_WETH': {
        const least = `at least ${money(plan.weth, c.amountMin)}`
        return `Unwraps all the router’s WETH, ${least}, to ETH for ${who(c.recipient)}.`
      }
      case 'PAY_PORTION': {
        const share = `${c.bips} bps of the router’s ${symbol(c.token)}`
        return `Sends ${share} to ${who(c.recipient)}.`
      }
      case 'SWEEP': {
        const least = `at least ${money(c.token, c.amountMin)}`
        return `Sends all the router’s ${symbol(c.token)}, ${least}, to ${who(c.recipient)}.`
      }
      default:
        return swapSentence(c)
    }
  }

  const swapSentence = (run: RunCommand): string => {
    const { hops, tokenIn, tokenOut, amountIn, amountOutMin, payerIsUser, recipient } = readRun(run)
    const payer = payerIsUser ? 'the caller' : 'the router'
    const path = hops.map(hop).join(', ')
    const least = `at least ${money(tokenOut, amountOutMin)}`
    return `Swaps ${money(tokenIn, amountIn)}, paid by ${payer}: ${path}; ${least}, to ${who(recipient)}.`
  }
  return { amount, hop, command }
}

function poolOf(hop: HopPath): string {
  if (hop.version === 'v2') return 'v2'
  if (hop.version === 'v3') return `v3 ${percentOf(hop.feePips)}`
  const { fee, tickSpacing, hooks } = hop.key
  const rate = fee === DYNAMIC_FEE ? 'dynamic fee' : percentOf(fee)
  return `v4 ${rate}, spacing ${tickSpacing}${hooks === NATIVE ? '' : `, hook ${hooks}`}`
}

const percentOf = (pips: number): string => `${decimalText(BigInt(pips), 4)}%`

/** Times beyond the range of Date stay numbers. */
function timeOf(seconds: bigint): string {
  return seconds < 1n << 40n ? new Date(Number(seconds) * 1000).toISOString() : `second ${seconds}`
}
