import type { Answer } from '@pit/protocol'
import {
  Badge,
  bps,
  Card,
  Copied,
  count,
  Facts,
  Loaded,
  ms,
  Notice,
  Page,
  Stat,
  Stats,
  Table,
  usd,
  words,
} from '@pit/ui'
import { EquityChart } from '@pit/ui/charts'
import { useRead } from '../data/api.ts'
import { useSeries } from '../data/series.ts'

const TONES = { ok: 'up', degraded: 'warn', down: 'down', impaired: 'down', unknown: 'plain' } as const

/** Health and latencies of the server and its dependencies. */
export default function Status() {
  const health = useRead('health', {}, { everyMs: 5_000 })
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  const config = useRead('config', {})
  return (
    <Page title="Status" source="server" lead="Health of the server and its dependencies.">
      <Loaded of={stats} meanwhile={<Latencies />}>
        {(data) => <Latencies stats={data} />}
      </Loaded>
      <div className="grid">
        <Card title="Dependencies" flush>
          <Loaded of={health}>
            {({ status, checks }) => (
              <>
                <div className="pad">
                  <div className="row">
                    <Badge tone={TONES[status]}>{words(status)}</Badge>
                    {status === 'degraded' && <span>The server responds, but a dependency is impaired.</span>}
                  </div>
                </div>
                <Table
                  caption="Dependencies"
                  columns={[
                    { head: 'Dependency', cell: ([name]: Check) => words(name) },
                    { head: 'State', cell: ([, state]) => <Badge tone={TONES[state]}>{words(state)}</Badge> },
                  ]}
                  rows={Object.entries(checks ?? {}) as Check[]}
                  keyOf={([name]) => name}
                />
              </>
            )}
          </Loaded>
        </Card>
        <Card title="This server">
          <Loaded of={config}>{(data) => <Server config={data} />}</Loaded>
        </Card>
      </div>
    </Page>
  )
}

type Check = [string, 'ok' | 'impaired' | 'unknown']

/** Dashes until loaded. */
function Latencies({ stats }: { stats?: Answer<'stats'> }) {
  const { block, latency_ms, ai_pool, generated_at = 0 } = stats ?? {}
  const atMs = generated_at * 1000
  const quotes = useSeries('quotes', latency_ms?.ref_quotes, atMs)
  const rpc = useSeries('rpc', latency_ms?.rpc, atMs)
  const sequencer = useSeries('sequencer', latency_ms?.sequencer, atMs)
  return (
    <>
      <Stats>
        <Stat
          label="Block"
          value={block ? count(block.number) : '–'}
          note={block ? `${block.age_s.toFixed(1)} s old` : 'unavailable'}
        />
        <Stat label="Quote time, all assets" value={ms(latency_ms?.ref_quotes)} />
        <Stat label="RPC call" value={ms(latency_ms?.rpc)} />
        <Stat label="Sequencer call" value={ms(latency_ms?.sequencer)} />
        <Stat
          label="Model pool left"
          value={ai_pool ? usd(ai_pool.left_usd) : '–'}
          note={ai_pool ? `of ${usd(ai_pool.pool_usd)} today` : 'no pool'}
        />
      </Stats>
      <Card title="Latencies during this visit">
        <EquityChart
          label="Latencies in milliseconds"
          format={(value) => ms(value)}
          series={[
            { name: 'Quotes, all assets', points: quotes },
            { name: 'RPC', points: rpc },
            { name: 'Sequencer', points: sequencer },
          ]}
        />
      </Card>
    </>
  )
}

function Server({ config }: { config: Answer<'config'> }) {
  const { fee, limits, session } = config
  const address = (value: string | null) => (value ? <Copied text={value} /> : 'unknown')
  return (
    <>
      {fee.placeholder && <Notice tone="warn" title="Trading is disabled: no fee recipient is set." />}
      <Facts
        rows={[
          ['Chain', config.chain_id],
          ['Version', config.version],
          ['Sign-in domain', config.auth.domain ?? 'not set'],
          ['Router', address(config.universal_router)],
          ['Permit2', address(config.permit2)],
          ['Fee recipient', address(fee.recipient)],
          ['Co-signer', session.cosigner ? address(session.cosigner) : 'none: sessions are off'],
          ['Trade size', `${usd(limits.min_notional_usd ?? 1)} to ${usd(limits.max_notional_usd)}`],
          ['Max slippage', bps(limits.max_slippage_bps)],
          ['A quote is valid for', `${limits.deadline_s} s`],
        ]}
      />
      <p className="small faint">
        {`Each trade pays one fee to the fee recipient: by your 30-day volume between core tokens, ` +
          `${bps(fee.other_bps)} for other tokens, ${bps(fee.shield_add_bps)} more with shield. It is part of ` +
          `every quote, and rounded down.`}
      </p>
    </>
  )
}
