import { isStoreUnavailable } from '@pit/platform/db'
import { withinMs } from '@pit/platform/withinMs'
import { isPitError } from '@pit/protocol'
import type { Brained } from '../brains/index.ts'
import { pauseAgent } from '../store.ts'
import type { AgentToken } from '../types.ts'
import { type Judged, judgeOrders } from './checks.ts'
import type { RunDeps } from './deps.ts'
import { type BegunOrder, holdOrder } from './holdOrder.ts'
import { releaseAgents } from './leases.ts'
import { openOrdersOf } from './orders.ts'
import { decisionRecord, holdRecord, type Seen } from './outcome.ts'
import { type Prepared, prepareTicks } from './prepare.ts'
import { insertLogs, type Recorded, recordDecisions, type TickRecord } from './record.ts'
import { settleOrders } from './settle.ts'
import { thinLogs } from './sweep.ts'
import { isLanded, tradeLive } from './tradeLive.ts'
import { tradePaper } from './tradePaper.ts'
import type { ClaimedAgent } from './types.ts'
import { marketOf } from './view.ts'

/** No brain is waited for longer, whatever its interval. */
const MOST_BRAIN_MS = 90_000
/** After so many failed ticks in a row nobody is asked any more. */
const MOST_ERRORS = 20

type Ready = Extract<Prepared, { kind: 'ready' }>
/** A tick that was decided, on its way to be stored. */
interface Decided {
  prepared: Prepared
  record: TickRecord
  judged: readonly Judged[]
  outcome: 'decision' | 'hold' | 'error'
}

/** One tick of each of these agents, all claimed under one lease. What fails of one leaves the others alone. */
export async function runTicks(deps: RunDeps, agents: readonly ClaimedAgent[]): Promise<void> {
  const { clock, counted } = deps
  const startedMs = clock.nowMs()
  for (const { dueMs } of agents) counted.began(startedMs - dueMs)
  const gone = agents.filter(({ status, deletedAtS }) => status !== 'active' || deletedAtS !== null)
  const ticking = agents.filter((agent) => !gone.includes(agent))
  const open = await settleOrders(deps, await openOrdersOf(deps.db, ids(agents)))
  const prepared = ticking.length > 0 ? await prepareTicks(deps, ticking, open) : []
  await deps.history.refresh(prepared.flatMap(({ agent }) => agent.tokens.map(({ address }) => address)))
  const paused = prepared.filter(({ kind }) => kind === 'pause')
  for (const one of paused) await pause(deps, one)

  const decided = await Promise.all(
    prepared.filter(({ kind }) => kind !== 'pause').map((one) => decideSafely(deps, one)),
  )
  const recorded = await recordAll(deps, decided)
  const trading = decided.filter(({ record }) => record.orders.length > 0)
  const ended = [...gone, ...paused.map(({ agent }) => agent)]
  if (ended.length > 0) await release(deps, ended)
  await eachOf(deps, trading, (one) => trade(deps, one, recorded.get(one.record.agent.id)!))
  await keepEquity(deps, decided)
  for (const one of decided) count(deps, one, recorded.get(one.record.agent.id)!, startedMs)
}

const ids = (agents: readonly { id: string }[]): string[] => agents.map(({ id }) => id)

const release = (deps: RunDeps, agents: readonly ClaimedAgent[]) =>
  releaseAgents(deps.db, agents[0]!.claim, ids(agents), deps.clock.nowMs())

/** Together; when the store refuses that, one by one: what cannot be stored of one is that one's fault. */
async function recordAll(deps: RunDeps, decided: readonly Decided[]): Promise<Map<string, Recorded>> {
  const nowMs = deps.clock.nowMs()
  try {
    return await recordDecisions(
      deps.db,
      decided.map(({ record }) => record),
      nowMs,
    )
  } catch (error) {
    if (isStoreUnavailable(error)) throw error
    deps.logger.error({ err: error }, 'a batch of decisions could not be stored; they are stored one by one')
  }
  const recorded = new Map<string, Recorded>()
  for (const { record } of decided) {
    const own = await recordDecisions(deps.db, [record], nowMs).catch((error) => {
      if (isStoreUnavailable(error)) throw error
      deps.logger.error({ err: error, agent: record.agent.id }, 'a decision could not be stored')
      return recordDecisions(
        deps.db,
        [failedRecord(record.agent, nowMs, 'What it decided could not be stored.')],
        nowMs,
      )
    })
    for (const [id, one] of own) recorded.set(id, one)
  }
  return recorded
}

const failedRecord = (agent: ClaimedAgent, atMs: number, message: string): TickRecord =>
  holdRecord(agent, { kind: 'error', code: 'TICK_FAILED', message }, { atMs })

async function decideSafely(deps: RunDeps, prepared: Prepared): Promise<Decided> {
  try {
    return await decide(deps, prepared)
  } catch (error) {
    deps.logger.error({ err: error, agent: prepared.agent.id }, 'a tick failed while it decided')
    const record = failedRecord(prepared.agent, deps.clock.nowMs(), 'The tick failed before it decided.')
    return without(prepared, record, 'error')
  }
}

/** Asks the brain and judges what it wants; a fault of either is the tick's own. */
async function decide(deps: RunDeps, prepared: Prepared): Promise<Decided> {
  const { agent } = prepared
  const atMs = deps.clock.nowMs()
  if (prepared.kind === 'hold') {
    const { code, message } = prepared
    return without(prepared, holdRecord(agent, { kind: 'hold', code, message }, { atMs }), 'hold')
  }
  const ready = prepared as Ready
  const seen: Seen = {
    market: marketOf(agent, { ...deps, spanS: deps.brains.historyS(agent), nowMs: atMs }),
    book: ready.book,
  }
  const brained = await askBrain(deps, agent, seen)
  const afterMs = deps.clock.nowMs()
  if (brained.kind !== 'decision') {
    return without(prepared, holdRecord(agent, brained, { seen, atMs: afterMs }), brained.kind)
  }
  const judged = judgeOrders(brained.decision, {
    agent,
    book: ready.book,
    usdg: deps.usdg.address,
    practice: ready.mode === 'paper' && ready.practice,
    referenceMicroUsd: await referencesOf(deps, ready),
  })
  const { decision, data } = brained
  const record = decisionRecord({ agent, decision, data, seen, judged, atMs: afterMs })
  return { prepared, record, judged, outcome: 'decision' }
}

const without = (prepared: Prepared, record: TickRecord, outcome: 'hold' | 'error'): Decided => ({
  prepared,
  record,
  judged: [],
  outcome,
})

async function askBrain(deps: RunDeps, agent: ClaimedAgent, seen: Seen): Promise<Brained> {
  const patienceMs = Math.min(agent.intervalS * 1_000, MOST_BRAIN_MS)
  const deadlineMs = deps.clock.nowMs() + patienceMs
  try {
    const asked = deps.brains.decide({ agent, tick: agent.tick + 1, ...seen, deadlineMs })
    return await withinMs(patienceMs + 5_000, asked, () => new Error('the brain took too long'))
  } catch (error) {
    if (isPitError(error)) return { kind: 'error', code: error.code, message: error.message }
    deps.logger.error({ err: error, agent: agent.id }, 'a brain failed')
    return { kind: 'error', code: 'TICK_FAILED', message: 'The brain could not be asked.' }
  }
}

/** Prices of what is held without an independent mark: good enough to keep a limit by, never shown as a value. */
async function referencesOf({ tokens, market }: RunDeps, { agent, held }: Ready) {
  const prices = new Map<string, number>()
  for (const { address } of agent.tokens) {
    if (market.mark(address) || !held.get(address)) continue
    const usd = (await tokens.find(address))?.record.reference.price_usd
    if (usd) prices.set(address, usd)
  }
  return ({ address, decimals }: AgentToken, atoms: bigint): bigint | null => {
    const usd = prices.get(address)
    if (usd === undefined) return null
    return BigInt(Math.ceil((Number(atoms) / 10 ** decimals) * usd * 1e6))
  }
}

/** Carries out what a tick begins, one order after another. */
async function trade(
  deps: RunDeps,
  { prepared, record, judged }: Decided,
  recorded: Recorded,
): Promise<void> {
  if (!recorded.kept) return
  const { agent, tick } = record
  const ready = prepared as Ready
  if (!recorded.stands) await logChanged(deps, record)
  let landed = true
  let last: number | null = null
  for (const { n, order, trade: sized } of judged) {
    const id = recorded.orders.get(n)
    if (id === undefined || !sized) continue
    const begun: BegunOrder = { id, n, pair: order.pair, side: order.side, ...sized, reason: order.reason }
    const ask = { agent, tick, order: begun }
    // Another one in the same tick would stand on balances that are not there yet.
    landed &&= last === null || (await isLanded(deps, last))
    if (!landed) {
      await holdOrder(deps, ask, { code: 'TRADE_PENDING', message: 'The trade before it has not landed.' })
      continue
    }
    const outcome =
      ready.mode === 'paper'
        ? await paperOrder(deps, ask, ready)
        : await tradeLive(deps, { ...ask, session: ready.session, executorWei: ready.executorWei })
    if (typeof outcome === 'object') deps.counted.held(outcome.held)
    deps.counted.order(ready.mode, typeof outcome === 'object' ? 'held' : outcome)
    if (ready.mode === 'live' && outcome === 'relayed') last = id
    if (ready.mode === 'live' && outcome === 'failed') landed = false
  }
  await release(deps, [agent])
}

async function paperOrder(
  deps: RunDeps,
  ask: { agent: ClaimedAgent; tick: number; order: BegunOrder },
  { bookId }: Extract<Ready, { mode: 'paper' }>,
) {
  const { tokenIn, tokenOut } = ask.order
  const hold = await deps.findTokenHold(ask.agent, [tokenIn, tokenOut], null)
  return hold ? holdOrder(deps, ask, hold) : tradePaper(deps, { ...ask, bookId })
}

/** Decided on what the agent was; it is something else now. */
const logChanged = ({ db, clock }: RunDeps, { agent, tick }: TickRecord): Promise<void> =>
  insertLogs(db, [
    {
      agentId: agent.id,
      tick,
      atMs: clock.nowMs(),
      kind: 'hold',
      code: 'CHANGED',
      message: 'The agent was changed, paused or stopped while it decided: nothing of it is traded.',
    },
  ])

/** The session ended, or too much went wrong: the agent waits for its owner. */
async function pause(deps: RunDeps, prepared: Prepared): Promise<void> {
  if (prepared.kind !== 'pause') return
  const { agent, reason, message } = prepared
  await deps.db.transaction(async (sql) => {
    if (!(await pauseAgent(sql, agent.id, reason))) return
    await insertLogs(sql, [
      {
        agentId: agent.id,
        tick: null,
        atMs: deps.clock.nowMs(),
        kind: reason.code === 'SESSION_ENDED' ? 'session' : 'state',
        code: reason.code,
        message: `The agent pauses: ${message}`,
        data: reason,
      },
    ])
  })
  deps.counted.held(reason.code)
}

/** A few at a time: the store is shared. An order's fault is its own. */
async function eachOf<T extends Decided>(
  deps: RunDeps,
  all: readonly T[],
  run: (one: T) => Promise<void>,
): Promise<void> {
  const left = [...all]
  const worker = async () => {
    for (let one = left.shift(); one; one = left.shift()) {
      await run(one).catch((error) => {
        // Its orders stay as they are: the next tick ends them.
        deps.logger.error({ err: error, agent: one.record.agent.id }, 'a tick failed while it traded')
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(TRADES_AT_ONCE, left.length) }, worker))
}
const TRADES_AT_ONCE = 4

async function keepEquity(deps: RunDeps, decided: readonly Decided[]): Promise<void> {
  const books = decided.flatMap(({ prepared }) =>
    prepared.kind === 'ready' && prepared.mode === 'paper' ? [prepared.bookId] : [],
  )
  if (books.length === 0) return
  await deps.paper.recordEquity(books, Math.floor(deps.clock.nowMs() / 1_000)).catch((error) => {
    deps.logger.warn({ err: error }, 'the worth of paper books was not kept')
  })
}

async function count(
  deps: RunDeps,
  { record, judged, outcome }: Decided,
  recorded: Recorded,
  startedMs: number,
): Promise<void> {
  const { agent, tick } = record
  deps.counted.ended(recorded.kept ? outcome : 'lost', (deps.clock.nowMs() - startedMs) / 1_000)
  if (!recorded.kept) return
  for (const { hold } of judged) if (hold) deps.counted.held(hold.code)
  if (outcome === 'hold') deps.counted.held(String(record.logs[0]?.code))
  try {
    if (outcome === 'error' && agent.errorsInARow + 1 >= MOST_ERRORS) {
      const why = `${MOST_ERRORS} ticks in a row failed, the last with ${record.logs[0]?.code}.`
      await pause(deps, { agent, kind: 'pause', reason: { code: 'ERRORS', why }, message: why })
    }
    await thinLogs(deps.db, agent.id, tick)
  } catch (error) {
    deps.logger.warn({ err: error, agent: agent.id }, 'what follows a tick failed')
  }
}
