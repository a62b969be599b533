import type { AgentVault } from '@pit/agent-registry'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { askBlockNumber, createLogSpan, lastBlockBefore, readInSpan, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'
import { readStake, type SeasonSpan } from '../rules/index.ts'

/** Blocks per query for withdrawals. */
const MAX_RANGE = 100_000
const MAX_RANGES = 5_000
/** Delay after a boundary: the chain's newest blocks may still be before it. */
const AFTER_S = 30
const NOW_EVERY_S = 60

type StakeDeps = Pick<LeagueDeps, 'db' | 'clock' | 'logger'> & {
  rpc: Pick<Rpc, 'request' | 'batch'>
  vault: AgentVault
  platformAgentId: string
}

export interface StakeAt {
  block: number | null
  principal: bigint
  gain: bigint
  /** Since the boundary before; null while that one was not read. */
  withdrawn: bigint | null
}

export async function stakeAt(sql: Sql, boundaryS: number): Promise<StakeAt | null> {
  const row = await readStake(sql, boundaryS)
  if (!row) return null
  const { block, principal, gain, withdrawn } = row
  return {
    block,
    principal: BigInt(principal),
    gain: BigInt(gain),
    withdrawn: withdrawn === null ? null : BigInt(withdrawn),
  }
}

/** The stake's gain over a season: its gain at the end less that at the start, plus withdrawals. */
export async function gainOver(sql: Sql, { startsAtS, endsAtS }: SeasonSpan): Promise<bigint | null> {
  const start = await stakeAt(sql, startsAtS)
  const end = await stakeAt(sql, endsAtS)
  return start && end && end.withdrawn !== null ? end.gain + end.withdrawn - start.gain : null
}

/**
 * Reads the stake at a season's start or end, as of the last block before that second. One season's end is
 * the next one's start: it is read once, and withdrawals since the previous boundary are added once that
 * boundary is stored.
 */
export async function readStakeAt(deps: StakeDeps, span: SeasonSpan, which: 'start' | 'end'): Promise<void> {
  const { db, clock, rpc, vault, platformAgentId } = deps
  const boundaryS = which === 'start' ? span.startsAtS : span.endsAtS
  if (nowS(clock) < boundaryS + AFTER_S) return
  const stored = await stakeAt(db, boundaryS)
  if (stored && stored.withdrawn !== null) return
  const before = await stakeAt(db, boundaryS - (span.endsAtS - span.startsAtS))
  if (stored && !before) return
  const block = stored ? stored.block : await lastBlockBefore(rpc, boundaryS)
  const nothing = { principal: 0n, gain: 0n }
  const { principal, gain } = stored ?? (block === null ? nothing : await vault.stake(platformAgentId, block))
  const fromBlock = (before?.block ?? -1) + 1
  const withdrawn = before && (block === null ? 0n : await withdrawnIn(deps, fromBlock, block))
  await db.query(
    `insert into league_stakes (boundary_s, block, principal, gain, withdrawn)
     values ($1, $2, $3, $4, $5) on conflict (boundary_s) do update set withdrawn = excluded.withdrawn
       where league_stakes.withdrawn is null`,
    [boundaryS, block, principal, gain, withdrawn],
  )
}

async function withdrawnIn(
  { vault, platformAgentId }: StakeDeps,
  fromBlock: number,
  toBlock: number,
): Promise<bigint> {
  const span = createLogSpan({ max: MAX_RANGE })
  let sum = 0n
  for (let from = fromBlock, ranges = 0; from <= toBlock; ) {
    if (++ranges > MAX_RANGES)
      throw new Error(`blocks ${fromBlock} to ${toBlock} are too many to look through`)
    const { to, result } = await readInSpan(span, { from, to: toBlock }, (part) =>
      vault.gainWithdrawn(platformAgentId, part.from, part.to),
    )
    sum += result
    from = to + 1
  }
  return sum
}

/** Stores the stake's gain so far in the running season, for the estimate. */
export function createStakeNow(deps: StakeDeps): (span: SeasonSpan) => Promise<void> {
  const { db, clock, rpc, vault, platformAgentId } = deps
  let readAtS = 0
  /** Withdrawals since the season's start, up to a block. */
  let seen = { season: 0, toBlock: 0, withdrawn: 0n }
  const keep = (season: number, gain: bigint | null, why: string | null) =>
    db.query(
      `insert into league_stake_now (season, gain_so_far, why, read_at_s) values ($1, $2, $3, $4)
       on conflict (only_one) do update set season = excluded.season, gain_so_far = excluded.gain_so_far,
         why = excluded.why, read_at_s = excluded.read_at_s`,
      [season, gain, why, nowS(clock)],
    )
  return async (span) => {
    if (nowS(clock) - readAtS < NOW_EVERY_S && seen.season === span.number) return
    readAtS = nowS(clock)
    const start = await stakeAt(db, span.startsAtS)
    if (!start) {
      await keep(span.number, null, 'the stake at the season’s start has not been read')
      return
    }
    const head = await readOne(rpc, askBlockNumber())
    if (seen.season !== span.number) seen = { season: span.number, toBlock: start.block ?? -1, withdrawn: 0n }
    const withdrawn = seen.withdrawn + (await withdrawnIn(deps, seen.toBlock + 1, head))
    seen = { season: span.number, toBlock: head, withdrawn }
    const { gain } = await vault.stake(platformAgentId, head)
    await keep(span.number, gain + withdrawn - start.gain, null)
  }
}
