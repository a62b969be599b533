import { isOpenOrder, type OrderRow, type PlacedList, tokenNamed } from '@pit/client'
import type { Answer } from '@pit/protocol'
import {
  Badge,
  Button,
  ByServer,
  Card,
  ConfirmButton,
  dateTime,
  Failure,
  Loaded,
  many,
  ServerText,
  Table,
  type Tone,
  toast,
  usd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders, useOrders, useSignedOrders } from '../data/agentOrders.ts'
import { orderKind, priceWords } from '../data/orders.ts'
import { usePinned, useTokenFacts } from '../data/own.ts'
import { amountOf, type Facts, labelOf } from '../data/tokens.ts'
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
  const signed = useSignedOrders(orders.dataUpdatedAt)
  // Terms that were signed here are shown as signed, whatever the server lists.
  const rows = (orders.data?.orders ?? []).map(
    (row): OrderRow => ({
      ...row,
      order: signed.data?.get(row.id.toLowerCase()) ?? row.order,
    }),
  )
  const facts = useTokenFacts(rows.flatMap(({ order }) => [order.token_in, order.token_out]))
  const pins = usePinned()
  const usdg = (pins && tokenNamed(pins, 'USDG')) ?? ''
  const [receipts, setReceipts] = useState<readonly Receipt[]>([])
  const [replaced, setReplaced] = useState<OrderRow | null>(null)
  const cancelling = useMutation({
    mutationFn: async (ids: readonly `0x${string}`[] | null) => {
      const { client } = await openClient()
      return client.orders.cancel({ agentId: agent.id, ...(ids && { ids }) })
    },
    onSuccess: ({ receipts: given, onPaper }) => {
      const ended = given.filter(({ after }) => after === 'cancelled').length + onPaper.length
      toast(`${many(ended, 'order')} cancelled.`)
      setReceipts(given)
    },
    onSettled: refreshOrders,
  })
  const isCancelling = (id: string | null) =>
    cancelling.isPending && (cancelling.variables?.[0] ?? null) === id
  const openOrders = rows.filter(isOpenOrder)
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
        <Loaded of={orders}>
          {() => (
            <Table
              caption="Orders"
              columns={columnsOf({
                rows,
                facts,
                usdg,
                isSigned: (id) => signed.data?.has(id.toLowerCase()) ?? false,
                isCancelling,
                cancel: (id) => cancelling.mutate([id]),
                replace: setReplaced,
              })}
              rows={[...openOrders, ...rows.filter((row) => !isOpenOrder(row))]}
              keyOf={({ id }) => id}
              empty="No orders yet."
            />
          )}
        </Loaded>
        <div className="pad">
          <ByServer what="States, fills, averages and orders that were not signed here" />
        </div>
      </Card>
      {receipts.map((receipt) => (
        <OrderReceipt
          key={receipt.id}
          receipt={receipt}
          unit={(atoms) => amountOf(facts, atoms, tokenOf(receipt, rows))}
        />
      ))}
      {replaced && (
        <ReplaceOrder
          agent={agent}
          row={replaced}
          symbol={labelOf(facts, replaced.order.token_in)}
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
  facts: Facts
  usdg: string
  isSigned(id: string): boolean
  isCancelling(id: string): boolean
  cancel(id: `0x${string}`): void
  replace(row: OrderRow): void
}

const columnsOf = ({ rows, facts, usdg, isSigned, isCancelling, cancel, replace }: ColumnsInput) => [
  { head: 'Order', cell: (row: OrderRow) => orderKind(row, rows, usdg) },
  {
    head: 'Tokens',
    cell: ({ order }: OrderRow) => `${labelOf(facts, order.token_in)} → ${labelOf(facts, order.token_out)}`,
  },
  {
    head: 'Amount',
    right: true,
    cell: ({ order }: OrderRow) => `up to ${amountOf(facts, order.amount_in, order.token_in)}`,
  },
  { head: 'Price', cell: ({ order }: OrderRow) => priceWords(order, facts, usdg) },
  {
    head: 'State',
    cell: ({ state, why }: OrderRow) => (
      <span className="stack">
        <Badge tone={STATE_TONES[state]}>{words(state)}</Badge>
        {why && (
          <span className="small">
            <ServerText text={why} />
          </span>
        )}
      </span>
    ),
  },
  {
    head: 'Filled',
    right: true,
    cell: ({ order, filled_in, filled_out }: OrderRow) =>
      filled_in === '0'
        ? '–'
        : `${amountOf(facts, filled_in, order.token_in)} for ${amountOf(facts, filled_out, order.token_out)}`,
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
  { head: 'Terms', cell: ({ id }: OrderRow) => (isSigned(id) ? 'signed here' : 'by the server') },
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
