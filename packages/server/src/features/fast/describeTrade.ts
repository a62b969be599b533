import type { Answer } from '@pit/protocol'
import type { Facts } from './facts.ts'
import type { Judged } from './judge.ts'
import { minOutFloor } from './prices.ts'
import { describeSimulation } from './simulation.ts'
import type { PinnedTable } from './table.ts'

interface Ended {
  relayed: boolean
  repeat: boolean
  times: { started: number; checks: number }
  relay?: { write: number; send: number }
}

/** The answer of live/fast. */
export function describeTrade(
  { pinned }: { pinned: Pick<PinnedTable, 'table' | 'sha256'> },
  {
    facts,
    judged,
    simulationMs,
    readMs,
  }: { facts: Facts; judged: Judged; simulationMs: number; readMs: number },
  { relayed, repeat, times, relay }: Ended,
): Answer<'live.fast'> {
  const { fee, route, tx, ask } = facts
  const { row, pair } = route!
  return {
    tx_hash: tx.hash!,
    relayed,
    repeat,
    route: {
      pair,
      version: pinned.table.version,
      sha256: pinned.sha256,
      pool: row.pool,
      commands: (ask.permit && row.permit?.commands) || row.commands,
    },
    fee: {
      bps: fee.bps,
      class: fee.class,
      tier: fee.tier,
      shield: fee.shield,
      side: row.fee.side,
      token: row.fee.token,
      recipient: fee.recipient,
    },
    min_out: String(ask.minOut),
    min_out_floor: minOutFloor(facts)?.toString() ?? null,
    checks: judged.checks,
    simulation: describeSimulation(facts),
    timings: {
      checks: round(times.checks),
      ...(readMs > 0 ? { read: round(readMs) } : {}),
      ...(facts.simulation ? { simulation: round(simulationMs) } : {}),
      ...(relay ? { write: round(relay.write), send: round(relay.send) } : {}),
      total: round(performance.now() - times.started),
    },
  }
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000
