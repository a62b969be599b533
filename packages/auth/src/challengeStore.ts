import type { Db, Sql } from '@pit/platform/db'
import { AUTH } from '@pit/protocol'
import { isKnownOrigin, type Origin } from './origin.ts'
import type { Purpose, Wallet } from './rules.ts'

export interface OpenChallenge {
  id: number
  nonce: string
  issued_at_s: number
  expires_at_s: number
}

/** Held until the transaction ends: concurrent challenges for one wallet must not both count four others. */
const CHALLENGE_LOCK = 0x70697402

interface NewChallenge {
  wallet: Wallet
  purpose: Purpose
  nonce: string
  issuedAtS: number
  expiresAtS: number
  /** The requesting network: an address or a /64, and the widest network that belongs to one customer. */
  network: string
  site: string
  origin: Origin
}

/**
 * A wallet's challenges count per requesting network. Beyond the total, the busiest network loses its oldest,
 * but never the newest one from where the wallet last signed in.
 */
export async function addChallenge(db: Db, challenge: NewChallenge): Promise<void> {
  const { wallet, purpose, nonce, issuedAtS, expiresAtS, network, site, origin } = challenge
  await db.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock($1::int4, hashtext($2))', [CHALLENGE_LOCK, wallet])
    await sql.query(
      `insert into challenges (wallet, purpose, nonce, issued_at_s, expires_at_s, network, site, is_known)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [wallet, purpose, nonce, issuedAtS, expiresAtS, network, site, await isKnownOrigin(sql, origin)],
    )
    await sql.query(
      `delete from challenges where id in (
         select id from challenges
         where wallet = $1 and network = $2 and used_at_s is null and expires_at_s > $3
         order by id desc offset $4)`,
      [wallet, network, issuedAtS, AUTH.maxOpenChallengesPerWallet],
    )
    await sql.query(
      `delete from challenges where id in (
         select id from (
           select id, count(*) over (partition by site) as of_site,
             is_known and id = max(id) over (partition by is_known) as is_kept from challenges
           where wallet = $1 and used_at_s is null and expires_at_s > $2) as open
         order by is_kept desc, of_site, id desc offset $3)`,
      [wallet, issuedAtS, AUTH.maxOpenChallengesInAll],
    )
  })
}

/** Bounded: each costs a signature recovery, and strangers can open many. */
const MAX_TRIED = 20

/** Only the one with `nonce` if set; otherwise the newest first, those of the same network before others. */
export function openChallenges(
  sql: Sql,
  wanted: { wallet: Wallet; purpose: Purpose; nonce: string | undefined; network: string; nowS: number },
): Promise<OpenChallenge[]> {
  const { wallet, purpose, nonce, network, nowS } = wanted
  return sql.query<OpenChallenge>(
    `select id, nonce, issued_at_s, expires_at_s from challenges
     where wallet = $1 and purpose = $2 and used_at_s is null and expires_at_s > $3
       and ($4::text is null or nonce = $4)
     order by network = $5 desc, id desc limit $6`,
    [wallet, purpose, nowS, nonce ?? null, network, MAX_TRIED],
  )
}

/** False if another call was first: the row lock lets one win. */
export async function useChallenge(sql: Sql, id: number, nowS: number): Promise<boolean> {
  const used = await sql.query(
    `update challenges set used_at_s = $2
     where id = $1 and used_at_s is null and expires_at_s > $2 returning id`,
    [id, nowS],
  )
  return used.length === 1
}
