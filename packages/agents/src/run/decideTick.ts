import type { BrainResult } from '@pit/brains'
import { withinMs } from '@pit/platform/clock'
import { isPitError } from '@pit/protocol'
import type { StoredList } from '../signed/store.ts'
import { type Judged, judgeOrders } from './checks.ts'
import { decideSigned } from './decideSigned.ts'
import type { RunDeps } from './deps.ts'
import { decisionRecord, holdRecord, type Seen } from './outcome.ts'
import type { Prepared, Ready } from './prepare.ts'
import type { TickRecord } from './record.ts'
import { referencesOf } from './references.ts'
import type { ClaimedAgent } from './types.ts'
import { marketOf } from './view.ts'

/** Maximum time for a brain, whatever its interval. */
const MAX_BRAIN_MS = 90_000

/** A decided tick, not yet stored. */
export interface Decided {
  prepared: Prepared
  record: TickRecord
  judged: readonly Judged[]
  outcome: 'decision' | 'hold' | 'error'
}

/** Record of a tick that failed internally. */
export const failedRecord = (agent: ClaimedAgent, atMs: number, message: string): TickRecord =>
  holdRecord(agent, { kind: 'error', code: 'TICK_FAILED', message }, { atMs })

/** A failure affects only this agent. */
export async function decideTick(
  deps: RunDeps,
  prepared: Prepared,
  lists: readonly StoredList[] = [],
): Promise<Decided> {
  try {
    return await decide(deps, prepared, lists)
  } catch (error) {
    deps.logger.error({ err: error, agent: prepared.agent.id }, 'a tick failed during its decision')
    const record = failedRecord(prepared.agent, deps.clock.nowMs(), 'The agent failed before its decision.')
    return without(prepared, record, 'error')
  }
}

/** Calls the brain and checks its orders; an error of either fails only this tick. */
async function decide(deps: RunDeps, prepared: Prepared, lists: readonly StoredList[]): Promise<Decided> {
  const { agent } = prepared
  const atMs = deps.clock.nowMs()
  if (prepared.kind === 'hold') {
    const { code, message } = prepared
    return without(prepared, holdRecord(agent, { kind: 'hold', code, message }, { atMs }), 'hold')
  }
  const ready = prepared as Ready
  const signed = agent.brain === 'orders' || lists.length > 0 ? await decideSigned(deps, ready, lists) : null
  if (signed && (agent.brain === 'orders' || signed.judged.length > 0)) return signed
  const seen: Seen = {
    market: marketOf(agent, { ...deps, spanS: deps.brains.historyS(agent), nowMs: atMs }),
    book: ready.book,
  }
  const result = await askBrain(deps, agent, seen)
  const afterMs = deps.clock.nowMs()
  if (result.kind !== 'decision') {
    return without(prepared, holdRecord(agent, result, { seen, atMs: afterMs }), result.kind)
  }
  const judged = judgeOrders(result.decision, {
    agent,
    book: ready.book,
    usdg: deps.usdg.address,
    practice: ready.mode === 'paper' && ready.practice,
    referenceMicroUsd: await referencesOf(deps, ready),
  })
  const { decision, data } = result
  const record = decisionRecord({ agent, decision, data, seen, judged, atMs: afterMs })
  return { prepared, record: { ...record, ...signedOf(signed) }, judged, outcome: 'decision' }
}

/** Changes of signed orders without a trade are stored with the brain's decision. */
const signedOf = (signed: { record: TickRecord } | null) =>
  signed?.record.signed ? { signed: signed.record.signed } : {}

const without = (prepared: Prepared, record: TickRecord, outcome: 'hold' | 'error'): Decided => ({
  prepared,
  record,
  judged: [],
  outcome,
})

async function askBrain(deps: RunDeps, agent: ClaimedAgent, seen: Seen): Promise<BrainResult> {
  const patienceMs = Math.min(agent.intervalS * 1_000, MAX_BRAIN_MS)
  const deadlineMs = deps.clock.nowMs() + patienceMs
  try {
    const decision = deps.brains.decide({ agent, tick: agent.tick + 1, ...seen, deadlineMs })
    return await withinMs(patienceMs + 5_000, decision, () => new Error('the brain timed out'))
  } catch (error) {
    if (isPitError(error)) return { kind: 'error', code: error.code, message: error.message }
    deps.logger.error({ err: error, agent: agent.id }, 'a brain failed')
    return { kind: 'error', code: 'TICK_FAILED', message: 'The brain failed.' }
  }
}
