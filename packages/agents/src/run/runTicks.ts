import { isStoreUnavailable } from '@pit/platform/db'
import { thinLogs, writeLogs } from '../logs.ts'
import { agentSeries } from '../show/equity.ts'
import { endSigned, SESSION_ENDED } from '../signed/endSigned.ts'
import { openLists, type StoredList } from '../signed/store.ts'
import { pauseAgent } from '../store.ts'
import { carryOut } from './carryOut.ts'
import { type Decided, decideTick, failedRecord } from './decideTick.ts'
import type { RunDeps } from './deps.ts'
import { releaseAgents } from './leases.ts'
import { openOrdersOf } from './orders.ts'
import { type Prepared, prepareTicks } from './prepare.ts'
import { type Recorded, recordDecisions } from './record.ts'
import { settleOrders } from './settle.ts'
import { settleLeaves } from './settleLeaves.ts'
import type { ClaimedAgent } from './types.ts'

/** Pause an agent after this many failed ticks in a row; one with armed orders never. */
const MAX_ERRORS = 20

/** Runs one tick of each of these agents under one lease. A failure of one does not affect the others. */
export async function runTicks(deps: RunDeps, agents: readonly ClaimedAgent[]): Promise<void> {
  const { clock, tickMetrics } = deps
  const startedMs = clock.nowMs()
  for (const { dueMs } of agents) tickMetrics.began(startedMs - dueMs)
  const inactive = agents.filter(({ status, deletedAtS }) => status !== 'active' || deletedAtS !== null)
  const ticking = agents.filter((agent) => !inactive.includes(agent))
  const open = await settleOrders(deps, await openOrdersOf(deps.db, ids(agents)))
  await settleLeaves(deps, ids(agents.filter(maySign)))
  const prepared = ticking.length > 0 ? await prepareTicks(deps, ticking, open) : []
  await deps.history.refresh(prepared.flatMap(({ agent }) => agent.tokens.map(({ address }) => address)))
  const paused = prepared.filter(({ kind }) => kind === 'pause')
  for (const one of paused) await pause(deps, one)

  const signed = await readSigned(deps, prepared)
  const decided = await Promise.all(
    prepared
      .filter(({ kind }) => kind !== 'pause')
      .map((one) => decideTick(deps, one, signed.get(one.agent.id) ?? [])),
  )
  const recorded = await recordAll(deps, decided)
  const trading = decided.filter(({ record }) => record.orders.length > 0)
  const ended = [...inactive, ...paused.map(({ agent }) => agent)]
  if (ended.length > 0) await release(deps, ended)
  await eachOf(deps, trading, (one) => carryOut(deps, one, recorded.get(one.record.agent.id)!))
  await keepEquity(deps, decided)
  for (const one of decided) await finish(deps, one, recorded.get(one.record.agent.id)!, startedMs)
}

/** Only these can have signed orders. */
const maySign = ({ brain, mode }: ClaimedAgent): boolean => brain === 'orders' || mode === 'live'

async function readSigned(deps: RunDeps, prepared: readonly Prepared[]): Promise<Map<string, StoredList[]>> {
  const ready = prepared.filter(({ kind, agent }) => kind === 'ready' && maySign(agent))
  const lists = await openLists(deps.db, ids(ready.map(({ agent }) => agent)), deps.clock.nowMs())
  return new Map(ready.map(({ agent: { id } }) => [id, lists.filter(({ agentId }) => agentId === id)]))
}

const ids = (agents: readonly { id: string }[]): string[] => agents.map(({ id }) => id)

const release = (deps: RunDeps, agents: readonly ClaimedAgent[]) =>
  releaseAgents(deps.db, agents[0]!.claim, ids(agents), deps.clock.nowMs())

/** Stores all in one batch; falls back to one by one, so that one bad record does not affect the others. */
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
    deps.logger.error({ err: error }, 'failed to store a batch of decisions; storing them one by one')
  }
  const recorded = new Map<string, Recorded>()
  for (const { record } of decided) {
    const own = await recordDecisions(deps.db, [record], nowMs).catch((error) => {
      if (isStoreUnavailable(error)) throw error
      deps.logger.error({ err: error, agent: record.agent.id }, 'failed to store a decision')
      return recordDecisions(
        deps.db,
        [failedRecord(record.agent, nowMs, 'The decision could not be stored.')],
        nowMs,
      )
    })
    for (const [id, one] of own) recorded.set(id, one)
  }
  return recorded
}

/** The session ended or too many ticks failed: the agent waits for its owner. */
async function pause(deps: RunDeps, prepared: Prepared): Promise<void> {
  if (prepared.kind !== 'pause') return
  const { agent, reason, message } = prepared
  await deps.db.transaction(async (sql) => {
    if (!(await pauseAgent(sql, agent.id, reason))) return
    await writeLogs(sql, {
      agentId: agent.id,
      tick: null,
      atMs: deps.clock.nowMs(),
      kind: reason.code === 'SESSION_ENDED' ? 'session' : 'state',
      code: reason.code,
      message: `The agent was paused: ${message}`,
      data: reason,
    })
    if (reason.code === 'SESSION_ENDED') await endSigned(sql, agent.id, SESSION_ENDED, deps.clock.nowMs())
  })
  deps.tickMetrics.held(reason.code)
}

/** Limited concurrency; one failing order does not affect others. */
async function eachOf<T extends Decided>(
  deps: RunDeps,
  all: readonly T[],
  run: (one: T) => Promise<void>,
): Promise<void> {
  const remaining = [...all]
  const worker = async () => {
    for (let one = remaining.shift(); one; one = remaining.shift()) {
      await run(one).catch((error) => {
        // Its orders stay open; the next tick ends them.
        deps.logger.error({ err: error, agent: one.record.agent.id }, 'a tick failed during its trades')
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(TRADES_AT_ONCE, remaining.length) }, worker))
}
const TRADES_AT_ONCE = 4

/** On the practice board an agent's own book is valued too: it is the one its owner sees. */
async function keepEquity(deps: RunDeps, decided: readonly Decided[]): Promise<void> {
  const ready = decided.flatMap(({ prepared }) => (prepared.kind === 'ready' ? [prepared] : []))
  const books = ready.flatMap((one) =>
    one.mode === 'paper' ? [one.bookId, ...(one.agent.bookId === null ? [] : [one.agent.bookId])] : [],
  )
  const live = ready.flatMap(({ mode, agent, book: { equityMicroUsd } }) =>
    mode === 'live' && equityMicroUsd !== null
      ? [{ series: agentSeries(agent.id), value: equityMicroUsd }]
      : [],
  )
  try {
    if (books.length > 0) await deps.paper.recordEquity([...new Set(books)])
    await deps.equityHistory.append(live)
  } catch (error) {
    deps.logger.warn({ err: error }, 'failed to store equity')
  }
}

/** Metrics and cleanup after a tick. */
async function finish(
  deps: RunDeps,
  { record, judged, outcome }: Decided,
  recorded: Recorded,
  startedMs: number,
): Promise<void> {
  const { agent, tick } = record
  deps.tickMetrics.ended(recorded.isStored ? outcome : 'lost', (deps.clock.nowMs() - startedMs) / 1_000)
  if (!recorded.isStored) return
  for (const { hold } of judged) if (hold) deps.tickMetrics.held(hold.code)
  if (outcome === 'hold') deps.tickMetrics.held(String(record.logs[0]?.code))
  try {
    if (outcome === 'error' && agent.brain !== 'orders' && agent.errorsInARow + 1 >= MAX_ERRORS) {
      const why = `${MAX_ERRORS} decisions in a row failed, the last one with ${record.logs[0]?.code}.`
      await pause(deps, { agent, kind: 'pause', reason: { code: 'ERRORS', why }, message: why })
    }
    await thinLogs(deps.db, agent.id, tick)
  } catch (error) {
    deps.logger.warn({ err: error, agent: agent.id }, 'cleanup after a tick failed')
  }
}
