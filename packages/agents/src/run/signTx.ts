import { type Address, type Crypto, type Hex, hashTx, parseSignedTx, senderOf } from '@pit/chain'
import { fail } from '@pit/protocol'
import { SignerUnreachable } from '@pit/signer-wire'
import type { PlanTx } from '@pit/trading'
import type { TickOptions } from './deps.ts'

/** The executor's signature over exactly this transaction; the signed bytes are decoded and compared. */
export async function signTx(
  { signer, crypto }: Pick<TickOptions, 'signer'> & { crypto: Crypto },
  executor: Address,
  tx: PlanTx,
): Promise<{ raw: Hex; hash: Hex }> {
  if (!signer) fail('SIGNER_REQUIRED')
  const { raw } = await signer
    .signExecutorTx({
      executor,
      tx: {
        to: tx.to,
        value_wei: tx.valueWei,
        data: tx.data,
        nonce: tx.nonce,
        gas: tx.gas,
        max_fee_per_gas: tx.maxFeePerGasWei,
        max_priority_fee_per_gas: tx.maxPriorityFeePerGasWei,
        ...(tx.authorizations && { authorizations: tx.authorizations }),
      },
    })
    .catch((error: unknown) => {
      if (error instanceof SignerUnreachable)
        fail('SIGNER_UNAVAILABLE', { message: 'The signer did not answer.' })
      throw error
    })
  const parsed = parseSignedTx(raw)
  const isAsAsked =
    parsed.ok &&
    parsed.tx.to === tx.to &&
    parsed.tx.value === tx.valueWei &&
    parsed.tx.data === tx.data &&
    parsed.tx.nonce === tx.nonce &&
    senderOf(crypto, parsed.tx) === executor
  if (!parsed.ok || !isAsAsked) {
    return fail('SIGNER_MISMATCH', {
      message: 'The signer returned a different transaction than requested.',
    })
  }
  return { raw, hash: hashTx(crypto, parsed.tx) }
}
