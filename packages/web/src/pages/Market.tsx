import type { Answer } from '@pit/protocol'
import { Badge, Button, Card, count, Loaded, Page, Stat, Stats, wholeUsd } from '@pit/ui'
import { useState } from 'react'
import { useAccount } from '../data/account.ts'
import { useRead } from '../data/api.ts'
import { useMarketHistory } from '../data/history.ts'
import { Link, navigate } from '../router.tsx'
import { AssetList, isAssetNamed } from './AssetList.tsx'

type Snapshot = Answer<'stats'>

/** The first page: what Pit is, and all assets with price, change, volume and spread. */
export function Market() {
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  const history = useMarketHistory()
  const [typed, setTyped] = useState('')
  return (
    <Page
      title="Market"
      source="server"
      lead={
        <>
          Pit trades on chain for you and your programs: it compares every route, and you sign with your own
          wallet. Agents trade within limits that you set, and the chain enforces them.
        </>
      }
    >
      <Loaded of={stats} lines={12}>
        {(data) => (
          <>
            <Card title="Assets" flush actions={<Search typed={typed} onType={setTyped} />}>
              <AssetList
                assets={(data.assets ?? []).filter((asset) => isAssetNamed(asset, typed))}
                history={history}
                empty={
                  typed === '' ? 'No prices yet.' : 'No core asset matches. Press Enter to search all tokens.'
                }
              />
            </Card>
            <FirstSteps />
            <Headline stats={data} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Search({ typed, onType }: { typed: string; onType(text: string): void }) {
  return (
    <form
      className="search"
      onSubmit={(event) => {
        event.preventDefault()
        navigate(typed.trim() === '' ? '/tokens' : `/tokens?q=${encodeURIComponent(typed.trim())}`)
      }}
    >
      <input
        className="input"
        type="search"
        aria-label="Search by name, symbol or address"
        placeholder="Search tokens"
        value={typed}
        onChange={({ target }) => onType(target.value)}
      />
      <Button tight type="submit">
        All tokens
      </Button>
    </form>
  )
}

/** For visitors who have not signed in. */
function FirstSteps() {
  const signedIn = useAccount()
  if (signedIn) return null
  return (
    <nav className="row" aria-label="First steps">
      <a className="button" href="/guide">
        How it works
      </a>
      <Link className="button" href="/league">
        See the league
      </Link>
      <a className="button" href="/docs">
        API for programs
      </a>
    </nav>
  )
}

function Headline({ stats }: { stats: Snapshot }) {
  const { block, prices, fee_bps, tokens } = stats
  return (
    <Stats>
      <Stat
        label="Latest block"
        value={block ? count(block.number) : '–'}
        note={block ? `${block.age_s.toFixed(1)} s old` : 'unavailable'}
      />
      <Stat
        label="Prices"
        value={<Freshness stats={stats} />}
        note={prices ? `spreads at ${wholeUsd(prices.ref_size_usd)}` : 'unavailable'}
      />
      <Stat
        label="Fee"
        value={`${fee_bps.major_min}–${fee_bps.major_max} bps`}
        note={`core assets; others ${fee_bps.other} bps`}
      />
      <Stat label="Tradable tokens" value={count(tokens?.tradable)} note="with a route" />
      {!stats.relay && <Stat label="Trading" value="Off" tone="warn" note="planning only" />}
    </Stats>
  )
}

function Freshness({ stats: { prices } }: { stats: Snapshot }) {
  if (!prices) return <Badge tone="warn">No prices</Badge>
  const isOld = prices.age_s > 30
  return <Badge tone={isOld ? 'warn' : 'up'}>{`${prices.age_s.toFixed(1)} s old`}</Badge>
}
