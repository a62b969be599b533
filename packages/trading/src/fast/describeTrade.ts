import type { Hex } from '@pit/chain'
import type { Answer } from '@pit/protocol'
import type { RelayedTrade } from '@pit/relay'
import { readCall } from './diffs.ts'
import type { Facts } from './facts.ts'
import type { Judged } from './judge.ts'
import { minOutFloor } from './prices.ts'
import { describeSimulation } from './simulation.ts'
import type { PinnedRoute, PinnedTable, Place } from './table.ts'

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
  const { row } = route!
  return {
    tx_hash: tx.hash!,
    relayed,
    repeat,
    route: routeJson(pinned, route!, Boolean(ask.permit)),
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

/**
 * The answer to bytes that were relayed before: the trade as it was written then, whatever is said of it now. Null where
 * no pinned route joins its tokens: it was relayed by another way.
 */
export function describeRepeat(
  { pinned }: { pinned: PinnedTable & { place: Place } },
  { tokenIn, tokenOut, minOut, fee }: RelayedTrade,
  { hash, data, times }: { hash: Hex; data: Hex; times: Ended['times'] },
): Answer<'live.fast'> | null {
  const route = [...pinned.routes.values()].find(
    (one) => one.tokenIn.address === tokenIn && one.tokenOut.address === tokenOut,
  )
  if (!route) return null
  const withPermit = readCall(data, pinned.place)?.commands[0]?.command === 'PERMIT2_PERMIT'
  return {
    tx_hash: hash,
    relayed: true,
    repeat: true,
    route: routeJson(pinned, route, withPermit),
    fee: { ...fee, shield: fee.bps > fee.tier },
    min_out: String(minOut),
    min_out_floor: null,
    checks: [],
    simulation: null,
    timings: { checks: round(times.checks), total: round(performance.now() - times.started) },
  }
}

const routeJson = (
  { table, sha256 }: Pick<PinnedTable, 'table' | 'sha256'>,
  { pair, row }: PinnedRoute,
  withPermit: boolean,
) => ({
  pair,
  version: table.version,
  sha256,
  pool: row.pool,
  commands: (withPermit && row.permit?.commands) || row.commands,
})

const round = (ms: number): number => Math.round(ms * 1000) / 1000
