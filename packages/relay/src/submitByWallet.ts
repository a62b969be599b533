import type { Address, Crypto, Hex } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { planHash } from './planHash.ts'
import { builtOf, readSigned } from './readSigned.ts'
import type { SubmitBytes } from './submitBytes.ts'

/** What a wallet sent by itself, with the keys that may have had it built, newest first. */
export interface WalletAsk {
  wallet: Address
  keyIds: readonly number[]
  raw: Hex
}

/**
 * Relays a transaction that came without a key, as the key that had it built. Where none had, the newest is
 * told what differs from its plans. A curve trade's fee was sent before, by the same wallet: it is looked for.
 */
export async function submitByWallet(
  { db, crypto, submitBytes }: { db: Db; crypto: Crypto; submitBytes: SubmitBytes },
  { wallet, keyIds, raw }: WalletAsk,
): Promise<Hex> {
  const hash = planHash(crypto, builtOf(readSigned(crypto, raw)))
  const [planned] = await db.query<{ key_id: number }>(
    `select key_id from plan_txs where key_id = any($1::int8[]) and hash = $2
     order by expires_at_s desc limit 1`,
    [keyIds, hash],
  )
  const by = { keyId: planned?.key_id ?? keyIds[0]!, wallet }
  const { hashes } = await submitBytes({ by, raws: raw, feeTxHash: 'sent before' })
  return hashes[0]!
}
