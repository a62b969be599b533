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

/** The text to sign. The caller need not be the owner; only the owner's signature counts. */
export async function statement(
  deps: LeagueDeps,
  player: Player,
  named: EntryNamed,
): Promise<Answer<'league.statement'>> {
  firstSeasonOf(deps)
  const request = await readEntryRequest(deps, player, named)
  refuseSanctioned(deps, await readAgent(deps, request.agentId))
  await refuseOthersEntry(deps, request)
  return issueStatement(deps, request)
}

/** An existing entry of the caller is accepted: confirming it needs a statement too. */
async function refuseOthersEntry({ db }: LeagueDeps, request: EntryRequest): Promise<void> {
  if (request.board === 'prize' && (await confirmableFor(db, request.agentId, request.wallet)).length > 0)
    return
  const forAgent = await activeForAgent(db, request.board, request.agentId)
  if (forAgent) {
    if (!isEntrant(forAgent, request)) fail('AGENT_ENTERED')
    return
  }
  if (await activeForEntrant(db, request.entrant)) fail('ALREADY_ENTERED')
}

function isEntrant(entry: StoredEntry, { entrant }: EntryRequest): boolean {
  if (entry.kind !== entrant.kind) return false
  const own = { wallet: entry.wallet, account: String(entry.account_id), hosted: entry.hosted_id }
  return own[entry.kind] === entrantText(entrant)
}
