import {
  Badge,
  Boundary,
  Button,
  Empty,
  Loading,
  Page,
  ServerFigure,
  setTheme,
  Toasts,
  usePins,
  useTheme,
} from '@pit/ui'
import {
  type ComponentType,
  type LazyExoticComponent,
  lazy,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useAccount } from './data/account.ts'
import { useNotifications } from './data/activity.ts'
import { useRead } from './data/api.ts'
import icon from './icon.svg'
import { Market } from './pages/Market.tsx'
import { findPage, type PagePath } from './paths.ts'
import { Link, useLocation } from './router.tsx'
import { WalletButton } from './wallet/WalletButton.tsx'

type Params = Readonly<Record<string, string>>
type Shown = ComponentType<{ params: Params }> | LazyExoticComponent<ComponentType<{ params: Params }>>

/** Pages load on first visit; the market is part of the main bundle. */
const SHOWN: Record<PagePath, Shown> = {
  '/': Market,
  '/status': lazy(() => import('./pages/Status.tsx')),
  '/tokens': lazy(() => import('./pages/Tokens.tsx')),
  '/tokens/:address': lazy(() => import('./pages/Token.tsx')),
  '/league': lazy(() => import('./pages/League.tsx')),
  '/league/:season': lazy(() => import('./pages/Season.tsx')),
  '/treasury': lazy(() => import('./pages/Treasury.tsx')),
  '/trade': lazy(() => import('./pages/Trade.tsx')),
  '/portfolio': lazy(() => import('./pages/Portfolio.tsx')),
  '/sessions': lazy(() => import('./pages/Sessions.tsx')),
  '/agents': lazy(() => import('./pages/Agents.tsx')),
  '/agents/:id': lazy(() => import('./pages/Agent.tsx')),
  '/activity': lazy(() => import('./pages/Activity.tsx')),
  '/keys': lazy(() => import('./pages/Keys.tsx')),
  '/wallet': lazy(() => import('./pages/Wallet.tsx')),
  '/tx/:hash': lazy(() => import('./pages/Transaction.tsx')),
}

const GROUPS = [
  {
    title: 'Public',
    links: [
      ['/', 'Market'],
      ['/tokens', 'Tokens'],
      ['/league', 'League'],
      ['/treasury', 'Treasury'],
      ['/status', 'Status'],
    ],
  },
  {
    title: 'Your wallet',
    links: [
      ['/trade', 'Trade'],
      ['/portfolio', 'Portfolio'],
      ['/sessions', 'Sessions'],
      ['/agents', 'Agents'],
      ['/activity', 'Activity'],
      ['/keys', 'Keys'],
      ['/wallet', 'Trading wallet'],
    ],
  },
  {
    title: 'Documentation',
    links: [
      ['/guide', 'Guide'],
      ['/docs', 'API reference'],
    ],
  },
] as const

export function App() {
  const { pathname } = useLocation()
  const route = findPage(pathname)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const shownBefore = useRef(pathname)
  useEffect(() => {
    if (shownBefore.current === pathname) return
    shownBefore.current = pathname
    setMenuOpen(false)
    // Move focus to the heading of the new page, for screen readers.
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [pathname])
  const Current = route === null ? Nowhere : SHOWN[route.page]
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="shell">
        <Rail path={pathname} isOpen={isMenuOpen} />
        <div>
          <header className="bar">
            <Button
              kind="quiet"
              tight
              aria-expanded={isMenuOpen}
              aria-controls="rail"
              onClick={() => setMenuOpen(!isMenuOpen)}
              className="button quiet tight menu-button"
            >
              {isMenuOpen ? 'Close' : 'Menu'}
            </Button>
            <Brand />
            <NetworkBadge />
            <span className="grow" />
            <ServiceBadge />
            <span className="wide">
              <ThemeButton />
            </span>
            <WalletButton />
          </header>
          <main id="content">
            <Boundary key={pathname}>
              <Suspense fallback={<Loading lines={10} />}>
                <Current params={route?.params ?? {}} />
              </Suspense>
            </Boundary>
          </main>
        </div>
      </div>
      <Toasts />
      <NotifierIfOn />
    </>
  )
}

const Notifier = lazy(() => import('./pages/Notifier.tsx'))

/** Loads the activity of the wallet only if its visitor wants notifications. */
function NotifierIfOn() {
  const signedIn = useAccount()
  if (!useNotifications() || signedIn === null) return null
  return (
    <Suspense fallback={null}>
      <Notifier />
    </Suspense>
  )
}

const Brand = () => (
  <Link className="brand" href="/">
    <img src={icon} width="22" height="22" alt="" />
    <span>Pit</span>
  </Link>
)

function Rail({ path, isOpen }: { path: string; isOpen: boolean }) {
  const config = useRead('config', {})
  const pins = usePins()
  return (
    <div id="rail" className={`rail${isOpen ? ' open' : ''}`}>
      <div className="rail-inside">
        <Brand />
        {GROUPS.map(({ title, links }) => (
          <nav key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {links.map(([href, label]) => (
                <li key={href}>
                  {findPage(href) === null ? (
                    <a href={href}>{label}</a>
                  ) : (
                    <Link href={href} aria-current={isUnder(path, href) ? 'page' : undefined}>
                      {label}
                    </Link>
                  )}
                </li>
              ))}
            </ul>
          </nav>
        ))}
        <div className="rail-end">
          <span className="narrow">
            <ThemeButton />
          </span>
          <p>
            Chain {pins.data?.profile.chain_id ?? '…'},{' '}
            <ServerFigure>version {config.data?.version ?? '…'}</ServerFigure>
          </p>
        </div>
      </div>
    </div>
  )
}

const isUnder = (path: string, href: string): boolean =>
  path === href || (href !== '/' && path.startsWith(`${href}/`))

/** A devnet says that its money is for tests; a real chain is named without alarm. */
function NetworkBadge() {
  const { data } = usePins()
  if (!data) return null
  const { kind, chain_id } = data.profile
  if (kind === 'devnet') return <Badge tone="warn">Devnet: test money</Badge>
  return (
    <span className="wide">
      <Badge>{`Chain ${chain_id}`}</Badge>
    </span>
  )
}

const HEALTH = {
  ok: { tone: 'up', says: 'Operational' },
  degraded: { tone: 'warn', says: 'Degraded' },
  down: { tone: 'down', says: 'Down' },
} as const

function ServiceBadge() {
  const { data, error } = useRead('health', {}, { everyMs: 15_000 })
  if (error) return <Badge tone="down">Unreachable</Badge>
  if (!data) return null
  const { tone, says } = HEALTH[data.status]
  return (
    <Link href="/status" className={data.status === 'ok' ? 'wide' : ''}>
      <Badge tone={tone}>
        {says}
        <span className="hidden-text">: see status</span>
      </Badge>
    </Link>
  )
}

function ThemeButton() {
  const theme = useTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <Button kind="quiet" tight onClick={() => setTheme(other)}>
      {theme === 'dark' ? 'Dark' : 'Light'}
      <span className="hidden-text">{` theme: switch to ${other}`}</span>
    </Button>
  )
}

const Nowhere = () => (
  <Page title="Page not found">
    <Empty title="This page does not exist.">
      <Link href="/">Go to the market</Link>
    </Empty>
  </Page>
)
