import { type BrainBook, type Decision, MIN_ORDER_MICRO_USD } from '@pit/brains'
import type { Address } from '@pit/chain'
import {
  type HoldCode,
  type LeagueHoldCode,
  type OurHoldCode,
  PRACTICE_ASSETS,
  TRADE,
  usdCentsText,
  usdOf,
  usdText,
} from '@pit/protocol'
import type { AgentToken, HostedAgent } from '../types.ts'
import type { SignedPart } from './types.ts'
import { type Ends, endsOf } from './view.ts'

type Order = Decision['orders'][number]

/** An order of a decision with its verdict: trade, or hold with the reason. */
export interface Judged {
  n: number
  order: Order
  /** The first violated rule, if held. */
  hold: { code: HoldCode | OurHoldCode | LeagueHoldCode | 'MIN_NOTIONAL'; message: string } | null
  /** Set if the order may trade. */
  trade: {
    tokenIn: AgentToken
    tokenOut: AgentToken
    microUsd: bigint
    allAtoms: bigint | null
    signed?: SignedPart
  } | null
}

export interface OrderFacts {
  agent: Pick<HostedAgent, 'pairs' | 'tokens' | 'limits'>
  book: BrainBook
  usdg: Address
  /** Value of a token without an independent mark, at the reference price of its record. */
  referenceMicroUsd?: (token: AgentToken, atoms: bigint) => bigint | null
  /** On the practice board everything trades against USDG. */
  practice: boolean
}

const PRACTICE: ReadonlySet<string> = new Set(PRACTICE_ASSETS)

/**
 * Checks a decision against the agent's limits, order by order; each order counts as done for the following
 * ones. A sale larger than the holding sells the whole holding.
 */
export function judgeOrders(decision: Decision, request: OrderFacts): Judged[] {
  const { agent, book, practice, usdg } = request
  const { maxTradeMicroUsd, maxDayMicroUsd, maxPositionMicroUsd } = agent.limits
  let dayUsed = book.dayUsedMicroUsd
  const valueChanges = new Map<string, bigint>()
  const worthNow = (token: AgentToken): bigint | null => {
    const position = book.positions.find((one) => one.token === token.token)
    const atoms = position?.atoms ?? 0n
    const value =
      position?.microUsd ??
      (atoms === 0n && position ? 0n : (request.referenceMicroUsd?.(token, atoms) ?? null))
    return value === null ? null : value + (valueChanges.get(token.token) ?? 0n)
  }

  return decision.orders.map((order, n): Judged => {
    const holdWith = (code: NonNullable<Judged['hold']>['code'], message: string): Judged => ({
      n,
      order,
      hold: { code, message },
      trade: null,
    })
    const ends = endsOf(agent, order.pair)
    if (!ends) return holdWith('PAIR', `${order.pair.slice(0, 130)} is not one of the agent’s pairs.`)
    const leaguePair = practice ? practiceHold(ends, usdg) : null
    if (leaguePair) return holdWith(leaguePair.code, leaguePair.message)
    const [tokenIn, tokenOut] = order.side === 'buy' ? [ends.quote, ends.base] : [ends.base, ends.quote]
    const size = sizeOf(order, tokenIn, request, {
      value: worthNow(tokenIn),
      untouched: !valueChanges.has(tokenIn.token),
    })
    if ('code' in size) return holdWith(size.code, size.message)
    const { microUsd } = size
    if (microUsd > maxTradeMicroUsd) {
      return holdWith(
        'MAX_TRADE',
        `${usdCentsText(microUsd)} exceeds the limit of ${usdText(usdOf(maxTradeMicroUsd))} per trade.`,
      )
    }
    if (dayUsed + microUsd > maxDayMicroUsd) {
      return holdWith(
        'MAX_DAY',
        `${usdCentsText(microUsd)} exceeds the daily limit: ${usdCentsText(dayUsed)} of ` +
          `${usdText(usdOf(maxDayMicroUsd))} are used.`,
      )
    }
    // Cash does not count as a position.
    if (tokenOut.address !== usdg) {
      const value = worthNow(tokenOut)
      if (value === null) {
        return holdWith(
          'MAX_POSITION',
          `The position in ${tokenOut.token} has no price, so its limit cannot be checked.`,
        )
      }
      if (value + microUsd > maxPositionMicroUsd) {
        return holdWith(
          'MAX_POSITION',
          `${usdCentsText(value)} of ${tokenOut.token} are held; ` +
            `the limit is ${usdText(usdOf(maxPositionMicroUsd))}.`,
        )
      }
    }
    dayUsed += microUsd
    valueChanges.set(tokenOut.token, (valueChanges.get(tokenOut.token) ?? 0n) + microUsd)
    valueChanges.set(tokenIn.token, (valueChanges.get(tokenIn.token) ?? 0n) - microUsd)
    return { n, order, hold: null, trade: { tokenIn, tokenOut, ...size } }
  })
}

/** On the practice board only its assets trade, against USDG. */
export function practiceHold(
  { base, quote }: Ends,
  usdg: Address,
): { code: 'LEAGUE_PAIR'; message: string } | null {
  if (quote.address === usdg && PRACTICE.has(base.token)) return null
  const message = `The practice board trades only ${PRACTICE_ASSETS.join(', ')} against USDG.`
  return { code: 'LEAGUE_PAIR', message }
}

type Size = { microUsd: bigint; allAtoms: bigint | null }

/** Sales are capped at the holding; buys are not capped, as the brain sees the cash. */
function sizeOf(
  { side, microUsd }: Order,
  tokenIn: AgentToken,
  { book }: OrderFacts,
  { value, untouched }: { value: bigint | null; untouched: boolean },
): Size | { code: 'MIN_NOTIONAL' | 'NOTHING_TO_SELL'; message: string } {
  const least = `The minimum trade is ${TRADE.minNotionalUsd} USD.`
  if (microUsd < MIN_ORDER_MICRO_USD) return { code: 'MIN_NOTIONAL', message: least }
  if (side === 'buy') return { microUsd, allAtoms: null }
  const atoms = book.positions.find(({ token }) => token === tokenIn.token)?.atoms ?? 0n
  if (atoms === 0n) return { code: 'NOTHING_TO_SELL', message: `The agent holds no ${tokenIn.token}.` }
  if (value === null || value > microUsd) return { microUsd, allAtoms: null }
  if (value < MIN_ORDER_MICRO_USD) {
    return { code: 'NOTHING_TO_SELL', message: `Less than 1 USD of ${tokenIn.token} is left. ${least}` }
  }
  // Earlier orders may change the balance.
  return { microUsd: value, allAtoms: untouched ? atoms : null }
}
