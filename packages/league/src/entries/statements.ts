import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type Answer, type Board, fail, LEAGUE, statementText } from '@pit/protocol'
import type { LeagueDeps } from '../deps.ts'
import { type Confirmation, type Entrant, entrantText } from './store.ts'

const NONCE_BYTES = 16
/** Older open statements of a wallet are deleted. */
const MAX_OPEN_PER_WALLET = 20

/** The only entry a statement is valid for. */
export interface StatementFor {
  wallet: Address
  agentId: string
  board: Board
  entrant: Entrant
}

interface StoredStatement {
  nonce: string
  wallet: Address
  agent_id: string
  board: Board
  kind: Entrant['kind']
  entrant: string
  expires_at_s: number
  used_at_s: number | null
}

const textOf = (domain: string, row: StoredStatement): string =>
  statementText({
    domain,
    agentId: row.agent_id,
    board: row.board,
    kind: row.kind,
    entrant: row.entrant,
    nonce: row.nonce,
    expiresAtS: row.expires_at_s,
  })

export async function issueStatement(
  deps: Pick<LeagueDeps, 'db' | 'clock' | 'domain' | 'randomBytes'>,
  { wallet, agentId, board, entrant }: StatementFor,
): Promise<Answer<'league.statement'>> {
  const now = nowS(deps.clock)
  const row: StoredStatement = {
    nonce: Buffer.from(deps.randomBytes(NONCE_BYTES)).toString('hex'),
    wallet,
    agent_id: agentId,
    board,
    kind: entrant.kind,
    entrant: entrantText(entrant),
    expires_at_s: now + LEAGUE.statementTtlS,
    used_at_s: null,
  }
  await deps.db.query(
    `with made as (
       insert into league_statements (nonce, wallet, agent_id, board, kind, entrant, expires_at_s)
       values ($1, $2, $3, $4, $5, $6, $7))
     delete from league_statements where nonce = any (array(
       select nonce from league_statements where wallet = $2 order by expires_at_s desc
       offset ${MAX_OPEN_PER_WALLET - 1}))`,
    [row.nonce, wallet, agentId, board, row.kind, row.entrant, row.expires_at_s],
  )
  return {
    message: textOf(deps.domain, row),
    nonce: row.nonce,
    expires_at: row.expires_at_s,
    agent_id: agentId,
    board,
    entrant: row.entrant,
  }
}

/** The statement a signature came with, and who signed it. Nothing is used up yet. */
export async function readSigned(
  deps: Pick<LeagueDeps, 'db' | 'clock' | 'domain' | 'crypto'>,
  { nonce, signature }: { nonce: string; signature: string },
  wanted: StatementFor,
): Promise<Confirmation> {
  const [row] = await deps.db.query<StoredStatement>(
    'select * from league_statements where nonce = $1 and used_at_s is null and expires_at_s > $2',
    [nonce, nowS(deps.clock)],
  )
  if (!row) fail('STATEMENT_EXPIRED', { field: 'nonce' })
  const wrong = mismatchOf(row, wanted)
  if (wrong) fail('STATEMENT_MISMATCH', { field: wrong, message: `The statement names another ${wrong}.` })
  const message = textOf(deps.domain, row)
  const signer = deps.crypto.recoverMessage(message, signature as `0x${string}`)
  if (!signer) fail('BAD_SIGNATURE', { message: 'The signature does not recover to an address.' })
  return { message, signature, signer }
}

function mismatchOf(row: StoredStatement, wanted: StatementFor): string | null {
  if (row.wallet !== wanted.wallet) return 'wallet'
  if (row.agent_id !== wanted.agentId) return 'agent_id'
  if (row.board !== wanted.board) return 'board'
  const same = row.kind === wanted.entrant.kind && row.entrant === entrantText(wanted.entrant)
  return same ? null : 'entrant'
}

/** Uses the nonce in the transaction that acts on it, so only one of two concurrent requests succeeds. */
export async function useStatement(sql: Sql, nonce: string, atS: number): Promise<void> {
  const used = await sql.query(
    'update league_statements set used_at_s = $2 where nonce = $1 and used_at_s is null returning 1',
    [nonce, atS],
  )
  if (used.length === 0) fail('STATEMENT_EXPIRED', { field: 'nonce' })
}

/** Used and expired nonces can be deleted: a missing nonce is refused as well. */
export async function sweepStatements(sql: Sql, atS: number): Promise<void> {
  await sql.query('delete from league_statements where expires_at_s < $1', [atS - 60])
}
