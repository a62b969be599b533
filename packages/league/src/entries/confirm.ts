import { refuseMalformed } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import { describeEntry } from './describeEntry.ts'
import { refuseOwner } from './enter.ts'
import { refuseSanctioned } from './readRequest.ts'
import { readSigned, useStatement } from './statements.ts'
import { activeForAgent, confirmableFor, fileConfirmation, knownOwners } from './store.ts'

export interface ConfirmParams {
  agentId: string
  signature: string
  nonce: string
}

/** Files the owner's confirmation. A season already decided stays as decided. */
export async function confirm(
  deps: LeagueDeps,
  { wallet }: Player,
  request: ConfirmParams,
): Promise<Answer<'league.confirm'>> {
  const firstSeasonS = firstSeasonOf(deps)
  refuseMalformed('signature', request.signature)
  const { agentId } = request
  const entries = await confirmableFor(deps.db, agentId, wallet)
  const entry = entries[0] ?? (await refuseOthers(deps, agentId))
  refuseSanctioned(deps, {
    owner: entry.owner,
    agentWallet: entry.agent_wallet,
    beneficiary: entry.beneficiary,
  })
  const registered = await knownOwners(deps.db, agentId)
  if (registered) refuseSanctioned(deps, registered)
  const entrant = { kind: 'wallet', wallet } as const
  const signed = await readSigned(deps, request, { wallet, agentId, board: 'prize', entrant })
  if (signed.signer !== entry.owner) refuseOwner(entry.owner)
  const atS = nowS(deps.clock)
  const confirmed = await deps.db.transaction(async (sql) => {
    await useStatement(sql, request.nonce, atS)
    // After leaving and entering again, one confirmation of the owner covers both entries of the wallet.
    for (const other of entries.slice(1).filter(({ owner }) => owner === signed.signer))
      await fileConfirmation(sql, other.id, signed, atS)
    return fileConfirmation(sql, entry.id, signed, atS)
  })
  return describeEntry(confirmed ?? fail('NOT_ENTERED'), firstSeasonS, atS)
}

async function refuseOthers({ db }: LeagueDeps, agentId: string): Promise<never> {
  if (!(await activeForAgent(db, 'prize', agentId))) fail('NOT_ENTERED')
  return fail('FORBIDDEN', { message: 'Another wallet trades for this agent.' })
}
