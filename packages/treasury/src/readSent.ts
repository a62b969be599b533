import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { NATIVE_TOKEN, type TreasuryBucket } from '@pit/protocol'
import { traceEther } from '@pit/relay'
import { lower } from './deps.ts'
import type { Sent } from './rules/composeTransfer.ts'

interface ReceiptJson {
  status: Hex
  blockNumber: Hex
  logs: { address: string; topics: string[]; data: string }[]
}
interface TxJson {
  from: string
  to: string | null
  value: Hex
}

/** What a mined transaction sent from the platform wallet to a bucket's; a sentence where it sent nothing. */
export async function readSent(
  rpc: Rpc,
  ask: {
    txHash: Hex
    platform: Address
    bucket: TreasuryBucket
    to: Address
    isListed(token: Address): boolean
  },
): Promise<Sent | { why: string }> {
  const { txHash, platform, bucket, to } = ask
  const [tx, receipt] = await Promise.all([
    rpc.request<TxJson | null>('eth_getTransactionByHash', [txHash]),
    rpc.request<ReceiptJson | null>('eth_getTransactionReceipt', [txHash]),
  ])
  if (!tx || !receipt) return { why: 'the chain has no such mined transaction' }
  if (receipt.status !== '0x1') return { why: 'that transaction failed: it sent nothing' }
  const sums = new Map<Address, bigint>()
  const add = (token: Address, atoms: bigint) => {
    if (atoms > 0n) sums.set(token, (sums.get(token) ?? 0n) + atoms)
  }
  add(NATIVE_TOKEN, await etherSent(rpc, tx, ask))
  for (const { address, topics, data } of receipt.logs) {
    const [topic, from, receiver] = topics
    if (topic !== ERC20_TRANSFER_TOPIC || topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(data)) continue
    // Anybody's contract may log that the platform wallet sent its token.
    if (addressIn(from) === platform && addressIn(receiver) === to && ask.isListed(lower(address)))
      add(lower(address), BigInt(data))
  }
  if (sums.size === 0) {
    return { why: `that transaction sends nothing from the platform wallet ${platform} to ${bucket} (${to})` }
  }
  const tokens = [...sums]
    .map(([token, atoms]) => ({ token, atoms }))
    .sort((a, b) => (a.token < b.token ? -1 : 1))
  return { bucket, to, txHash, block: Number(receipt.blockNumber), tokens }
}

/** ETH leaves no log: the transaction's own value, or a trace where a contract wallet sent it. */
async function etherSent(
  rpc: Rpc,
  { from, to, value }: TxJson,
  ask: { txHash: Hex; platform: Address; to: Address },
): Promise<bigint> {
  if (from.toLowerCase() === ask.platform && to?.toLowerCase() === ask.to) return BigInt(value)
  const moves = await traceEther(rpc, ask.txHash)
  return moves?.paid(ask.platform, ask.to) ?? 0n
}

const addressIn = (topic: string | undefined): string | undefined =>
  topic && `0x${topic.slice(26).toLowerCase()}`
