import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { lower } from '../deps.ts'
import type { BlockRange, Incoming } from '../types.ts'
import { tagOf } from './blocks.ts'

interface LogJson {
  address: string
  topics: string[]
  data: string
  blockNumber: string
  transactionHash: string
  logIndex: string
  removed?: boolean
}
export type LoggedIncoming = Incoming & { how: 'log'; logIndex: number }

/** Transfers of these tokens to a wallet, by their logs. What the wallet sent itself came from nowhere. */
export async function readTransfers(
  rpc: Rpc,
  { wallet, tokens, fromBlock, toBlock }: BlockRange & { wallet: Address; tokens: readonly Address[] },
): Promise<LoggedIncoming[]> {
  if (tokens.length === 0) return []
  const topics = [ERC20_TRANSFER_TOPIC, null, `0x${wallet.slice(2).padStart(64, '0')}`]
  const filter = { fromBlock: tagOf(fromBlock), toBlock: tagOf(toBlock), address: tokens, topics }
  const logs = await rpc.request<LogJson[]>('eth_getLogs', [filter])
  return logs.flatMap((log) => {
    const [, from, to] = log.topics
    if (log.removed || log.topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(log.data)) return []
    const atoms = BigInt(log.data)
    if (addressIn(to) !== wallet || addressIn(from) === wallet || atoms === 0n) return []
    const block = Number(log.blockNumber)
    return [
      {
        how: 'log',
        token: lower(log.address),
        fromBlock: block,
        toBlock: block,
        txHash: log.transactionHash.toLowerCase() as Hex,
        logIndex: Number(log.logIndex),
        atoms,
      },
    ]
  })
}

const addressIn = (topic: string | undefined): string | undefined =>
  topic && `0x${topic.slice(26).toLowerCase()}`
