import { limitOrder, type OrderIntent, type OrderRow, type PitClient, type PlacedList } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { groupedText } from '@pit/protocol'
import { Button, Dialog, Failure, TextField, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders } from '../data/agentOrders.ts'
import { openClient } from '../wallet/connect.ts'
import { useOrderReview } from './ReviewOrders.tsx'

type Order = OrderRow['order']
type Change = Parameters<PitClient['orders']['replace']>[0]['change']

/** Orders that can be replaced one by one; those of a bracket belong together. */
export const isReplaceable = ({ order }: OrderRow): boolean => order.group === 0 && order.parent === 0

interface Values {
  amount: string
  limit: string
  /** A price in dollars, or a fall in percent. */
  trigger: string
}

const isOptional = (text: string): boolean =>
  text.trim() === '' || (/^\d+(\.\d+)?$/.test(text.trim()) && Number(text) > 0)

/** The fields that were filled in. */
function changeOf(pins: PitClient['pins'], order: Order, { amount, limit, trigger }: Values): Change {
  const base = { sell: order.token_in, buy: order.token_out, amount: amount.trim() }
  return {
    ...(base.amount !== '' && { amount: base.amount }),
    ...(limit.trim() !== '' && { limit: limitOrder(pins, base, limit.trim()).limit }),
    ...(trigger.trim() !== '' && { trigger: triggerOf(order, trigger.trim()) }),
  }
}

function triggerOf({ trigger }: Order, text: string): OrderIntent['trigger'] {
  if (trigger.kind === 'none') return undefined
  const { token } = trigger
  return trigger.kind === 'trailing'
    ? { kind: 'trailing', trailBps: Math.round(Number(text) * 100), token }
    : { kind: trigger.kind, priceUsd: text, token }
}

function triggerNow({ trigger }: Order): string {
  if (trigger.kind === 'none') return ''
  return trigger.kind === 'trailing'
    ? `Now ${trigger.trail_bps / 100}%.`
    : `Now ${groupedText(BigInt(trigger.price_e18), 18)} USD.`
}

/** Prepares an order that takes another one's place; both change at the same moment. */
export function ReplaceOrder(props: {
  agent: Answer<'hosted.get'>
  row: OrderRow
  symbol: string
  onClose(): void
  onPlaced(placed: PlacedList): void
}) {
  const { agent, row, symbol, onClose } = props
  const { order } = row
  const [values, setValues] = useState<Values>({ amount: '', limit: '', trigger: '' })
  const set = (field: keyof Values) => (value: string) => setValues({ ...values, [field]: value })
  const { confirm, dialog } = useOrderReview(agent.mode)
  const replacing = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      const change = changeOf(client.pins, order, values)
      return client.orders.replace({ agentId: agent.id, id: row.id as `0x${string}`, change }, { confirm })
    },
    onSuccess: (placed) => {
      toast('Order replaced.')
      props.onPlaced(placed)
      onClose()
    },
    onSettled: refreshOrders,
  })
  const texts = Object.values(values)
  const isReady = texts.every(isOptional) && texts.some((text) => text.trim() !== '')
  const { kind } = order.trigger
  return (
    <Dialog title="Replace order" open onClose={onClose}>
      <p>The new order takes over what is left. Empty fields stay as they are.</p>
      <TextField
        label={`Amount to spend, in ${symbol}`}
        kind="decimal"
        value={values.amount}
        onChange={set('amount')}
        hint="In all, with what was sold before. Empty: as before."
      />
      {kind !== 'none' && (
        <TextField
          label={kind === 'trailing' ? 'Fall in percent' : 'Trigger price in USD'}
          kind="decimal"
          value={values.trigger}
          onChange={set('trigger')}
          hint={triggerNow(order)}
        />
      )}
      {kind !== 'trailing' && (
        <TextField
          label="Limit price in USD"
          kind="decimal"
          value={values.limit}
          onChange={set('limit')}
          hint="After fees."
        />
      )}
      {replacing.error && <Failure error={replacing.error} />}
      <div className="row">
        <Button
          kind="primary"
          disabled={!isReady}
          busy={replacing.isPending}
          onClick={() => replacing.mutate()}
        >
          Review replacement
        </Button>
        {!isReady && <span className="faint">Change at least one field.</span>}
      </div>
      {dialog}
    </Dialog>
  )
}
