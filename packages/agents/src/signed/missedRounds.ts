import { type Address, feedRoundCall, feedRoundIn, markSourcesOf } from '@pit/chain'
import type { Mark } from '@pit/market'
import type { Db, Sql } from '@pit/platform/db'
import { askCall, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'

export type RoundMark = Pick<Mark, 'token' | 'priceE18' | 'updatedAtS' | 'roundId' | 'staleWhy'>

export interface MissedRounds {
  /** Rounds of the mark's feed that this process has not seen and an order watches, oldest first. */
  before(mark: RoundMark): Promise<RoundMark[]>
  seen(mark: RoundMark): void
}

/** Bounds the reading after a long stop. */
const MAX_ROUNDS = 256
const PER_REQUEST = 32

/**
 * Marks are readings at intervals: after a slow reading or a restart, a round between two of them may have met a
 * trigger or be the peak of a trailing one.
 */
export function createMissedRounds({
  db,
  rpc,
  profile,
}: {
  db: Db
  rpc: Pick<Rpc, 'batch'>
  profile: ChainProfile
}): MissedRounds {
  const feeds = new Map(
    markSourcesOf(profile).flatMap((source) => (source.kind === 'feed' ? [[source.token, source.feed]] : [])),
  )
  const newest = new Map<Address, bigint>()
  return {
    async before({ token, roundId, updatedAtS }) {
      const feed = feeds.get(token)
      if (!feed || roundId === undefined) return []
      const last = newest.get(token) ?? 0n
      if (roundId <= last + 1n) return []
      const sinceS = await watchedSinceS(db, token)
      if (sinceS === null || sinceS >= updatedAtS) return []
      const missed: RoundMark[] = []
      let id = roundId - 1n
      while (id > last && missed.length < MAX_ROUNDS) {
        const ids: bigint[] = []
        for (; id > last && ids.length < PER_REQUEST; id--) ids.push(id)
        const calls = ids.map((one) => askCall(feedRoundCall(feed, one)))
        const answers = await readAll(rpc, calls)
        for (const [i, answer] of answers.entries()) {
          const round = feedRoundIn(feed, answer ?? null)
          if (round === null || round.updatedAtS <= sinceS) return missed.reverse()
          missed.push({ token, roundId: ids[i]!, ...round })
        }
      }
      return missed.reverse()
    },
    seen({ token, roundId }) {
      if (roundId !== undefined && roundId > (newest.get(token) ?? 0n)) newest.set(token, roundId)
    },
  }
}

/** Since when any armed order watches this token. Each condition has its index. */
async function watchedSinceS(sql: Sql, token: Address): Promise<number | null> {
  const armed = `select watched_from_s from signed_orders where not ended and met_rounds is null
    and watched_from_s is not null and trigger_token = $1`
  const [row] = await sql.query<{ since_s: number | null }>(
    `select min(watched_from_s) as since_s from (${armed} and below_e18 is not null
       union all ${armed} and above_e18 is not null
       union all ${armed} and trigger_kind = 'trailing') as watched`,
    [token],
  )
  return row?.since_s ?? null
}
