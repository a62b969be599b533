import type { Pins } from '../pins.ts'
import { createPoolLogs } from './poolLogs.ts'
import { ageS, type Reading, readState, type StateReader } from './reading.ts'
import type { Rpc } from './rpc.ts'
import { createFindVenues, type FindVenues } from './venues.ts'

/** The client's own node as prices and checks use it. */
export interface FreshNode extends StateReader {
  findVenues: FindVenues
}

/** The client's own node. `all` decides nothing: it serves what follows, ends or reports. */
export interface OwnNode extends Rpc, FreshNode {
  /** Refuses to go on at an old block; reads it only if the last one is too old by now. */
  mustBeFresh(): Promise<void>
}

export function openNode(rpc: Rpc, pins: Pins, nowMs: () => number): OwnNode {
  const maxAgeS = pins.headMaxAgeS
  let last: Reading | null = null
  const read: StateReader['read'] = async (calls, signal) => {
    last = await readState(rpc, calls, { nowMs, maxAgeS, signal })
    return last
  }
  return {
    read,
    findVenues: createFindVenues({ read }, pins, createPoolLogs(rpc, pins, nowMs)),
    all: (calls, signal) => rpc.all(calls, signal),
    async mustBeFresh() {
      if (last === null || ageS(last.head, nowMs()) > maxAgeS) await read([])
    },
  }
}
