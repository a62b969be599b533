import {
  limitOrder,
  type OrderBase,
  type OrderIntent,
  type PitClient,
  type PlacedList,
  stopOrder,
  takeProfitOrder,
  trailingOrder,
  twapOrder,
} from '@pit/client'
import type { Answer } from '@pit/protocol'
import { Button, Card, Failure, many, Notice, SelectField, TextField, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders } from '../data/agentOrders.ts'
import { openClient } from '../wallet/connect.ts'
import { useOrderReview } from './ReviewOrders.tsx'

type Place = PitClient['orders']
type PlaceOptions = NonNullable<Parameters<Place['place']>[1]>

const KINDS = {
  limit: 'Limit: this price or better',
  stop: 'Stop: once the price moves against you',
  take_profit: 'Take-profit: once the price moves in your favour',
  trailing: 'Trailing stop: once the price fell from an earlier one',
  twap: 'TWAP: equal parts over time',
  bracket: 'Bracket: buy, with a stop and a take-profit',
}
type Kind = keyof typeof KINDS

const SECONDS = [3_600, 14_400, 86_400, 604_800] as const
const LASTS = ['1 hour', '4 hours', '1 day', '7 days']

interface Values {
  kind: Kind
  pair: string
  side: 'buy' | 'sell'
  amount: string
  price: string
  least: string
  trailPct: string
  parts: string
  everyMin: string
  stop: string
  profit: string
  slippagePct: string
  /** Index of `SECONDS`; empty for the longest. */
  lasts: string
}

const NO_PRICES = { price: '', least: '', stop: '', profit: '' }

const isDecimal = (text: string): boolean => /^\d+(\.\d+)?$/.test(text.trim()) && Number(text) > 0
const isWhole = (text: string): boolean => /^[1-9]\d*$/.test(text.trim())
const isOptional = (text: string): boolean => text.trim() === '' || isDecimal(text)
const orNothing = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())
const bpsOf = (percent: string): number => Math.round(Number(percent) * 100)

/** The first missing or malformed field, as a hint; null if the form is complete. */
function missingIn({ kind, ...values }: Values): string | null {
  if (!isDecimal(values.amount)) return 'Enter an amount.'
  if (!isDecimal(values.slippagePct)) return 'Enter a maximum slippage.'
  if (!isOptional(values.least) || !isOptional(values.price)) return 'Prices are decimal numbers.'
  if (['limit', 'stop', 'take_profit'].includes(kind) && !isDecimal(values.price)) return 'Enter a price.'
  if (kind === 'trailing' && !isDecimal(values.trailPct)) return 'Enter a fall in percent.'
  if (kind === 'twap' && !(isWhole(values.parts) && isDecimal(values.everyMin)))
    return 'Enter the number of parts and the minutes between them.'
  if (kind !== 'bracket') return null
  const hasExit = isDecimal(values.stop) || isDecimal(values.profit)
  return hasExit && isOptional(values.stop) && isOptional(values.profit)
    ? null
    : 'Enter a stop price, a take-profit price or both.'
}

/** Builds the orders from the form and places them; the client shows what is signed. */
async function place(agentId: string, values: Values, options: PlaceOptions): Promise<PlacedList> {
  const { client } = await openClient()
  const [base, quote] = values.pair.split('/') as [string, string]
  const [sell, buy] = isBuying(values) ? [quote, base] : [base, quote]
  const seconds = values.lasts === '' ? undefined : SECONDS[Number(values.lasts)]
  const terms: OrderBase = {
    sell,
    buy,
    amount: values.amount.trim(),
    maxSlippageBps: bpsOf(values.slippagePct),
    ...(seconds !== undefined && { expiresAt: Math.floor(Date.now() / 1000) + seconds }),
  }
  if (values.kind !== 'bracket')
    return client.orders.place({ agentId, orders: [intentOf(client.pins, terms, values)] }, options)
  const price = orNothing(values.price)
  const exits = {
    stopUsd: orNothing(values.stop),
    stopLeast: orNothing(values.least),
    profitUsd: orNothing(values.profit),
  }
  const entry = price === undefined ? terms : limitOrder(client.pins, terms, price)
  return client.orders.placeBracket({ agentId, entry, exits }, options)
}

const isBuying = ({ kind, side }: Pick<Values, 'kind' | 'side'>): boolean =>
  kind === 'bracket' || (kind !== 'trailing' && side === 'buy')

function intentOf(pins: PitClient['pins'], base: OrderBase, values: Values): OrderIntent {
  const price = values.price.trim()
  switch (values.kind) {
    case 'stop':
      return stopOrder(pins, base, price, orNothing(values.least))
    case 'take_profit':
      return takeProfitOrder(pins, base, price, orNothing(values.least))
    case 'trailing':
      return trailingOrder(base, bpsOf(values.trailPct))
    case 'twap':
      return twapOrder(pins, base, {
        slices: Number(values.parts),
        everyS: Math.round(Number(values.everyMin) * 60),
        price: orNothing(price),
      })
    default:
      return limitOrder(pins, base, price)
  }
}

/** Form for one order or a bracket, with a review before signing. */
export function OrderForm(props: {
  agent: Answer<'hosted.get'>
  firstKind?: Kind
  onPlaced?(placed: PlacedList): void
}) {
  const { agent, firstKind = 'limit' } = props
  const [values, setValues] = useState<Values>({
    kind: firstKind,
    pair: agent.pairs[0] ?? '',
    side: 'buy',
    ...NO_PRICES,
    ...{ amount: '', trailPct: '5', parts: '4', everyMin: '10', slippagePct: '1', lasts: '' },
  })
  const set = (field: keyof Values) => (value: string) => setValues({ ...values, [field]: value })
  const { confirm, dialog } = useOrderReview(agent.mode)
  const placing = useMutation({
    mutationFn: () => place(agent.id, values, { confirm }),
    onSuccess: (placed) => {
      toast(`${many(placed.ids.length, 'order')} placed.`)
      props.onPlaced?.(placed)
    },
    onSettled: refreshOrders,
  })
  const { kind } = values
  const [base = '', quote = ''] = values.pair.split('/')
  const missing = missingIn(values)
  return (
    <Card title="New order">
      <div className="grid fields">
        <SelectField
          label="Kind of order"
          value={kind}
          choices={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
          // Prices of another kind mean something else.
          onChange={(value) => setValues({ ...values, ...NO_PRICES, kind: value as Kind })}
        />
        <SelectField
          label="Pair"
          value={values.pair}
          choices={agent.pairs.map((pair) => ({ value: pair, label: pair }))}
          onChange={set('pair')}
        />
        {kind !== 'trailing' && kind !== 'bracket' && (
          <SelectField
            label="Side"
            value={values.side}
            choices={[
              { value: 'buy', label: `Buy ${base}` },
              { value: 'sell', label: `Sell ${base}` },
            ]}
            onChange={set('side')}
          />
        )}
        <TextField
          label={`Amount to spend, in ${isBuying(values) ? quote : base}`}
          kind="decimal"
          value={values.amount}
          onChange={set('amount')}
          hint="The most it may ever sell, fees included."
        />
        <PriceFields values={values} unit={quote === 'USDG' ? 'USD' : quote} set={set} />
        <TextField
          label="Maximum slippage in percent"
          kind="decimal"
          value={values.slippagePct}
          onChange={set('slippagePct')}
        />
        <SelectField
          label="Valid for"
          value={values.lasts}
          choices={[
            { value: '', label: agent.mode === 'live' ? 'Until the session ends' : 'A week' },
            ...LASTS.map((label, i) => ({ value: String(i), label })),
          ]}
          onChange={set('lasts')}
        />
      </div>
      {kind === 'stop' && values.least.trim() !== '' && (
        <Notice tone="warn" title="A stop with a least price may wait for ever.">
          If the price is worse when it triggers, nothing is sold until the price returns.
        </Notice>
      )}
      {placing.error && <Failure error={placing.error} />}
      <div className="row">
        <Button
          kind="primary"
          busy={placing.isPending}
          disabled={missing !== null}
          onClick={() => placing.mutate()}
        >
          Review order
        </Button>
        {missing !== null && <span className="faint">{missing}</span>}
      </div>
      {dialog}
    </Card>
  )
}

interface FieldsProps {
  values: Values
  /** Of limit prices; triggers are always in dollars. */
  unit: string
  set(field: keyof Values): (value: string) => void
}

const LEAST_HINT = 'Empty: trades at the price of that moment, within the slippage.'

function PriceFields({ values, unit, set }: FieldsProps) {
  const field = (name: keyof Values, label: string, hint?: string) => (
    <TextField
      key={name}
      label={label}
      kind="decimal"
      value={values[name]}
      onChange={set(name)}
      hint={hint}
    />
  )
  switch (values.kind) {
    case 'limit':
      return field('price', `Limit price in ${unit}`, 'After fees.')
    case 'stop':
    case 'take_profit':
      return [
        field('price', 'Trigger price in USD'),
        field('least', `Least price in ${unit}, optional`, LEAST_HINT),
      ]
    case 'trailing':
      return field('trailPct', 'Fall in percent', '1 to 50.')
    case 'twap':
      return [
        field('parts', 'Number of parts'),
        field('everyMin', 'Minutes between parts', 'At least 1.'),
        field('price', `Limit price in ${unit}, optional`, 'After fees.'),
      ]
    case 'bracket':
      return [
        field('price', `Entry price in ${unit}, optional`, 'Empty: buys at once.'),
        field('stop', 'Stop price in USD'),
        field('least', `Least price of the stop in ${unit}, optional`, LEAST_HINT),
        field('profit', 'Take-profit price in USD'),
      ]
  }
}
