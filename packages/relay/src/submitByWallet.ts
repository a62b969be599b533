import type { Address, Crypto, Hex } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import { planHash } from './planHash.ts'
import { builtOf, readSigned } from './readSigned.ts'
import type { SubmitBytes } from './submitBytes.ts'

/** What a wallet sent by itself. */
export interface WalletRequest {
  raw: Hex
  /** A wallet's keys that work now, newest first. */
  liveKeysOf(wallet: Address): Promise<readonly number[]>
}

/**
 * Relays a transaction that came without a key, as the signer's own key that had it built. Where none had, the
 * newest is told what differs from its plans. A curve trade's fee was sent before, by the same wallet: it is
 * looked for.
 */
export async function submitByWallet(
  { db, crypto, submitBytes }: { db: Db; crypto: Crypto; submitBytes: SubmitBytes },
  { raw, liveKeysOf }: WalletRequest,
): Promise<Hex> {
  const built = builtOf(readSigned(crypto, raw))
  const wallet = built.from
  const keyIds = await liveKeysOf(wallet)
  const [newest] = keyIds
  if (newest === undefined)
    return fail('NOT_AS_BUILT', {
      message: `Nothing was built for ${wallet}: sign in and prepare a trade first.`,
    })
  const [planned] = await db.query<{ key_id: number }>(
    `select key_id from plan_txs where key_id = any($1::int8[]) and hash = $2
     order by expires_at_s desc limit 1`,
    [keyIds, planHash(crypto, built)],
  )
  const by = { keyId: planned?.key_id ?? newest, wallet }
  const { hashes } = await submitBytes({ by, raws: raw, feeTxHash: 'sent before' })
  return hashes[0]!
}
