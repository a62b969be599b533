import { type Address, erc20Abi, type Hex, NATIVE } from '@pit/chain'
import { bpsNearest } from '@pit/protocol'
import { encodeFunctionData, keccak256 } from 'viem'
import type { Pins } from '../pins.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { allowRouter, MAX_UINT160, sellInPool, sellOnCurve } from './encodeSale.ts'
import { askVenue } from './quotes.ts'
import type { RpcCall } from './rpc.ts'
import { balanceCall, balanceIn, type LaterCalls, type SimulatedCall } from './trial.ts'
import { reverseHop, type Venue } from './venues.ts'

/** Whether the bought token could be sold again right after the purchase. */
export type Sale =
  | {
      ok: true
      /** Under what the pools quoted for the amount. */
      lostBps: number
      /** Whether it reaches another wallet. */
      transfers: boolean
    }
  | { ok: false; why: string }

export interface AskedSale extends LaterCalls {
  read(results: readonly SimulatedCall[]): Sale
}

/** Not all of it: a balance may round, or shrink a little from block to block. */
const SOLD_TENTHS = 9n
const TRANSFERRED_PART = 20n

/**
 * The sale of most of what a plan buys, through the same pools or the same curve. The client encodes it
 * itself: it simulates the calls and never signs them.
 */
export function askSale(
  pins: Pins,
  { wallet, tokenOut, bought }: { wallet: Address; tokenOut: Address; bought: bigint },
  reading: Pick<PlanReading, 'legs' | 'curve' | 'tokenIn'>,
): AskedSale {
  const parts = partsOf(reading, (bought * SOLD_TENTHS) / 10n || 1n)
  const payers = [...new Set(parts.map(({ venue }) => venue.payer))]
  const balances = payers.map((token) => balanceCall({ holder: wallet, token }, pins.multicall3))
  const quotes = parts.map((part) => askVenue(pins, { ...part, side: 'sell' }))
  const own = (to: Address, data: Hex) => ({ from: wallet, to, data })
  const spender = reading.curve?.id ?? pins.permit2
  const approvals = [
    own(
      tokenOut,
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, MAX_UINT160] }),
    ),
    ...(reading.curve ? [] : [own(pins.permit2, allowRouter(pins, tokenOut))]),
  ]
  const sales = parts.map(({ venue, amount }) =>
    venue.kind === 'curve'
      ? own(venue.curve.id, sellOnCurve(venue.curve, amount, wallet))
      : own(pins.router, sellInPool(pins.layout, reverseHop(venue.hop), amount)),
  )
  const quoteCalls = quotes.flatMap(({ calls }) => calls.map(plainCall))
  // Of this wallet and token alone, so that no token can know it.
  const stranger: Address = `0x${keccak256(`${wallet}${tokenOut.slice(2)}`).slice(26)}`
  const transfer = own(
    tokenOut,
    encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [stranger, bought / TRANSFERRED_PART || 1n],
    }),
  )
  const received = balanceCall({ holder: stranger, token: tokenOut }, pins.multicall3)
  const calls = [...balances, ...quoteCalls, ...approvals, ...sales, transfer, ...balances, received]
  return {
    wallet,
    calls,
    read(results) {
      if (results.length < calls.length) return { ok: false, why: 'the node did not simulate it' }
      const left = [...results]
      const before = left.splice(0, balances.length)
      const quoted = quotes.map(({ calls, read }) => readQuote(left.splice(0, calls.length), read))
      // The purchase took the curve's last tokens: they trade in the launchpad's pool from then on.
      if (reading.curve && quoted[0] === 0n) return { ok: true, lostBps: 0, transfers: true }
      const sent = left.splice(0, approvals.length + sales.length + 1)
      const failed = sent.slice(approvals.length, -1).find(({ status }) => status !== '0x1')
      if (failed) return { ok: false, why: failed.error?.message ?? 'it reverts' }
      const gasWei = sent.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n)
      const losses = payers.map((token, i) => {
        const at = { holder: wallet, token }
        const change = balanceIn(at, left[i]!.returnData) - balanceIn(at, before[i]!.returnData)
        const proceeds = token === NATIVE ? change + gasWei : change
        const expected = parts.reduce(
          (sum, { venue }, k) => sum + (venue.payer === token ? quoted[k]! : 0n),
          0n,
        )
        return proceeds >= expected ? 0 : Number(bpsNearest(expected - proceeds, expected))
      })
      const arrived = /[1-9a-f]/.test(left.at(-1)!.returnData.slice(2, 66))
      return { ok: true, lostBps: Math.max(...losses), transfers: sent.at(-1)!.status === '0x1' && arrived }
    },
  }
}

interface Part {
  venue: Venue
  amount: bigint
}

/** The last pool of each leg takes its share of the token back. */
function partsOf(
  { legs, curve, tokenIn }: Pick<PlanReading, 'legs' | 'curve' | 'tokenIn'>,
  amount: bigint,
): Part[] {
  if (curve) return [{ venue: { kind: 'curve', payer: tokenIn, curve }, amount }]
  const whole = legs.reduce((sum, leg) => sum + leg.amountIn, 0n)
  return legs.map(({ hops, amountIn }) => {
    const hop = hops.at(-1)!
    return { venue: { kind: 'pool', payer: hop.tokenIn, hop }, amount: (amount * amountIn) / whole || 1n }
  })
}

function readQuote(results: readonly SimulatedCall[], read: (answers: readonly Hex[]) => bigint): bigint {
  if (results.some(({ status, returnData }) => status !== '0x1' || returnData === '0x')) return 0n
  try {
    return read(results.map(({ returnData }) => returnData))
  } catch {
    return 0n
  }
}

const plainCall = ({ params }: RpcCall) => params[0] as { to: Address; data: Hex }
