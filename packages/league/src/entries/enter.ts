import type { VaultAgent } from '@pit/agent-registry'
import { holdAgent } from '@pit/agents'
import { type Address, refuseMalformed } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Answer, fail, lower, NATIVE_TOKEN } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import { nextSeasonAt } from '../rules/index.ts'
import { describeEntry } from './describeEntry.ts'
import {
  type EntryNamed,
  type EntryRequest,
  readAgent,
  readEntryRequest,
  refuseSanctioned,
  refuseUnfit,
} from './readRequest.ts'
import { readSigned, useStatement } from './statements.ts'
import { activeForAgent, activeForEntrant, type Confirmation, insertEntry } from './store.ts'

/** The owner's signature of a statement; without one the signed-in wallet must be the owner. */
interface OwnersWord {
  signature?: string | undefined
  nonce?: string | undefined
}

/** The agent plays from the next season, once its owner is proven. */
export async function enter(
  deps: LeagueDeps,
  player: Player,
  named: EntryNamed & OwnersWord,
): Promise<Answer<'league.enter'>> {
  const firstSeasonS = firstSeasonOf(deps)
  refuseHalf(named)
  const request = await readEntryRequest(deps, player, named)
  const agent = await readAgent(deps, request.agentId)
  refuseSanctioned(deps, agent)
  const proof = await proveOwner(deps, request, agent, named)
  await refuseEntered(deps, request)
  const atS = nowS(deps.clock)
  const entered = await deps.db
    .transaction(async (sql) => {
      if (named.nonce !== undefined && proof) await useStatement(sql, named.nonce, atS)
      await refuseChanged(sql, request)
      return insertEntry(sql, {
        board: request.board,
        entrant: request.entrant,
        agent,
        fromSeason: nextSeasonAt(firstSeasonS, atS).number,
        proof: proof ? 'statement' : 'signed_in',
        confirmation: request.board === 'prize' ? proof : null,
        nowS: atS,
        scansFrom: scansFrom(deps, request, agent),
      })
    })
    .catch(refuseSlower)
  const described = describeEntry(entered, firstSeasonS, atS)
  return { ...described, note: noteOf(described) }
}

const noteOf = ({ from_season, confirmed }: Answer<'league.confirm'>): string => {
  const plays = `It plays from season ${from_season}.`
  if (confirmed !== false) return plays
  return `${plays} It wins nothing until the owner signs a prize statement and it is sent to league/confirm.`
}

/** Checks that need the request only, before anything is read. */
function refuseHalf({ signature, nonce }: OwnersWord): void {
  if ((signature === undefined) !== (nonce === undefined)) {
    const field = signature === undefined ? 'signature' : 'nonce'
    fail('BAD_REQUEST', { field, message: 'signature and nonce go together' })
  }
  if (signature !== undefined) refuseMalformed('signature', signature)
}

/** The owner's signature of a statement, or null when the signed-in wallet is the owner itself. */
async function proveOwner(
  deps: LeagueDeps,
  request: EntryRequest,
  { owner }: VaultAgent,
  { signature, nonce }: OwnersWord,
): Promise<Confirmation | null> {
  if (signature === undefined || nonce === undefined)
    return request.wallet === owner ? null : refuseOwner(owner)
  const signed = await readSigned(deps, { signature, nonce }, request)
  return signed.signer === owner ? signed : refuseOwner(owner)
}

export const refuseOwner = (owner: Address): never => fail('NOT_OWNER', { owner })

export async function refuseEntered({ db }: Pick<LeagueDeps, 'db'>, request: EntryRequest): Promise<void> {
  if (await activeForAgent(db, request.board, request.agentId)) fail('AGENT_ENTERED')
  if (await activeForEntrant(db, request.entrant)) fail('ALREADY_ENTERED')
}

/** Everyone trades core tokens, so their transfers make no link. */
function scansFrom({ profile }: LeagueDeps, { board }: EntryRequest, { token }: VaultAgent): number | null {
  const isCore = profile.core_tokens.some(({ address }) => lower(address) === token)
  return board === 'prize' && !isCore && token !== NATIVE_TOKEN ? profile.first_block : null
}

/**
 * Checks the agent again, locked until the entry is stored: it may have been stopped or changed since the
 * request was read.
 */
async function refuseChanged(sql: Sql, { entrant }: EntryRequest): Promise<void> {
  if (entrant.kind !== 'hosted') return
  refuseUnfit((await holdAgent(sql, entrant.hostedId)) ?? fail('STOPPED'))
}

/** Maps a unique violation of two concurrent entries to the rule of its index. */
function refuseSlower(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code === '23505' && constraint === 'league_entries_agent') fail('AGENT_ENTERED')
  if (code === '23505' && constraint?.startsWith('league_entries_')) fail('ALREADY_ENTERED')
  throw error
}
