import { hash } from 'node:crypto'
import type { Sql } from '@pit/platform/db'
import type { SignInClient } from './client.ts'
import type { Wallet } from './rules.ts'

/** A wallet and the network a request for it comes from. */
export interface Origin {
  wallet: Wallet
  /** A hash that includes the wallet, so that the store holds no address to leak or to link accounts by. */
  id: string
}

export const originOf = (wallet: Wallet, { networks }: Pick<SignInClient, 'networks'>): Origin => ({
  wallet,
  id: hash('sha256', `${wallet} ${networks[0].id}`),
})

/** Whether the wallet's last sign-in came from there. Only the wallet's key can set this. */
export async function isKnownOrigin(sql: Sql, { wallet, id }: Origin): Promise<boolean> {
  const rows = await sql.query('select 1 from accounts where wallet = $1 and signed_in_from = $2', [
    wallet,
    id,
  ])
  return rows.length === 1
}

export async function rememberOrigin(sql: Sql, { wallet, id }: Origin): Promise<void> {
  await sql.query('update accounts set signed_in_from = $2 where wallet = $1', [wallet, id])
}
