import type { Address, Crypto, Hex } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { planHash } from './planHash.ts'
import { builtOf, readSigned } from './readSigned.ts'
import { refuseAsBuilt, type SubmitBytes } from './submitBytes.ts'

/** A transaction sent by a wallet without a key. */
export interface WalletRequest {
  raw: Hex
  /** A wallet's active keys, newest first. */
  liveKeysOf(wallet: Address): Promise<readonly number[]>
}

/**
 * Relays a transaction that came without a key, under the signer's key that built it. The fee of a curve trade, sent
 * before by the same wallet, is looked up.
 */
export async function submitByWallet(
  { db, crypto, submitBytes }: { db: Db; crypto: Crypto; submitBytes: SubmitBytes },
  { raw, liveKeysOf }: WalletRequest,
): Promise<Hex> {
  const built = builtOf(readSigned(crypto, raw))
  const wallet = built.from
  const keyIds = await liveKeysOf(wallet)
  const [newest] = keyIds
  if (newest === undefined) return refuseAsBuilt()
  const [planned] = await db.query<{ key_id: number }>(
    `select key_id from plan_txs where key_id = any($1::int8[]) and hash = $2
     order by expires_at_s desc limit 1`,
    [keyIds, planHash(crypto, built)],
  )
  const by = { keyId: planned?.key_id ?? newest, wallet }
  const { hashes } = await submitBytes({ by, raws: raw, feeTxHash: 'sent before', reader: 'anyone' })
  return hashes[0]!
}
