import { type Answer, TOKEN_KINDS, TOKEN_TIERS } from '@pit/protocol'
import {
  Badge,
  Card,
  Copied,
  count,
  Loaded,
  Notice,
  Page,
  SelectField,
  Stat,
  Stats,
  shortHex,
  shortUsd,
  Table,
  TextField,
  usd,
  words,
} from '@pit/ui'
import { useEffect, useState } from 'react'
import { useAccount } from '../data/account.ts'
import { useRead } from '../data/api.ts'
import { useMarketHistory } from '../data/history.ts'
import { Link, navigate, useLocation } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { ASSET_NAMES } from './AssetList.tsx'

type Found = Answer<'tokens.search'>['tokens'][number]
const ANY = { value: '', label: 'Any' }
const TIER_TONES = { A: 'up', B: 'accent', C: 'warn', blocked: 'down' } as const

/** The token registry. */
export default function Tokens() {
  const signedIn = useAccount()
  return (
    <Page
      title="Tokens"
      source="server"
      lead="Names and symbols are chosen by the deployer of a token. Rely on its address, tier and safety check instead."
    >
      {!signedIn && <Core />}
      <NeedsWallet why="Sign in to search all other tokens.">
        <Search />
      </NeedsWallet>
    </Page>
  )
}

function Search() {
  const { searchParams } = useLocation()
  const [typed, setTyped] = useState(searchParams.get('q') ?? '')
  const [tier, kind] = [searchParams.get('tier') ?? '', searchParams.get('kind') ?? '']
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(searchParams)
    if (value) next.set(name, value)
    else next.delete(name)
    navigate(`/tokens?${next}`, 'replace')
  }
  useEffect(() => {
    const timer = setTimeout(() => {
      if ((searchParams.get('q') ?? '') !== typed) set('q', typed)
    }, 300)
    return () => clearTimeout(timer)
  })
  const query = {
    q: (searchParams.get('q') ?? '').slice(0, 64),
    limit: 50,
    ...(isOneOf(TOKEN_TIERS, tier) && { tier }),
    ...(isOneOf(TOKEN_KINDS, kind) && { kind }),
  }
  const search = useRead('tokens.search', { query })
  const stats = useRead('tokens.stats', {}, { everyMs: 30_000 })
  return (
    <>
      {stats.data && (
        <Stats>
          <Stat label="Known" value={count(stats.data.total)} />
          <Stat label="Tradable" value={count(stats.data.tradable)} note="with a route" />
          {TOKEN_TIERS.map((name) => (
            <Stat
              key={name}
              label={name === 'blocked' ? 'Blocked' : `Tier ${name}`}
              value={count(stats.data.by_tier[name] ?? 0)}
            />
          ))}
        </Stats>
      )}
      <Card title="Search">
        <div className="grid fields">
          <TextField
            label="Name, symbol or address"
            value={typed}
            onChange={setTyped}
            hint="A core symbol matches exactly."
          />
          <SelectField
            label="Tier"
            value={tier}
            onChange={(value) => set('tier', value)}
            choices={[ANY, ...TOKEN_TIERS.map((value) => ({ value, label: words(value) }))]}
          />
          <SelectField
            label="Kind"
            value={kind}
            onChange={(value) => set('kind', value)}
            choices={[ANY, ...TOKEN_KINDS.map((value) => ({ value, label: words(value) }))]}
          />
        </div>
      </Card>
      <Card title="Tokens" flush>
        <Loaded of={search}>
          {({ tokens, warnings }) => (
            <>
              {warnings.map((warning) => (
                <Notice key={warning} tone="warn" title={warning} />
              ))}
              <TokenTable tokens={tokens} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}

const isOneOf = <T extends string>(values: readonly T[], text: string): text is T =>
  (values as readonly string[]).includes(text)

function TokenTable({ tokens }: { tokens: readonly Found[] }) {
  return (
    <Table
      caption="Search results"
      columns={[
        {
          head: 'Token',
          cell: ({ address, symbol, name, kind }: Found) => (
            <span>
              <Link href={`/tokens/${kind === 'core' ? symbol : address}`}>
                {symbol.slice(0, 32) || 'no symbol'}
              </Link>
              <br />
              <span className="small faint break">{name.slice(0, 64)}</span>
            </span>
          ),
        },
        { head: 'Tier', cell: ({ tier }) => <Badge tone={TIER_TONES[tier]}>{words(tier)}</Badge> },
        { head: 'Kind', cell: ({ kind }) => words(kind) },
        { head: 'Severe risks', right: true, cell: ({ risks }) => count(severe(risks)) },
        { head: 'Liquidity', right: true, cell: ({ liquidity_usd }) => shortUsd(liquidity_usd) },
        { head: 'Venues', right: true, cell: ({ venues }) => count(venues.length) },
        { head: 'Address', cell: ({ address }) => <span className="mono">{shortHex(address)}</span> },
      ]}
      rows={tokens}
      keyOf={({ address }) => address}
      empty="No matching tokens."
    />
  )
}

const severe = (risks: Found['risks']): number => risks.filter(({ severity }) => severity === 'severe').length

/** Core assets, shown without sign-in. */
function Core() {
  const { searchParams } = useLocation()
  const config = useRead('config', {})
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  const history = useMarketHistory()
  const assets = new Map(stats.data?.assets?.map((asset) => [asset.symbol, asset]))
  const typed = (searchParams.get('q') ?? '').toLowerCase()
  return (
    <Card title="Core assets" flush>
      <Loaded of={config}>
        {({ tokens }) => (
          <Table
            caption="Core assets"
            columns={[
              { head: 'Asset', cell: ([symbol]) => <Link href={`/tokens/${symbol}`}>{symbol}</Link> },
              { head: 'Kind', cell: ([, { kind }]) => words(kind) },
              {
                head: 'Price',
                right: true,
                cell: ([symbol]) =>
                  usd(assets.get(symbol === 'WETH' ? 'ETH' : symbol)?.mark ?? history.get(symbol)?.price),
              },
              {
                head: 'Address',
                cell: ([, { address, native }]) => (native ? 'native' : <Copied text={address} />),
              },
            ]}
            rows={Object.entries(tokens).filter(([symbol, { address }]) =>
              `${symbol} ${ASSET_NAMES[symbol] ?? ''} ${address}`.toLowerCase().includes(typed),
            )}
            keyOf={([symbol]) => symbol}
            empty="No core asset matches."
          />
        )}
      </Loaded>
    </Card>
  )
}
