import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** Lookup in the sanctions list: in memory, or read for each lookup. */
export interface Listing {
  isSanctioned(address: Address): boolean | Promise<boolean>
}

/** The problem of a payout that is held back. */
export const LISTED = 'the recipient is on the sanctions list'

/**
 * Holds back planned payouts to sanctioned addresses, and releases them once an address is off the list. The
 * list can change after a season was decided; payouts with a transaction are not changed.
 */
export async function flagListed(sql: Sql, { isSanctioned }: Listing): Promise<void> {
  const planned = await sql.query<{
    season: number
    place: number
    recipient: Address
    problem: string | null
  }>(
    `select season, place, recipient, problem from league_payouts where status = 'planned'
     and tx_hash is null`,
  )
  for (const { season, place, recipient, problem } of planned) {
    const now = (await isSanctioned(recipient)) ? LISTED : null
    if (now === problem) continue
    await sql.query(
      'update league_payouts set problem = $3 where season = $1 and place = $2 and tx_hash is null',
      [season, place, now],
    )
  }
}
