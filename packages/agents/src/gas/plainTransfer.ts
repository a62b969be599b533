import { type Address, type Crypto, type Hex, hashTx, parseSignedTx, senderOf } from '@pit/chain'
import { CHAIN_ID, HOSTED, lower } from '@pit/protocol'
import type { SignedRefund } from '@pit/signer-wire'

export interface Transfer {
  from: Address
  to: Address
  valueWei: bigint
  nonce: number
  gas: number
  maxFeePerGasWei: bigint
  hash: Hex
}

/** Parses a signed transaction that only moves ETH; undefined for any other. */
export function readTransfer(crypto: Crypto, raw: string): Transfer | undefined {
  const parsed = parseSignedTx(raw)
  if (!parsed.ok) return undefined
  const { tx } = parsed
  if (tx.type !== HOSTED.refundTxType || tx.chainId !== CHAIN_ID) return undefined
  if (tx.to === null || tx.data !== '0x' || tx.accessList.length > 0) return undefined
  const from = senderOf(crypto, tx)
  if (!from) return undefined
  return {
    from,
    to: lower(tx.to),
    valueWei: tx.value,
    nonce: tx.nonce,
    gas: Number(tx.gas),
    maxFeePerGasWei: tx.maxFeePerGas,
    hash: hashTx(crypto, tx),
  }
}

/**
 * The signing service's refund, if its bytes are exactly a plain transfer to the owner of the executor's
 * balance less the maximum gas cost, and all stated values match the bytes. Undefined otherwise.
 */
export function readRefund(
  crypto: Crypto,
  answer: SignedRefund,
  { executor, owner }: { executor: Address; owner: Address },
): (Transfer & { balanceWei: bigint; raw: Hex }) | undefined {
  const transfer = readTransfer(crypto, answer.raw)
  const balanceWei = wei(answer.balance_wei)
  if (!transfer || balanceWei === undefined) return undefined
  const maxGasWei = BigInt(transfer.gas) * transfer.maxFeePerGasWei
  const isRefund =
    transfer.from === executor &&
    transfer.to === owner &&
    transfer.valueWei > 0n &&
    transfer.valueWei === balanceWei - maxGasWei
  const isAsSaid =
    lower(answer.executor) === executor &&
    lower(answer.to) === owner &&
    transfer.hash === answer.tx_hash.toLowerCase() &&
    transfer.valueWei === wei(answer.value_wei) &&
    transfer.nonce === answer.nonce &&
    transfer.gas === answer.gas &&
    transfer.maxFeePerGasWei === wei(answer.max_fee_per_gas)
  return isRefund && isAsSaid ? { ...transfer, balanceWei, raw: answer.raw.toLowerCase() as Hex } : undefined
}

const wei = (text: string): bigint | undefined =>
  /^(0|[1-9][0-9]{0,77})$/.test(text) ? BigInt(text) : undefined
