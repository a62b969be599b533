import { type BodyInput, BRAINS, type Brain, HOSTED } from '@pit/protocol'
import {
  Button,
  ByServer,
  Card,
  CheckField,
  duration,
  Failure,
  Loaded,
  Notice,
  SelectField,
  SliderField,
  TextField,
  toast,
  wholeUsd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../data/api.ts'
import { type Schema, useOpenApi, valuesOf } from '../data/openapi.ts'
import { openClient } from '../wallet/connect.ts'
import { BacktestPanel } from './BacktestPanel.tsx'

const BRAIN_WORDS: Record<Brain, string> = {
  dca: 'Buys or sells a fixed amount at every decision.',
  momentum: 'Buys when the price rises, sells when it falls.',
  mean_reversion: 'Buys below the mean price, sells above it.',
  grid: 'Buys and sells at grid levels within a price range.',
  rebalance: 'Keeps each token at its target weight.',
  partner_llm: 'A language model follows your strategy, paid from the pool or with your own key.',
  webhook: 'Your own program decides: it receives a request for every decision.',
  orders: 'Carries out the limit, stop and other orders that you place and sign.',
}
const SCHEMA_NAMES: Record<Brain, string> = {
  dca: 'DcaParams',
  momentum: 'MomentumParams',
  mean_reversion: 'MeanReversionParams',
  grid: 'GridParams',
  rebalance: 'RebalanceParams',
  partner_llm: 'AiParams',
  webhook: 'WebhookParams',
  orders: 'OrdersParams',
}
const RULE_BRAINS: readonly Brain[] = ['dca', 'momentum', 'mean_reversion', 'grid', 'rebalance']
const INTERVALS = [10, 30, 60, 300, 900, 3_600, 14_400, 86_400] as const
const PAIRS = ['ETH/USDG', 'cbBTC/USDG', 'PARTNER/USDG', 'NVDA/USDG', 'SPY/USDG']

type Typed = Readonly<Record<string, string>>

/** One form per brain, generated from its API schema. */
export function AgentForm({ onCreated }: { onCreated(id: string): void }) {
  const document = useOpenApi()
  const [brain, setBrain] = useState<Brain>('dca')
  const [typed, setTyped] = useState<Typed>({})
  const [name, setName] = useState('')
  const [pairs, setPairs] = useState<readonly string[]>(['ETH/USDG'])
  const [interval, setInterval] = useState(2)
  const [mode, setMode] = useState<'paper' | 'live'>('paper')
  const [limits, setLimits] = useState({ max_trade_usd: 50, max_day_usd: 500, max_position_usd: 1_000 })
  const creating = useMutation({
    mutationFn: async (body: BodyInput<'hosted.create'>) => (await openClient()).client.hosted.create(body),
    onSuccess: ({ id }) => {
      toast('Agent created.')
      void queries.invalidateQueries({ queryKey: ['hosted.list'] })
      onCreated(id)
    },
  })
  const isAi = brain === 'partner_llm'
  const interval_s = Math.max(INTERVALS[interval]!, isAi ? HOSTED.aiMinIntervalS : HOSTED.minIntervalS)
  return (
    <Loaded of={document}>
      {({ components }) => {
        const fields = components?.schemas?.[SCHEMA_NAMES[brain]]?.properties ?? {}
        const params = paramsOf(fields, typed)
        const body = {
          brain,
          params,
          interval_s,
          pairs: [...pairs],
          limits,
          mode,
          ...(name.trim() !== '' && { name: name.trim() }),
        } as BodyInput<'hosted.create'>
        return (
          <div className="grid wide-first">
            <div className="stack">
              <Card title="Agent">
                <div className="grid fields">
                  <TextField label="Name" value={name} onChange={setName} placeholder="optional" />
                  <SelectField
                    label="Money"
                    value={mode}
                    choices={[
                      { value: 'paper', label: 'Paper: no risk' },
                      { value: 'live', label: 'Live: starts paused' },
                    ]}
                    onChange={(value) => setMode(value as 'paper' | 'live')}
                  />
                </div>
                <fieldset className="field">
                  <legend className="label">Pairs</legend>
                  <div className="row">
                    {PAIRS.map((pair) => (
                      <CheckField
                        key={pair}
                        label={pair}
                        checked={pairs.includes(pair)}
                        onChange={(isIn) =>
                          setPairs(isIn ? [...pairs, pair] : pairs.filter((one) => one !== pair))
                        }
                      />
                    ))}
                  </div>
                </fieldset>
                <SliderField
                  label="Interval"
                  value={interval}
                  min={0}
                  max={INTERVALS.length - 1}
                  step={1}
                  shown={duration(interval_s)}
                  onChange={setInterval}
                />
                {(['max_trade_usd', 'max_day_usd', 'max_position_usd'] as const).map((field) => (
                  <SliderField
                    key={field}
                    label={LIMIT_WORDS[field]}
                    value={limits[field]}
                    min={5}
                    max={field === 'max_trade_usd' ? 1_000 : 10_000}
                    step={5}
                    shown={wholeUsd(limits[field])}
                    onChange={(value) => setLimits({ ...limits, [field]: value })}
                  />
                ))}
              </Card>
            </div>
            <div className="stack">
              <Card title="Brain">
                <SelectField
                  label="Brain"
                  value={brain}
                  choices={BRAINS.map((value) => ({ value, label: words(value) }))}
                  onChange={(value) => {
                    setBrain(value as Brain)
                    setTyped({})
                  }}
                  hint={BRAIN_WORDS[brain]}
                />
                {Object.entries(fields).map(([field, schema]) => (
                  <ParamField
                    key={`${brain} ${field}`}
                    name={field}
                    schema={schema}
                    value={typed[field] ?? ''}
                    onChange={(value) => setTyped({ ...typed, [field]: value })}
                  />
                ))}
                <ByServer what="Parameters and their descriptions" />
                {creating.error && <Failure error={creating.error} />}
                <div className="row">
                  <Button
                    kind="primary"
                    busy={creating.isPending}
                    disabled={pairs.length === 0}
                    onClick={() => creating.mutate(body)}
                  >
                    {mode === 'paper' ? 'Create paper agent' : 'Create live agent (paused)'}
                  </Button>
                </div>
              </Card>
              {RULE_BRAINS.includes(brain) ? (
                <BacktestPanel request={{ brain, params, pairs, intervalS: interval_s, limits }} />
              ) : (
                <Notice title="Only rule brains can be backtested." />
              )}
            </div>
          </div>
        )
      }}
    </Loaded>
  )
}

const LIMIT_WORDS = {
  max_trade_usd: 'Maximum per trade',
  max_day_usd: 'Maximum in 24 hours',
  max_position_usd: 'Maximum position per asset',
}

/** Converts typed text to the field types; empty fields keep their default. */
function paramsOf(fields: Record<string, Schema>, typed: Typed): Record<string, unknown> {
  const entries = Object.entries(typed).filter(([name, value]) => value.trim() !== '' && name in fields)
  return Object.fromEntries(entries.map(([name, value]) => [name, parsedAs(fields[name]!, value.trim())]))
}

function parsedAs({ type }: Schema, text: string): unknown {
  if (type === 'number' || type === 'integer') return Number(text)
  if (type === 'boolean') return text === 'true'
  if (type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function ParamField(props: { name: string; schema: Schema; value: string; onChange(value: string): void }) {
  const { name, schema } = props
  const values = schema.type === 'boolean' ? ['true', 'false'] : valuesOf(schema)
  if (values.length > 0)
    return (
      <SelectField
        label={words(name)}
        value={props.value || String(schema.default ?? values[0])}
        choices={values.map((value) => ({ value, label: words(value) }))}
        onChange={props.onChange}
        hint={schema.description}
      />
    )
  const kind = schema.type === 'number' || schema.type === 'integer' ? 'decimal' : 'text'
  return (
    <TextField
      label={words(name)}
      kind={kind}
      value={props.value}
      placeholder={schema.default === undefined ? 'optional' : String(schema.default)}
      onChange={props.onChange}
      hint={schema.description}
    />
  )
}

/** The price history is stored on the server; the command reads it there. */
