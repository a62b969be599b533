import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import {
  addressIn,
  askReceipt,
  askTransaction,
  needAll,
  type Transaction,
  traceEther,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { NATIVE_TOKEN, type TreasuryBucket } from '@pit/protocol'
import type { Sent } from './rules/composeTransfer.ts'

/**
 * Amounts a mined transaction sent from the platform wallet to a bucket's wallet, or the reason there are
 * none.
 */
export async function readSent(
  rpc: Rpc,
  request: {
    txHash: Hex
    platform: Address
    bucket: TreasuryBucket
    to: Address
    isListed(token: Address): boolean
  },
): Promise<Sent | { why: string }> {
  const { txHash, platform, bucket, to } = request
  const [tx, receipt] = await needAll(rpc, [askTransaction(txHash), askReceipt(txHash)])
  if (!tx || !receipt) return { why: 'the chain has no such mined transaction' }
  if (!receipt.ok) return { why: 'that transaction failed: it sent nothing' }
  const sums = new Map<Address, bigint>()
  const add = (token: Address, atoms: bigint) => {
    if (atoms > 0n) sums.set(token, (sums.get(token) ?? 0n) + atoms)
  }
  add(NATIVE_TOKEN, await etherSent(rpc, tx, request))
  for (const { address, topics, data } of receipt.logs) {
    const [topic, from, receiver] = topics
    if (topic !== ERC20_TRANSFER_TOPIC || topics.length !== 3 || !/^0x[0-9a-f]{64}$/.test(data)) continue
    // Any contract can log a transfer of its token from the platform wallet.
    if (addressIn(from) === platform && addressIn(receiver) === to && request.isListed(address))
      add(address, BigInt(data))
  }
  if (sums.size === 0) {
    return { why: `that transaction sends nothing from the platform wallet ${platform} to ${bucket} (${to})` }
  }
  const tokens = [...sums]
    .map(([token, atoms]) => ({ token, atoms }))
    .sort((a, b) => (a.token < b.token ? -1 : 1))
  return { bucket, to, txHash, block: receipt.block, tokens }
}

/** ETH has no log: the transaction's value, or a trace if a contract wallet sent it. */
async function etherSent(
  rpc: Rpc,
  { from, to, valueWei }: Transaction,
  request: { txHash: Hex; platform: Address; to: Address },
): Promise<bigint> {
  if (from === request.platform && to === request.to) return valueWei
  const moves = await traceEther(rpc, request.txHash)
  return moves?.paid(request.platform, request.to) ?? 0n
}
