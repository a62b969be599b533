import { type BrainBook, type Decision, MIN_ORDER_MICRO_USD } from '@pit/brains'
import type { Address } from '@pit/chain'
import {
  type HoldCode,
  type LeagueHoldCode,
  type OurHoldCode,
  PRACTICE_ASSETS,
  TRADE,
  usdOf,
} from '@pit/protocol'
import type { AgentToken, HostedAgent } from '../types.ts'
import { endsOf } from './view.ts'

type Order = Decision['orders'][number]

/** What may trade of a decision, and what may not and why. */
export interface Judged {
  n: number
  order: Order
  /** Held: the first rule that stands in its way. */
  hold: { code: HoldCode | OurHoldCode | LeagueHoldCode | 'MIN_NOTIONAL'; message: string } | null
  /** When it may. */
  trade: {
    tokenIn: AgentToken
    tokenOut: AgentToken
    microUsd: bigint
    allAtoms: bigint | null
  } | null
}

export interface OrderFacts {
  agent: Pick<HostedAgent, 'pairs' | 'tokens' | 'limits'>
  book: BrainBook
  usdg: Address
  /** Of tokens without an independent mark, by what their record compares trades with. */
  referenceMicroUsd?: (token: AgentToken, atoms: bigint) => bigint | null
  /** Plays the practice board: everything is against USDG there. */
  practice: boolean
}

const PRACTICE: ReadonlySet<string> = new Set(PRACTICE_ASSETS)

/**
 * A decision against the agent's own limits, order by order: each counts as done for those after it. A sale
 * of more than is held sells what is held.
 */
export function judgeOrders(decision: Decision, request: OrderFacts): Judged[] {
  const { agent, book, practice, usdg } = request
  const { maxTradeMicroUsd, maxDayMicroUsd, maxPositionMicroUsd } = agent.limits
  let dayUsed = book.dayUsedMicroUsd
  const moved = new Map<string, bigint>()
  const worthNow = (token: AgentToken): bigint | null => {
    const position = book.positions.find((one) => one.token === token.token)
    const atoms = position?.atoms ?? 0n
    const value =
      position?.microUsd ??
      (atoms === 0n && position ? 0n : (request.referenceMicroUsd?.(token, atoms) ?? null))
    return value === null ? null : value + (moved.get(token.token) ?? 0n)
  }

  return decision.orders.map((order, n): Judged => {
    const held = (code: NonNullable<Judged['hold']>['code'], message: string): Judged => ({
      n,
      order,
      hold: { code, message },
      trade: null,
    })
    const ends = endsOf(agent, order.pair)
    if (!ends) return held('PAIR', `${order.pair.slice(0, 130)} is not one of the agent’s pairs.`)
    if (practice && (ends.quote.address !== usdg || !PRACTICE.has(ends.base.token))) {
      return held('LEAGUE_PAIR', `On the practice board ${PRACTICE_ASSETS.join(', ')} trade against USDG.`)
    }
    const [tokenIn, tokenOut] = order.side === 'buy' ? [ends.quote, ends.base] : [ends.base, ends.quote]
    const size = sizeOf(order, tokenIn, request, {
      value: worthNow(tokenIn),
      untouched: !moved.has(tokenIn.token),
    })
    if ('code' in size) return held(size.code, size.message)
    const { microUsd } = size
    if (microUsd > maxTradeMicroUsd) {
      return held('MAX_TRADE', `${usdOf(microUsd)} dollars; one trade is at most ${usdOf(maxTradeMicroUsd)}.`)
    }
    if (dayUsed + microUsd > maxDayMicroUsd) {
      return held(
        'MAX_DAY',
        `${usdOf(dayUsed)} of ${usdOf(maxDayMicroUsd)} dollars a day are used; ${usdOf(microUsd)} more ` +
          'do not fit.',
      )
    }
    // Cash is no position.
    if (tokenOut.address !== usdg) {
      const value = worthNow(tokenOut)
      if (value === null) {
        return held(
          'MAX_POSITION',
          `What is held of ${tokenOut.token} has no price, so its limit cannot be kept.`,
        )
      }
      if (value + microUsd > maxPositionMicroUsd) {
        return held(
          'MAX_POSITION',
          `${usdOf(value)} dollars of ${tokenOut.token} are held; at most ${usdOf(maxPositionMicroUsd)} ` +
            'may be.',
        )
      }
    }
    dayUsed += microUsd
    moved.set(tokenOut.token, (moved.get(tokenOut.token) ?? 0n) + microUsd)
    moved.set(tokenIn.token, (moved.get(tokenIn.token) ?? 0n) - microUsd)
    return { n, order, hold: null, trade: { tokenIn, tokenOut, ...size } }
  })
}

type Size = { microUsd: bigint; allAtoms: bigint | null }

/** Sales are cut to what is held; buys are not, whoever orders knows the cash. */
function sizeOf(
  { side, microUsd }: Order,
  tokenIn: AgentToken,
  { book }: OrderFacts,
  { value, untouched }: { value: bigint | null; untouched: boolean },
): Size | { code: 'MIN_NOTIONAL' | 'NOTHING_TO_SELL'; message: string } {
  const least = `One trade is at least ${TRADE.minNotionalUsd} dollar.`
  if (microUsd < MIN_ORDER_MICRO_USD) return { code: 'MIN_NOTIONAL', message: least }
  if (side === 'buy') return { microUsd, allAtoms: null }
  const atoms = book.positions.find(({ token }) => token === tokenIn.token)?.atoms ?? 0n
  if (atoms === 0n) return { code: 'NOTHING_TO_SELL', message: `The agent holds no ${tokenIn.token}.` }
  if (value === null || value > microUsd) return { microUsd, allAtoms: null }
  if (value < MIN_ORDER_MICRO_USD) {
    return { code: 'NOTHING_TO_SELL', message: `Less than a dollar of ${tokenIn.token} is left. ${least}` }
  }
  // Orders before this one may leave more or less of it than there was.
  return { microUsd: value, allAtoms: untouched ? atoms : null }
}
