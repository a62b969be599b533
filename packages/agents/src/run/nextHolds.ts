import { MIN_ORDER_MICRO_USD } from '@pit/brains'
import type { NextHold } from '../deps.ts'
import type { HostedAgent } from '../types.ts'
import { type DayUse, readLiveBook, readPaperBooks } from './books.ts'
import { judgeOrders, type OrderFacts } from './checks.ts'
import type { RunDeps } from './deps.ts'
import { dayUseOf, lastUnlanded } from './orders.ts'
import { referencesOf } from './references.ts'
import { TRACELESS_MS } from './settle.ts'
import { findGasHold } from './tradeLive.ts'
import type { Held } from './types.ts'
import { endsOf } from './view.ts'

type Side = 'buy' | 'sell'

/** Shorter than in a tick: a caller is waiting. */
const TIMEOUT_MS = 1_000

/**
 * Holds of the next tick given the current wallet, limits and market, also before the agent is live. Throws
 * if the chain does not answer.
 */
export async function findNextHolds(deps: RunDeps, agent: HostedAgent): Promise<NextHold[]> {
  const dayUse = await dayUseOf(deps.db, [agent.id], deps.clock.nowMs())
  return agent.mode === 'paper' ? paperHolds(deps, agent, dayUse) : liveHolds(deps, agent, dayUse)
}

async function paperHolds(deps: RunDeps, agent: HostedAgent, dayUse: DayUse): Promise<NextHold[]> {
  const [book] = await readPaperBooks(deps, [agent], dayUse)
  if (!book || 'code' in book) return book ? [book] : []
  return [...(await limitHolds(deps, agent, book)), ...(await tokenHolds(deps, agent))]
}

async function liveHolds(deps: RunDeps, agent: HostedAgent, dayUse: DayUse): Promise<NextHold[]> {
  const { executor } = agent
  if (executor === null) return []
  const book = await readLiveBook(deps, agent, { executor, dayUse, timeoutMs: TIMEOUT_MS })
  const gas = findGasHold(deps, executor, book.executorWei)
  return [
    ...(gas ? [gas] : []),
    ...(await pendingHolds(deps, agent)),
    ...(await limitHolds(deps, agent, { ...book, practice: false })),
    ...(await tokenHolds(deps, agent)),
  ]
}

async function pendingHolds({ db, clock }: RunDeps, { id }: HostedAgent): Promise<NextHold[]> {
  const lastMs = await lastUnlanded(db, id)
  if (lastMs === null || clock.nowMs() - lastMs >= TRACELESS_MS) return []
  return [{ code: 'TRADE_PENDING', message: 'Waiting for the receipt of an earlier trade.' }]
}

/** Checks the smallest order of each pair and side: if it is held, every order is. */
async function limitHolds(
  deps: RunDeps,
  agent: HostedAgent,
  { book, held, practice }: Pick<OrderFacts, 'book' | 'practice'> & { held: Held },
): Promise<NextHold[]> {
  const rules: OrderFacts = {
    agent,
    book,
    usdg: deps.usdg.address,
    practice,
    referenceMicroUsd: await referencesOf(deps, { agent, held }),
  }
  const sides = sidesOf(agent)
  const holds: NextHold[] = []
  for (const pair of agent.pairs) {
    for (const side of sides) {
      const order = { pair, side, microUsd: MIN_ORDER_MICRO_USD, reason: '' }
      const [verdict] = judgeOrders({ orders: [order], reason: '', state: null }, rules)
      const hold = verdict?.hold
      if (!hold) continue
      // The daily limit applies to all pairs.
      if (hold.code === 'MAX_DAY') return [...holds, hold]
      // An agent that also buys is not held by an empty position.
      if (hold.code === 'NOTHING_TO_SELL' && sides.length > 1) continue
      holds.push({ ...hold, pair, side })
    }
  }
  return holds
}

/** A brain with a `side` param orders only that side. */
function sidesOf({ params }: HostedAgent): readonly Side[] {
  const { side } = params
  return side === 'buy' || side === 'sell' ? [side] : ['buy', 'sell']
}

async function tokenHolds(deps: RunDeps, agent: HostedAgent): Promise<NextHold[]> {
  const session = agent.sessionId === null ? null : await deps.sessions.sessionOf(agent.sessionId)
  const holds = await Promise.all(
    agent.pairs.map(async (pair): Promise<NextHold[]> => {
      const ends = endsOf(agent, pair)
      const hold = ends && (await deps.findTokenHold(agent, [ends.base, ends.quote], session))
      return hold ? [{ ...hold, pair }] : []
    }),
  )
  return holds.flat()
}
