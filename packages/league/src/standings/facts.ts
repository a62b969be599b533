import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { decodeNumbers, type StoredNumbers } from '../books/closeBooks.ts'
import type { MarkBook } from '../books/marks.ts'
import type { LeagueDeps } from '../deps.ts'
import { ENTRY_COLUMNS, type StoredEntry } from '../entries/store.ts'
import {
  type Copying,
  decodeBook,
  type EntryFacts,
  type EntryRecord,
  numbersOf,
  type ReadStatus,
  type Review,
  type StoredBook,
} from '../rules/index.ts'
import { marksOf, type SeasonRow } from '../season/store.ts'

export interface FactDeps extends Pick<LeagueDeps, 'isSanctioned'> {
  marks: MarkBook
}

/** An entry of a season with the data of its row and its rules. */
export interface SeasonEntry {
  entry: StoredEntry
  record: EntryRecord
}

interface FactRow extends StoredEntry {
  book: StoredBook
  numbers: StoredNumbers | null
  copying: Copying | null
  owner_status: string | null
  owner_read_at_s: number | null
  /** As in the registry now. */
  owner_now: Address | null
  agent_wallet_now: Address | null
  beneficiary_now: Address | null
  scanned_to_s: number | null
  scan_unreadable: boolean | null
  /** One status for each address to look up. */
  funder_statuses: string[] | null
  funders: string[] | null
  named_funders: string[] | null
  /** Whether the trading wallet never received ETH or a core token. */
  unfunded: boolean | null
}

type PartnerRow = Record<'sent_to' | 'got_from' | 'named_partners', string[] | null>

/** Some readings in a row may fail before an owner counts as unread. */
const OWNER_READ_WITHIN_S = 3 * 3_600

const FACTS = `select ${ENTRY_COLUMNS}, b.book, b.numbers, b.copying, o.status as owner_status, o.owner
  as owner_now,
    o.agent_wallet as agent_wallet_now, o.beneficiary as beneficiary_now, o.read_at_s as owner_read_at_s,
    scan.to_s as scanned_to_s, scan.unreadable as scan_unreadable, f.statuses as funder_statuses, f.funders,
    f.named_funders, f.unfunded
  from league_books b join league_entries e on e.id = b.entry_id
  left join league_owners o on o.agent_id = e.agent_id
  left join lateral (
    select min(s.scanned_to_s) as to_s, bool_or(s.unreadable) as unreadable from league_transfer_scans s
    where s.token = e.token and s.address in (e.wallet, e.owner, e.agent_wallet, e.beneficiary)) scan on true
  left join lateral (
    select array_agg(distinct l.status) as statuses,
      array_agg(distinct l.funder) filter (where l.funder is not null and l.address in (e.wallet, e.owner))
        as funders,
      array_agg(distinct l.funder) filter (where l.funder is not null and l.address not in (e.wallet,
      e.owner))
        as named_funders,
      bool_or(l.address = e.wallet and l.status = 'read' and l.block is null) as unfunded
    from league_funders l where l.address in (e.wallet, e.owner, e.agent_wallet)) f on true
  where b.season = $1 order by e.id`

/** Entrants that received or sent an entrant's token; separate for addresses that are only named. */
const PARTNERS = `with playing as (
    select e.id, e.token, array[e.wallet, e.owner] as own,
      array[e.wallet, e.owner, e.agent_wallet, e.beneficiary] as addresses
    from league_books b join league_entries e on e.id = b.entry_id where b.season = $1),
  known as (select distinct unnest(addresses) as address from playing)
  select p.id,
    array_agg(distinct t.other) filter (where t.address = any(p.own) and t.sent) as sent_to,
    array_agg(distinct t.other) filter (where t.address = any(p.own) and not t.sent) as got_from,
    array_agg(distinct t.other) filter (where t.address <> all(p.own)) as named_partners
  from playing p join league_transfers t on t.token = p.token and t.address = any(p.addresses)
  where t.other in (select address from known) group by p.id`

const PARTICIPANTS = `select entry_id, count(*) filter (where participant = 'own')::int4 as own,
    count(*) filter (where participant = 'other')::int4 as other
  from league_trades where season = $1 and participant is not null group by entry_id`

/** Every prize entry of a season, its book valued at a time, or as recorded once the season is closed. */
export async function readFacts(
  { marks, isSanctioned }: FactDeps,
  sql: Sql,
  season: SeasonRow,
  nowS: number,
): Promise<SeasonEntry[]> {
  const span = { number: season.number, startsAtS: season.starts_at_s, endsAtS: season.ends_at_s }
  const isValued = season.valued_at_s !== null
  const atS = Math.min(nowS, span.endsAtS)
  const [rows, partners, participants, reviews, market] = [
    await sql.query<FactRow>(FACTS, [span.number]),
    await sql.query<PartnerRow & { id: number }>(PARTNERS, [span.number]),
    await sql.query<{ entry_id: number; own: number; other: number }>(PARTICIPANTS, [span.number]),
    await sql.query<Review & { entry_id: number }>(
      'select entry_id, rule, status, reason from league_reviews where season = $1 order by id',
      [span.number],
    ),
    await marks.read(sql, { ...marksOf(season, nowS), nowS }),
  ]
  const partnersOf = new Map(partners.map((row) => [row.id, row]))
  const participantsOf = new Map(participants.map((row) => [row.entry_id, row]))
  const reviewsOf = new Map<number, Review[]>()
  for (const { entry_id, rule, status, reason } of reviews) {
    const earlier = reviewsOf.get(entry_id) ?? []
    reviewsOf.set(entry_id, [...earlier, { rule, status, reason }])
  }
  const when = nowS >= span.endsAtS ? 'ended' : 'running'
  return rows.map((row) => {
    const { book, numbers, copying } = row
    const traded = participantsOf.get(row.id)
    return {
      entry: row,
      record: {
        entryId: row.id,
        party: partyOf(row, partnersOf.get(row.id)),
        numbers:
          isValued && numbers ? decodeNumbers(numbers) : numbersOf(decodeBook(book), atS, market, when),
        facts: {
          confirmed: row.confirmed_at_s !== null,
          sanctioned: sanctionedOf(isSanctioned, row),
          left: row.left_at_s !== null && row.left_at_s < span.endsAtS,
          owner: ownerOf(row, nowS),
          ownTokenSwaps: traded?.own ?? 0,
          participantSwaps: traded?.other ?? 0,
          transfers: transfersOf(row, when === 'ended' ? span.endsAtS : span.startsAtS),
          funders: fundersOf(row),
        },
        copying,
        reviews: reviewsOf.get(row.id) ?? [],
      },
    }
  })
}

/** Wallet and owner signed for the entry; the registry's other addresses did not. */
const partyOf = (row: FactRow, partners: PartnerRow | undefined): EntryRecord['party'] => ({
  own: [row.wallet, row.owner],
  named: [row.agent_wallet, row.beneficiary],
  sentTo: partners?.sent_to ?? [],
  gotFrom: partners?.got_from ?? [],
  namedPartners: partners?.named_partners ?? [],
  funders: row.funders ?? [],
  namedFunders: row.named_funders ?? [],
})

/** Checks the addresses as entered and as in the registry now, which would receive a prize. */
function sanctionedOf(isSanctioned: FactDeps['isSanctioned'], row: FactRow): string | null {
  const isListed = (address: Address | null) => address !== null && isSanctioned(address)
  if (isListed(row.wallet)) return 'wallet'
  const named = ['owner', 'agent_wallet', 'beneficiary'] as const
  return named.find((name) => isListed(row[name]) || isListed(row[`${name}_now`])) ?? null
}

/** The owner at the last reading; unreadable if that was too long ago. */
function ownerOf(
  { owner, owner_status, owner_now, owner_read_at_s }: FactRow,
  nowS: number,
): EntryFacts['owner'] {
  if ((owner_read_at_s ?? 0) < nowS - OWNER_READ_WITHIN_S) return 'unreadable'
  if (owner_status === 'gone') return 'gone'
  if (owner_status !== 'read') return 'unreadable'
  return owner_now === owner ? 'same' : 'changed'
}

/** `neededS`: transfers must be read up to the season's start while it runs, to its end afterwards. */
function transfersOf({ scanned_to_s, scan_unreadable }: FactRow, neededS: number): ReadStatus {
  // No scan: the agent has no token.
  if (scanned_to_s === null) return 'read'
  if (scan_unreadable) return 'unreadable'
  return scanned_to_s >= neededS ? 'read' : 'pending'
}

function fundersOf({ funder_statuses: statuses, unfunded }: FactRow): EntryFacts['funders'] {
  if (statuses === null || statuses.includes('pending')) return 'pending'
  if (statuses.includes('unreadable')) return 'unreadable'
  return unfunded ? 'none' : 'read'
}
