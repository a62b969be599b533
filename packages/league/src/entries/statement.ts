import { type Answer, fail } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import {
  type EntryNamed,
  type EntryRequest,
  readAgent,
  readEntryRequest,
  refuseSanctioned,
} from './readRequest.ts'
import { issueStatement } from './statements.ts'
import { activeForAgent, activeForEntrant, confirmableFor, entrantText, type StoredEntry } from './store.ts'

/** The text to sign. Whoever asks need not be the owner: it is the owner who signs. */
export async function statement(
  deps: LeagueDeps,
  player: Player,
  named: EntryNamed,
): Promise<Answer<'league.statement'>> {
  firstSeasonOf(deps)
  const ask = await readEntryRequest(deps, player, named)
  refuseSanctioned(deps, await readAgent(deps, ask.agentId))
  await refuseOthersEntry(deps, ask)
  return issueStatement(deps, ask)
}

/** The own entry may be there already: confirming it takes a statement too. */
async function refuseOthersEntry({ db }: LeagueDeps, ask: EntryRequest): Promise<void> {
  if (ask.board === 'prize' && (await confirmableFor(db, ask.agentId, ask.wallet)).length > 0) return
  const forAgent = await activeForAgent(db, ask.board, ask.agentId)
  if (forAgent) {
    if (!isEntrant(forAgent, ask)) fail('AGENT_ENTERED')
    return
  }
  if (await activeForEntrant(db, ask.entrant)) fail('ALREADY_ENTERED')
}

function isEntrant(entry: StoredEntry, { entrant }: EntryRequest): boolean {
  if (entry.kind !== entrant.kind) return false
  const own = { wallet: entry.wallet, account: String(entry.account_id), hosted: entry.hosted_id }
  return own[entry.kind] === entrantText(entrant)
}
