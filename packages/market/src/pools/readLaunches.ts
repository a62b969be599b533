import {
  type Address,
  type CurvePool,
  type Hex,
  type LaunchpadAdapter,
  launchpadOf,
  MalformedLog,
  type PinnedLaunchpad,
} from '@pit/chain'
import type { ChainLog, Chunk } from '@pit/platform/follow'
import type { Logger } from '@pit/platform/monitoring'
import { askMulticall, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { Launched } from './poolLogs.ts'

export interface LaunchReader {
  rpc: Rpc
  multicall3: Address
  launchpads: readonly PinnedLaunchpad[]
  logger: Pick<Logger, 'warn'>
}

interface Launch {
  adapter: LaunchpadAdapter
  log: ChainLog
  curve: Address
}

/** Curves asked at once. */
const AT_ONCE = 25

/**
 * The curves launched in a chunk whose log does not contain their terms, as they were before their first trade:
 * the chunk's own logs are still to be applied. Terms never change, so the newest state will do if the node does
 * not have the chunk's state.
 */
export async function readLaunches(
  reader: LaunchReader,
  chunk: Pick<Chunk, 'head' | 'logs'>,
): Promise<Launched> {
  const launches = launchesIn(reader.launchpads, chunk.logs)
  const curves = new Map<string, CurvePool>()
  for (let at = 0; at < launches.length; at += AT_ONCE) {
    const some = launches.slice(at, at + AT_ONCE)
    const read = await readTerms(reader, some, chunk.head.number).catch(() => some.map(() => undefined))
    const unread = some.filter((_, i) => read[i] === undefined)
    const again = unread.length === 0 ? [] : await readTerms(reader, unread)
    for (const curve of [...read, ...again]) if (curve) curves.set(curve.id, curve)
    for (const [i, { curve }] of unread.entries()) {
      if (!again[i]) reader.logger.warn({ curve }, 'skipped a launched curve without readable terms')
    }
  }
  return curves
}

function launchesIn(launchpads: readonly PinnedLaunchpad[], logs: readonly ChainLog[]): Launch[] {
  const launches: Launch[] = []
  for (const { kind, factory } of launchpads) {
    const adapter = launchpadOf(kind)
    if (adapter.birthCalls.length === 0) continue
    for (const log of logs) {
      if (log.address !== factory || log.topics[0] !== adapter.launchedTopic) continue
      try {
        launches.push({ adapter, log, curve: adapter.launchIn(log).curve })
      } catch (error) {
        if (!(error instanceof MalformedLog)) throw error
      }
    }
  }
  return launches
}

async function readTerms(
  { rpc, multicall3 }: LaunchReader,
  launches: readonly Launch[],
  block?: number,
): Promise<(CurvePool | undefined)[]> {
  const calls = launches.flatMap(({ adapter, curve }) =>
    adapter.birthCalls.map((data) => ({ to: curve, data })),
  )
  const answers = await readOne(rpc, askMulticall(multicall3, calls, block === undefined ? {} : { block }))
  let at = 0
  return launches.map(({ adapter, log }) => {
    const own = answers.slice(at, at + adapter.birthCalls.length)
    at += adapter.birthCalls.length
    return own.includes(null) ? undefined : adapter.born(log, own as Hex[])
  })
}
