import { rpcAt } from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import { useQuery } from '@tanstack/react-query'
import { amount, count, dateTime } from '../data/format.ts'
import { nodeFor } from '../data/node.ts'
import { usePins } from '../data/pins.ts'
import { Badge, Card, Copied, Facts, Page } from '../design/parts.tsx'
import { Empty, Loaded } from '../design/states.tsx'
import { walletRpcUrl } from '../wallet/rpcUrl.ts'

interface Found {
  from: string
  to: string | null
  value: string
  nonce: string
}
interface Receipt {
  status: string
  blockNumber: string
  gasUsed: string
  effectiveGasPrice: string
  logs: readonly unknown[]
}

/** One transaction, read from the verifying node. */
export default function Transaction({ params }: { params: Readonly<Record<string, string>> }) {
  const hash = (params['hash'] ?? '').toLowerCase()
  const pins = usePins()
  return (
    <Page title="Transaction" lead={<span className="mono break">{hash}</span>}>
      {/^0x[0-9a-f]{64}$/.test(hash) ? (
        <Loaded of={pins}>{({ profile }) => <Details hash={hash} profile={profile} />}</Loaded>
      ) : (
        <Empty title="Not a transaction hash. Use 0x and 64 hex digits." />
      )}
    </Page>
  )
}

const LOOK_EVERY_MS = 2_000

function Details({ hash, profile }: { hash: string; profile: ChainProfile }) {
  const node = nodeFor(profile)
  const url = node.url ?? walletRpcUrl()
  const transaction = useQuery({
    queryKey: ['tx', hash, url],
    queryFn: ({ signal }) => read(url, hash, signal),
    refetchInterval: ({ state }) => (state.data?.receipt ? false : LOOK_EVERY_MS),
  })
  return (
    <Loaded of={transaction}>
      {({ transaction, receipt, timeS }) =>
        transaction === null ? (
          <Empty title="Transaction not found yet. Updates every 2 seconds." />
        ) : (
          <Card title="Details" actions={<Status receipt={receipt} />}>
            <Facts
              rows={[
                ['Block', receipt ? count(Number(receipt.blockNumber)) : 'pending'],
                ['Time', timeS === null ? '–' : dateTime(timeS)],
                ['From', <Copied key="from" text={transaction.from} shown={transaction.from} />],
                [
                  'To',
                  transaction.to ? (
                    <Copied key="to" text={transaction.to} shown={transaction.to} />
                  ) : (
                    'a new contract'
                  ),
                ],
                ['Value', `${amount(BigInt(transaction.value).toString(), 18)} ETH`],
                ['Nonce', Number(transaction.nonce)],
                ['Gas fee', receipt ? `${amount(feeOf(receipt).toString(), 18, 9)} ETH` : '–'],
                ['Events', receipt ? count(receipt.logs.length) : '–'],
                ['Read from', new URL(url).host],
                ...(profile.kind === 'devnet'
                  ? []
                  : [
                      [
                        'Explorer',
                        <a
                          key="explorer"
                          href={`${profile.explorer_tx}${hash}`}
                          target="_blank"
                          rel="noreferrer"
                        >
                          Open in the explorer
                        </a>,
                      ] as const,
                    ]),
              ]}
            />
          </Card>
        )
      }
    </Loaded>
  )
}

const Status = ({ receipt }: { receipt: Receipt | null }) => {
  if (receipt === null) return <Badge>Pending</Badge>
  return receipt.status === '0x1' ? <Badge tone="up">Succeeded</Badge> : <Badge tone="down">Reverted</Badge>
}

const feeOf = ({ gasUsed, effectiveGasPrice }: Receipt): bigint => BigInt(gasUsed) * BigInt(effectiveGasPrice)

async function read(url: string, hash: string, signal: AbortSignal) {
  const rpc = rpcAt(url)
  const ask = async <T,>(calls: { method: string; params: unknown[] }[]): Promise<T[]> =>
    (await rpc.all(calls, signal)).map((answer) => {
      if (answer instanceof Error) throw answer
      return answer as T
    })
  const [transaction, receipt] = (await ask<unknown>([
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionReceipt', params: [hash] },
  ])) as [Found | null, Receipt | null]
  if (!receipt) return { transaction, receipt, timeS: null }
  const [block] = await ask<{ timestamp: string } | null>([
    { method: 'eth_getBlockByNumber', params: [receipt.blockNumber, false] },
  ])
  return { transaction, receipt, timeS: block ? Number(block.timestamp) : null }
}
