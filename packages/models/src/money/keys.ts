import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { Seal } from '../seal.ts'

/** An owner's own key at the gateway. */
export type OwnKey =
  | { state: 'connected'; key: string; hint: string; connectedAtS: number }
  | { state: 'NOT_CONNECTED' | 'DISCONNECTED' | 'CONNECT_ERROR' }

interface KeyRow {
  sealed: Uint8Array | null
  hint: string | null
  connected_at_s: number | null
}

const rowName = (wallet: Address): string => `ai_keys:${wallet}`

export async function readKey(sql: Sql, seal: Seal | null, wallet: Address): Promise<OwnKey> {
  const [row] = await sql.query<KeyRow>(
    'select sealed, hint, connected_at_s from ai_keys where wallet = $1',
    [wallet],
  )
  if (row === undefined) return { state: 'NOT_CONNECTED' }
  if (row.sealed === null) return { state: 'DISCONNECTED' }
  if (seal === null) return { state: 'CONNECT_ERROR' }
  try {
    const key = seal.open(row.sealed, rowName(wallet))
    return { state: 'connected', key, hint: row.hint ?? '', connectedAtS: row.connected_at_s ?? 0 }
  } catch {
    // Sealed under another server key.
    return { state: 'CONNECT_ERROR' }
  }
}

/** The last characters of a key, to identify it. */
export const hintOf = (key: string): string => `…${key.slice(-4)}`

export async function storeKey(
  sql: Sql,
  seal: Seal,
  { wallet, key, hint, connectedAtS }: { wallet: Address; key: string; hint: string; connectedAtS: number },
): Promise<void> {
  await sql.query(
    `insert into ai_keys (wallet, sealed, hint, connected_at_s) values ($1, $2, $3, $4)
     on conflict (wallet) do update set sealed = excluded.sealed, hint = excluded.hint,
       connected_at_s = excluded.connected_at_s, disconnected_at_s = null`,
    [wallet, seal.seal(key, rowName(wallet)), hint, connectedAtS],
  )
}

/** Whether a key was stored. */
export async function forgetKey(sql: Sql, wallet: Address, atS: number): Promise<boolean> {
  const rows = await sql.query(
    `update ai_keys set sealed = null, hint = null, connected_at_s = null, disconnected_at_s = $2
     where wallet = $1 and sealed is not null returning wallet`,
    [wallet, atS],
  )
  return rows.length > 0
}
