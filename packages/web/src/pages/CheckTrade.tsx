import { type Answer, DAY_S } from '@pit/protocol'
import {
  Badge,
  Button,
  Card,
  dateTime,
  Failure,
  Notice,
  SelectField,
  ServerText,
  Table,
  TextField,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { openClient } from '../wallet/connect.ts'

type Rehearsed = Answer<'live.session.trade'>

/** Rehearses a trade of the agent's session: every rule, nothing signed. */
export function CheckTrade({ sessionId, pairs }: { sessionId: string; pairs: readonly string[] }) {
  const [pair, setPair] = useState(pairs[0] ?? '')
  const [side, setSide] = useState('buy')
  const [usd, setUsd] = useState('10')
  const [base = '', quote = ''] = pair.split('/')
  const checking = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      const [token_in, token_out] = side === 'buy' ? [quote, base] : [base, quote]
      return client.rehearseTrade({ session_id: sessionId, token_in, token_out, notional_usd: Number(usd) })
    },
  })
  return (
    <Card title="Check a trade" source="server">
      <p>Runs every rule of the server and the co-signer. Nothing is signed or counted.</p>
      <div className="grid fields">
        <SelectField
          label="Pair to check"
          value={pair}
          choices={pairs.map((value) => ({ value, label: value }))}
          onChange={setPair}
        />
        <SelectField
          label="Side to check"
          value={side}
          choices={[
            { value: 'buy', label: `Buy ${base}` },
            { value: 'sell', label: `Sell ${base}` },
          ]}
          onChange={setSide}
        />
        <TextField label="Value in USD" kind="decimal" value={usd} onChange={setUsd} />
      </div>
      {checking.error && <Failure error={checking.error} />}
      <div className="row">
        <Button
          busy={checking.isPending}
          disabled={!(Number(usd) > 0) || pair === ''}
          onClick={() => checking.mutate()}
        >
          Check trade
        </Button>
      </div>
      {checking.data && <Verdicts rehearsed={checking.data} />}
    </Card>
  )
}

interface Verdict {
  key: string
  by: string
  rule: string
  isPassed: boolean
  isNote: boolean
  message: string
  value: unknown
  limit: unknown
}

function Verdicts({ rehearsed: { ok, checks, signer_checks = [] } }: { rehearsed: Rehearsed }) {
  const rows: Verdict[] = [
    ...checks.map(({ code, ok: isPassed, severity = 'refuse', message, value, limit }) => ({
      ...{ by: 'Server', rule: code, isPassed, isNote: severity !== 'refuse', message, value, limit },
    })),
    ...signer_checks.map(({ rule, ok: isPassed, message, value, limit }) => ({
      ...{ by: 'Co-signer', rule, isPassed, isNote: false, message, value, limit },
    })),
  ].map((one, i) => ({ key: `${one.by} ${one.rule} ${i}`, ...one }))
  return (
    <>
      <Notice
        tone={ok ? 'up' : 'warn'}
        title={ok ? 'This trade would pass now.' : 'This trade would be refused now.'}
      />
      <Table
        caption="Rules"
        columns={[
          { head: 'Rule', cell: ({ rule }) => words(rule) },
          { head: 'By', cell: ({ by }) => by },
          { head: 'Result', cell: resultOf },
          { head: 'Value', right: true, cell: ({ rule, value }) => shown(rule, value) },
          { head: 'Limit', right: true, cell: ({ rule, limit }) => shown(rule, limit) },
          { head: 'Details', cell: ({ message }) => <ServerText text={message} /> },
        ]}
        rows={rows}
        keyOf={({ key }) => key}
      />
    </>
  )
}

const resultOf = ({ isPassed, isNote }: Verdict) => {
  if (isPassed) return <Badge tone="up">Passed</Badge>
  return isNote ? <Badge tone="warn">Note</Badge> : <Badge tone="down">Failed</Badge>
}

function shown(rule: string, value: unknown): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'number') return /EXPIRE/i.test(rule) && value > DAY_S ? dateTime(value) : plain(value)
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 80)
}

const plain = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 6 })
