import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import type { Rpc } from '../rpc/index.ts'
import { addressIn, addressWord } from './hex.ts'
import { type LogSpan, readInSpan } from './logSpan.ts'
import { askLogs, type BlockRange, type ChainLog } from './logs.ts'
import { readOne } from './question.ts'

export interface Transfer {
  token: Address
  from: Address
  to: Address
  /** Null if the log is not in ERC-20 format. */
  atoms: bigint | null
  txHash: Hex
  block: number
  logIndex: number
}

export interface TransferFilter {
  tokens: readonly Address[]
  /** Transfers from any of these, */
  senders?: readonly Address[]
  /** and transfers to any of these. */
  receivers?: readonly Address[]
}

/**
 * Transfer logs of some tokens, each once: from a block on, as far as the node returns in one request. The
 * caller continues after `to`.
 */
export async function scanTransfers(
  rpc: Pick<Rpc, 'request'>,
  span: LogSpan,
  filter: TransferFilter,
  range: BlockRange,
): Promise<{ to: number; transfers: Transfer[] }> {
  const { to, result: found } = await readInSpan(span, range, (part) => readTransfers(rpc, filter, part))
  return { to, transfers: found }
}

async function readTransfers(
  rpc: Pick<Rpc, 'request'>,
  { tokens, senders = [], receivers = [] }: TransferFilter,
  range: BlockRange,
): Promise<Transfer[]> {
  // An empty filter would match every address.
  if (tokens.length === 0) return []
  const read = async (topics: (Hex | Hex[] | null)[]): Promise<Transfer[]> => {
    const logs = await readOne(rpc, askLogs({ address: tokens, topics }, range))
    return logs.flatMap((log) => transferIn(log) ?? [])
  }
  const sent = senders.length === 0 ? [] : await read([ERC20_TRANSFER_TOPIC, wordsOf(senders)])
  if (receivers.length === 0) return sent
  const got = await read([ERC20_TRANSFER_TOPIC, null, wordsOf(receivers)])
  const senderSet = new Set(senders)
  return [...sent, ...got.filter(({ from }) => !senderSet.has(from))]
}

const wordsOf = (addresses: readonly Address[]): Hex[] => [
  ...new Set(addresses.map((address): Hex => `0x${addressWord(address)}`)),
]

function transferIn(log: ChainLog): Transfer | null {
  const { address, topics, data, transactionHash, blockNumber, logIndex } = log
  const [from, to] = [addressIn(topics[1]), addressIn(topics[2])]
  if (!from || !to) return null
  const atoms = topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data) ? BigInt(data) : null
  return { token: address, from, to, atoms, txHash: transactionHash, block: blockNumber, logIndex }
}
