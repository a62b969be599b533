import { type Pins, tokenNamed } from '@pit/client'
import { type Answer, isRiskCode, RISKS } from '@pit/protocol'
import {
  ago,
  Badge,
  bps,
  Card,
  Copied,
  capital,
  dateTime,
  Empty,
  Facts,
  Loaded,
  many,
  Page,
  Stat,
  Stats,
  shortHex,
  shortUsd,
  Table,
  usd,
  words,
} from '@pit/ui'
import { useAccount } from '../data/account.ts'
import { useRead } from '../data/api.ts'
import { useNamedToken, usePinned } from '../data/own.ts'
import { Link } from '../router.tsx'
import { showConnect } from '../wallet/dialog.ts'
import { SignInPrompt } from '../wallet/NeedsWallet.tsx'
import { ASSET_NAMES } from './AssetList.tsx'
import { PriceImpact } from './PriceImpact.tsx'
import { TokenMarket } from './TokenMarket.tsx'

type Record = Answer<'tokens.get'>

/** One token, by core symbol or address: its market for everyone, risks and venues when signed in. */
export default function Token({ params }: { params: Readonly<{ [name: string]: string }> }) {
  const named = params['address'] ?? ''
  const pins = usePinned()
  const signedIn = useAccount()
  const core = pins && coreOf(pins, named)
  const record = useRead(
    'tokens.get',
    { params: { address: named } },
    { enabled: signedIn !== null && pins !== null && !core },
  )
  const title = core?.symbol ?? (/^0x/.test(named) ? `Token ${shortHex(named)}` : named)
  return (
    <Page
      title={title}
      source="server"
      lead={core && ASSET_NAMES[core.symbol]}
      actions={
        <>
          <Link href="/tokens">All tokens</Link>
          {(core || record.data?.tradable) && (
            <Link className="button primary" href={tradeLink(core?.symbol ?? named)}>
              {`Trade ${core?.symbol ?? ''}`}
            </Link>
          )}
        </>
      }
    >
      {core && <TokenMarket symbol={core.symbol} address={core.address} />}
      {signedIn ? (
        <Details address={core?.symbol ?? named} pins={pins} />
      ) : core ? (
        <SignInForMore />
      ) : (
        pins && <SignInPrompt why="Only core tokens are public. Sign in to see this token." />
      )}
    </Page>
  )
}

const tradeLink = (token: string): string => `/trade?out=${encodeURIComponent(token)}`

const SignInForMore = () => (
  <p className="small faint">
    <button type="button" className="link" onClick={() => showConnect(true)}>
      Sign in
    </button>{' '}
    to see risks, all venues and the price impact of larger trades.
  </p>
)

/** A core token by its pinned symbol or address. */
function coreOf(pins: Pins, named: string): { symbol: string; address: string } | null {
  const address = tokenNamed(pins, named)
  const symbol = address && pins.tokens.get(address)?.core
  return symbol ? { symbol, address } : null
}

function Details({ address, pins }: { address: string; pins: Pins | null }) {
  const token = useRead('tokens.get', { params: { address } }, { everyMs: 30_000 })
  return (
    <Loaded of={token} lines={12}>
      {(record) => (
        <>
          <Stats>
            <Stat
              label="Tier"
              value={words(record.tier)}
              note={record.tradable ? 'tradable' : 'not tradable'}
            />
            {record.kind !== 'core' && (
              <Stat
                label="Independent price"
                value={usd(record.reference.price_usd)}
                note={`from ${words(record.reference.source).toLowerCase()}`}
              />
            )}
            <Stat
              label="Liquidity"
              value={shortUsd(record.liquidity_usd)}
              note={many(record.venues.length, 'venue')}
            />
            <Stat label="Fee" value={bps(record.fee_bps)} note="against a core asset" />
            <Stat
              label="Checked"
              value={record.screened_at ? ago(record.screened_at) : 'Never'}
              note={words(record.screen_status)}
            />
          </Stats>
          <div className="grid">
            <Risks record={record} />
            {record.tradable && <PriceImpact token={address} />}
            <Named record={record} />
          </div>
          <Venues record={record} pins={pins} />
          <Screen record={record} />
        </>
      )}
    </Loaded>
  )
}

/** Name and symbol are untrusted text, chosen by the deployer. */
function Named({ record }: { record: Record }) {
  const own = useNamedToken(record.address)
  return (
    <Card title="Identity">
      <Facts
        rows={[
          [
            'Symbol',
            <span key="symbol" className="break">
              {own?.symbol ?? 'none'}
            </span>,
          ],
          [
            'Name',
            <span key="name" className="break">
              {record.name.slice(0, 128) || 'none'}
            </span>,
          ],
          [
            'Address',
            /^0x0+$/.test(record.address) ? (
              'none: native to the chain'
            ) : (
              <Copied key="address" text={record.address} shown={record.address} />
            ),
          ],
          ['Kind', words(record.kind)],
          ['Decimals', own?.decimals ?? 'not readable on your node'],
        ]}
      />
      {record.kind !== 'core' && (
        <p className="small faint">Symbol and name are chosen by the deployer. Any token can use any name.</p>
      )}
      {record.warnings
        // Shown under Risks.
        .filter((warning) => !record.risks.some(({ message }) => message === warning))
        .map((warning) => (
          <p key={warning} className="small faint">
            {warning}
          </p>
        ))}
    </Card>
  )
}

/** The text without the parentheses around it. */
const inParentheses = (text: string): string => text.trim().replace(/^\((.*)\)\.?$/, '$1.')

function Risks({ record: { risks } }: { record: Record }) {
  return (
    <Card title="Risks">
      {risks.length === 0 && <Empty title="No known risks." />}
      <ul className="stack">
        {risks.map(({ code, severity, message }) => {
          const meaning = isRiskCode(code) ? capital(RISKS[code].meaning) : code
          // The message often repeats the meaning before it goes into detail.
          const detail = message.startsWith(meaning) ? message.slice(meaning.length) : message
          return (
            <li key={code} className={`notice ${severity === 'severe' ? 'down' : ''}`}>
              <span className="row">
                <Badge tone={severity === 'severe' ? 'down' : 'plain'}>
                  {severity === 'severe' ? 'Severe' : 'Note'}
                </Badge>
                <strong>{meaning}</strong>
              </span>
              {/\w/.test(detail) && (
                <span className="small faint break">{capital(inParentheses(detail)).slice(0, 300)}</span>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function Venues({ record: { venues }, pins }: { record: Record; pins: Pins | null }) {
  return (
    <Card title="Venues" flush>
      <Table
        caption="Pools and curve, deepest first"
        columns={[
          {
            head: 'Venue',
            cell: ({ venue, protocol }: Record['venues'][number]) =>
              `${protocol} ${venue.replace('venue_', '')}`,
          },
          { head: 'Against', cell: ({ pair }) => pairName(pair, pins) },
          { head: 'Fee', right: true, cell: ({ fee }) => (fee === null ? '–' : `${fee / 10_000}%`) },
          { head: 'Liquidity', right: true, cell: ({ liquidity_usd }) => shortUsd(liquidity_usd) },
          { head: 'Hook', cell: ({ hooks }) => (hooks ? <Copied text={hooks} /> : 'none') },
          { head: 'Address', cell: ({ address }) => (address ? <Copied text={address} /> : '–') },
        ]}
        rows={venues}
        keyOf={({ address, protocol, pair }) => `${address} ${protocol} ${pair}`}
        empty="No venues."
      />
    </Card>
  )
}

/** The other token of a pool by its core symbol, otherwise by address. */
const pairName = (pair: string, pins: Pins | null): string =>
  pins?.tokens.get(pair.toLowerCase() as `0x${string}`)?.symbol ?? shortHex(pair)

const yes = (value: boolean | null | undefined): string =>
  value ? 'yes' : value === false ? 'no' : 'unknown'

function Screen({ record: { flags, screened_at, limits } }: { record: Record }) {
  return (
    <div className="grid">
      <Card title="Safety check" actions={<Badge>{words(flags.screen)}</Badge>}>
        <Facts
          rows={[
            ['Proxy', flags.proxy === false ? 'no' : `yes, by ${flags.proxy}`],
            ['Owner', flags.owner ? <Copied key="owner" text={flags.owner} /> : 'none'],
            ['Mintable', yes(flags.mintable)],
            ['Pausable', yes(flags.pausable)],
            ['Can block holders', yes(flags.blacklist)],
            ['Rebasing', yes(flags.rebasing)],
            ['Can be sold', yes(flags.sell_ok)],
            ['Buy tax', bps(flags.buy_tax_bps)],
            ['Sell tax', bps(flags.sell_tax_bps)],
            ['Owner powers proven', flags.proved.join(', ') || 'none'],
            ['First pool', flags.first_pool_at ? dateTime(flags.first_pool_at) : 'unknown'],
            ['Checked', screened_at ? dateTime(screened_at) : 'never'],
          ]}
        />
      </Card>
      <Card title="Tier limits">
        <Facts
          rows={[
            ['Trade size', `${usd(limits.min_notional_usd)} to ${usd(limits.max_notional_usd)}`],
            ['Max price impact', bps(limits.max_price_impact_bps)],
            ['Fee class', words(limits.fee_class)],
            ['Max fee', bps(limits.max_fee_bps)],
            ...limits.slippage_by_size.map(
              ({ up_to_usd, default_bps, cap_bps }) =>
                [`Slippage to ${usd(up_to_usd)}`, `${bps(default_bps)}, at most ${bps(cap_bps)}`] as const,
            ),
          ]}
        />
      </Card>
    </div>
  )
}
