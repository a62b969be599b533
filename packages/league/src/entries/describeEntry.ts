import { type Answer, NATIVE_TOKEN } from '@pit/protocol'
import { type SeasonSpan, seasonAt } from '../rules/index.ts'
import type { StoredEntry } from './store.ts'

type Entry = Answer<'league.confirm'>

/** An entry as its owner sees it. */
export function describeEntry(entry: StoredEntry, firstSeasonS: number, nowS: number): Entry {
  const season = seasonAt(firstSeasonS, nowS)
  const isActive = entry.left_at_s === null
  const playing = isActive && season !== null && entry.from_season <= season.number
  return {
    entry_id: entry.id,
    board: entry.board,
    agent_id: entry.agent_id,
    kind: entry.kind,
    wallet: entry.wallet,
    hosted_id: entry.hosted_id,
    status: isActive ? 'active' : 'left',
    from_season: entry.from_season,
    playing,
    season: playing ? (season as SeasonSpan).number : null,
    token: entry.token === NATIVE_TOKEN ? null : entry.token,
    symbol: entry.symbol,
    name: entry.name,
    owner: entry.owner,
    agent_wallet: entry.agent_wallet === NATIVE_TOKEN ? null : entry.agent_wallet,
    proof: entry.proof,
    entered_at: entry.entered_at_s,
    left_at: entry.left_at_s,
    confirmed: entry.board === 'prize' ? entry.confirmed_at_s !== null : null,
  }
}
