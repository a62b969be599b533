import { isOpenOrder, type OrderRow, type PlacedList } from '@pit/client'
import type { Answer } from '@pit/protocol'
import {
  Badge,
  Button,
  Card,
  ConfirmButton,
  dateTime,
  Failure,
  Loaded,
  many,
  Table,
  type Tone,
  toast,
  usd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders, useOrders } from '../data/agentOrders.ts'
import { useRead } from '../data/api.ts'
import { orderKind, priceWords } from '../data/orders.ts'
import { amountOf, namesIn, type TokenNames } from '../data/tokens.ts'
import { openClient } from '../wallet/connect.ts'
import { TxLink } from '../wallet/TxLink.tsx'
import { OrderForm } from './OrderForm.tsx'
import { OrderReceipt } from './OrderReceipt.tsx'
import { isReplaceable, ReplaceOrder } from './ReplaceOrder.tsx'

type AgentDetail = Answer<'hosted.get'>
type Receipt = NonNullable<PlacedList['receipt']>

/** Orders of an agent that carries out orders, and the form to place one. */
export function AgentOrders({ agent }: { agent: AgentDetail }) {
  const orders = useOrders(agent.id)
  const config = useRead('config', {})
  const [receipts, setReceipts] = useState<readonly Receipt[]>([])
  const [replaced, setReplaced] = useState<OrderRow | null>(null)
  const cancelling = useMutation({
    mutationFn: async (ids: readonly `0x${string}`[] | null) => {
      const { client } = await openClient()
      return client.orders.cancel({ agentId: agent.id, ...(ids && { ids }) })
    },
    onSuccess: ({ orders: ended, receipts: given }) => {
      toast(`${many(ended.length, 'order')} cancelled.`)
      setReceipts(given)
    },
    onSettled: refreshOrders,
  })
  const isCancelling = (id: string | null) =>
    cancelling.isPending && (cancelling.variables?.[0] ?? null) === id
  const openOrders = orders.data?.orders.filter(isOpenOrder) ?? []
  return (
    <>
      <Card
        title="Orders"
        flush
        actions={
          openOrders.length > 0 && (
            <ConfirmButton
              label="Cancel all"
              question={`Cancel ${many(openOrders.length, 'open order')}? Nothing protects the position then.`}
              tight
              busy={isCancelling(null)}
              onConfirm={() => cancelling.mutate(null)}
            />
          )
        }
      >
        {cancelling.error && <Failure error={cancelling.error} />}
        <Loaded of={config}>
          {(data) => (
            <Loaded of={orders}>
              {({ orders: rows }) => (
                <Table
                  caption="Orders"
                  columns={columnsOf({
                    rows,
                    names: namesIn(data, agent.tokens),
                    usdg: data.tokens['USDG']?.address ?? '',
                    isCancelling,
                    cancel: (id) => cancelling.mutate([id]),
                    replace: setReplaced,
                  })}
                  rows={[...rows.filter(isOpenOrder), ...rows.filter((row) => !isOpenOrder(row))]}
                  keyOf={({ id }) => id}
                  empty="No orders yet."
                />
              )}
            </Loaded>
          )}
        </Loaded>
      </Card>
      {config.data &&
        receipts.map((receipt) => (
          <OrderReceipt
            key={receipt.id}
            receipt={receipt}
            unit={(atoms) =>
              amountOf(namesIn(config.data, agent.tokens), atoms, tokenOf(receipt, orders.data?.orders ?? []))
            }
          />
        ))}
      {replaced && config.data && (
        <ReplaceOrder
          agent={agent}
          row={replaced}
          symbol={symbolOf(namesIn(config.data, agent.tokens), replaced.order.token_in)}
          onClose={() => setReplaced(null)}
          onPlaced={({ receipt }) => setReceipts(receipt ? [receipt] : [])}
        />
      )}
      {agent.status !== 'stopped' && (
        <OrderForm agent={agent} onPlaced={({ receipt }) => setReceipts(receipt ? [receipt] : [])} />
      )}
    </>
  )
}

const STATE_TONES: Record<OrderRow['state'], Tone> = {
  armed: 'accent',
  triggered: 'accent',
  sent: 'accent',
  partially_filled: 'up',
  filled: 'up',
  waiting: 'warn',
  expired: 'plain',
  cancelled: 'plain',
  replaced: 'plain',
  unfillable: 'down',
}

interface ColumnsInput {
  rows: readonly OrderRow[]
  names: TokenNames
  usdg: string
  isCancelling(id: string): boolean
  cancel(id: `0x${string}`): void
  replace(row: OrderRow): void
}

const columnsOf = ({ rows, names, usdg, isCancelling, cancel, replace }: ColumnsInput) => [
  { head: 'Order', cell: (row: OrderRow) => orderKind(row, rows, usdg) },
  {
    head: 'Tokens',
    cell: ({ order }: OrderRow) => `${symbolOf(names, order.token_in)} → ${symbolOf(names, order.token_out)}`,
  },
  {
    head: 'Amount',
    right: true,
    cell: ({ order }: OrderRow) => `up to ${amountOf(names, order.amount_in, order.token_in)}`,
  },
  { head: 'Price', cell: ({ order }: OrderRow) => priceWords(order, names, usdg) },
  {
    head: 'State',
    cell: ({ state, why }: OrderRow) => (
      <span className="stack">
        <Badge tone={STATE_TONES[state]}>{words(state)}</Badge>
        {why && <span className="small break">{why.slice(0, 200)}</span>}
      </span>
    ),
  },
  {
    head: 'Filled',
    right: true,
    cell: ({ order, filled_in, filled_out }: OrderRow) =>
      filled_in === '0'
        ? '–'
        : `${amountOf(names, filled_in, order.token_in)} for ${amountOf(names, filled_out, order.token_out)}`,
  },
  { head: 'Average', right: true, cell: ({ average_price_usd }: OrderRow) => usd(average_price_usd) },
  {
    head: 'Transactions',
    cell: ({ transactions }: OrderRow) =>
      transactions.length === 0 ? (
        <span className="faint">–</span>
      ) : (
        <span className="row">
          {transactions.map((hash) => (
            <TxLink key={hash} hash={hash} />
          ))}
        </span>
      ),
  },
  { head: 'Valid until', cell: ({ order }: OrderRow) => dateTime(order.expires_at) },
  {
    head: 'Action',
    cell: (row: OrderRow) =>
      isOpenOrder(row) ? (
        <span className="row">
          {isReplaceable(row) && (
            <Button tight onClick={() => replace(row)}>
              Replace
            </Button>
          )}
          <ConfirmButton
            label="Cancel order"
            question="Cancel this order? It cannot be placed again with this signature."
            tight
            busy={isCancelling(row.id)}
            onConfirm={() => cancel(row.id as `0x${string}`)}
          />
        </span>
      ) : (
        <span className="faint">–</span>
      ),
  },
]

/** The token that a receipt counts: sold by its order, or by the first of its list. */
const tokenOf = ({ id }: Receipt, rows: readonly OrderRow[]): string =>
  rows.find((row) => row.id === id || row.list === id)?.order.token_in ?? ''

const symbolOf = (names: TokenNames, token: string): string =>
  (names.get(token.toLowerCase())?.symbol ?? token).slice(0, 16)
