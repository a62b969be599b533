import type { VaultAgent } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { EntrantKind } from '@pit/protocol'
import { type Board, NATIVE_TOKEN } from '@pit/protocol'

export interface StoredEntry {
  id: number
  board: Board
  kind: EntrantKind
  agent_id: string
  wallet: Address
  account_id: number | null
  hosted_id: string | null
  from_season: number
  owner: Address
  agent_wallet: Address
  beneficiary: Address
  token: Address
  symbol: string
  name: string
  proof: 'signed_in' | 'statement'
  confirmed_at_s: number | null
  entered_at_s: number
  left_at_s: number | null
}

/** Without the confirmation, whose text is only needed for a manual check. */
export const ENTRY_COLUMNS = `
  e.id, e.board, e.kind, e.agent_id, e.wallet, e.account_id, e.hosted_id, e.from_season, e.owner,
  e.agent_wallet, e.beneficiary, e.token, e.symbol, e.name, e.proof, e.confirmed_at_s, e.entered_at_s,
  e.left_at_s`

const MAX_SHOWN = 100

export const entriesOfWallet = (sql: Sql, wallet: Address): Promise<StoredEntry[]> =>
  sql.query<StoredEntry>(
    `select ${ENTRY_COLUMNS} from league_entries e where e.wallet = $1 order by e.id desc limit ${MAX_SHOWN}`,
    [wallet],
  )

export async function activeForAgent(sql: Sql, board: Board, agentId: string): Promise<StoredEntry | null> {
  const [row] = await sql.query<StoredEntry>(
    `select ${ENTRY_COLUMNS} from league_entries e
     where e.board = $1 and e.agent_id = $2 and e.left_at_s is null`,
    [board, agentId],
  )
  return row ?? null
}

/** The player of an entry. */
export type Entrant =
  | { kind: 'wallet'; wallet: Address }
  | { kind: 'account'; wallet: Address; accountId: number }
  | { kind: 'hosted'; wallet: Address; hostedId: string }

export const entrantText = (entrant: Entrant): string =>
  entrant.kind === 'wallet'
    ? entrant.wallet
    : entrant.kind === 'account'
      ? String(entrant.accountId)
      : entrant.hostedId

export async function activeForEntrant(sql: Sql, entrant: Entrant): Promise<StoredEntry | null> {
  const [where, value] =
    entrant.kind === 'wallet'
      ? [`e.board = 'prize' and e.wallet = $1`, entrant.wallet]
      : entrant.kind === 'account'
        ? ['e.account_id = $1', entrant.accountId]
        : ['e.hosted_id = $1', entrant.hostedId]
  const [row] = await sql.query<StoredEntry>(
    `select ${ENTRY_COLUMNS} from league_entries e where ${where} and e.left_at_s is null`,
    [value],
  )
  return row ?? null
}

export interface NewEntry {
  board: Board
  entrant: Entrant
  agent: VaultAgent
  fromSeason: number
  proof: StoredEntry['proof']
  confirmation: Confirmation | null
  nowS: number
  /** From which block transfers of the agent's token are looked for; null: not at all. */
  scansFrom: number | null
}

/** The owner's signed statement. */
export interface Confirmation {
  message: string
  signature: string
  signer: Address
}

const isNonZero = (address: Address): boolean => address !== NATIVE_TOKEN

/** Inserts the entry and its pending chain reads in one query; unique indexes decide between two at once. */
export async function insertEntry(sql: Sql, entry: NewEntry): Promise<StoredEntry> {
  const { board, entrant, agent, fromSeason, proof, confirmation, nowS } = entry
  const funded = [entrant.wallet, agent.owner, agent.agentWallet].filter(isNonZero)
  const [row] = await sql.query<StoredEntry>(
    `with e as (
       insert into league_entries (board, kind, agent_id, wallet, account_id, hosted_id, from_season, owner,
         agent_wallet, beneficiary, token, symbol, name, proof, confirmation, confirmed_at_s, entered_at_s)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16, $17)
       returning *),
     known as (
       insert into league_owners (agent_id, status, owner, agent_wallet, beneficiary, read_at_s)
       values ($3, 'read', $8, $9, $10, $17)
       on conflict (agent_id) do update set status = 'read', owner = excluded.owner,
         agent_wallet = excluded.agent_wallet, beneficiary = excluded.beneficiary,
         read_at_s = excluded.read_at_s),
     funders as (
       insert into league_funders (address, status, looked_at_s)
       select distinct address, 'pending', 0 from unnest($18::text[]) as given (address)
       on conflict do nothing),
     scans as (
       insert into league_transfer_scans (token, address, next_block)
       select distinct $11, address, $20::int8 from unnest($19::text[]) as given (address)
       on conflict do nothing)
     select ${ENTRY_COLUMNS} from e`,
    [
      board,
      entrant.kind,
      agent.id,
      entrant.wallet,
      entrant.kind === 'account' ? entrant.accountId : null,
      entrant.kind === 'hosted' ? entrant.hostedId : null,
      fromSeason,
      agent.owner,
      agent.agentWallet,
      agent.beneficiary,
      agent.token,
      agent.symbol,
      agent.name,
      proof,
      confirmation && JSON.stringify(confirmation),
      confirmation && nowS,
      nowS,
      board === 'prize' ? funded : [],
      entry.scansFrom === null ? [] : [...funded, ...[agent.beneficiary].filter(isNonZero)],
      entry.scansFrom ?? 0,
    ],
  )
  return row!
}

/** Ends the entry at once; null if it already left. */
export async function markLeft(sql: Sql, id: number, nowS: number): Promise<StoredEntry | null> {
  const [row] = await sql.query<StoredEntry>(
    `update league_entries e set left_at_s = $2 where e.id = $1 and e.left_at_s is null
     returning ${ENTRY_COLUMNS}`,
    [id, nowS],
  )
  return row ?? null
}

/** Still to be confirmed: it plays, or it left only after the end of a season that is not decided. */
const CONFIRMABLE = `(e.left_at_s is null or exists (
  select 1 from league_books b join league_seasons s on s.number = b.season
  where b.entry_id = e.id and s.state in ('closing', 'provisional') and e.left_at_s >= s.ends_at_s))`

/** A wallet's prize entries for an agent that a confirmation counts for; the one that plays first. */
export const confirmableFor = (sql: Sql, agentId: string, wallet: Address): Promise<StoredEntry[]> =>
  sql.query<StoredEntry>(
    `select ${ENTRY_COLUMNS} from league_entries e
     where e.board = 'prize' and e.agent_id = $1 and e.wallet = $2 and ${CONFIRMABLE}
     order by e.left_at_s desc nulls first, e.id desc limit ${MAX_SHOWN}`,
    [agentId, wallet],
  )

/** The addresses behind an agent, as last read from the registry. */
export async function knownOwners(
  sql: Sql,
  agentId: string,
): Promise<Pick<VaultAgent, 'owner' | 'agentWallet' | 'beneficiary'> | null> {
  const [row] = await sql.query<{ owner: Address; agentWallet: Address; beneficiary: Address }>(
    `select owner, agent_wallet as "agentWallet", beneficiary from league_owners
     where agent_id = $1 and owner is not null and agent_wallet is not null and beneficiary is not null`,
    [agentId],
  )
  return row ?? null
}

/** The first confirmation stays the one on file. */
export async function fileConfirmation(
  sql: Sql,
  id: number,
  confirmation: Confirmation,
  nowS: number,
): Promise<StoredEntry | null> {
  const [row] = await sql.query<StoredEntry>(
    `update league_entries e set confirmation = coalesce(e.confirmation, $2::jsonb),
       confirmed_at_s = coalesce(e.confirmed_at_s, $3)
     where e.id = $1 and ${CONFIRMABLE} returning ${ENTRY_COLUMNS}`,
    [id, JSON.stringify(confirmation), nowS],
  )
  return row ?? null
}

/** The accounts of these that ever entered. */
export async function accountsEntered(sql: Sql, accountIds: readonly number[]): Promise<Set<number>> {
  const rows = await sql.query<{ account_id: number }>(
    'select distinct account_id from league_entries where account_id = any($1::int8[])',
    [accountIds],
  )
  return new Set(rows.map(({ account_id }) => account_id))
}

/** Whether a hosted agent is on a board, now or from the next season on. */
export async function isInLeague(sql: Sql, hostedId: string): Promise<boolean> {
  const rows = await sql.query('select 1 from league_entries where hosted_id = $1 and left_at_s is null', [
    hostedId,
  ])
  return rows.length > 0
}
