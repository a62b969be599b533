import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** The sanctions list, of the process or as it is read when somebody is asked about. */
export interface Listing {
  isSanctioned(address: Address): boolean | Promise<boolean>
}

/** The problem of a payout that nobody may make. */
export const LISTED = 'the recipient is on the sanctions list'

/**
 * Holds back what is planned for an address on the sanctions list, and lets it go again once it is off. The
 * list changes after a season was decided too; what was sent already is what the chain shows.
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
