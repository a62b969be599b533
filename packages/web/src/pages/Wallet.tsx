import { usdOf } from '@pit/protocol'
import {
  askWallet,
  TRADING_WALLET,
  useWalletStatus,
  type WalletRequest,
  type WalletStatus,
} from '@pit/trading-wallet'
import {
  Badge,
  Button,
  Card,
  Copied,
  Facts,
  Failure,
  Loaded,
  Notice,
  Page,
  toast,
  usd,
  wholeUsd,
} from '@pit/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Hex } from 'viem'
import { useAccount } from '../data/account.ts'
import { totalMicroUsd, useHoldings } from '../data/own.ts'
import { connect } from '../wallet/connect.ts'
import { SendBack } from './SendBack.tsx'

/** Above this the page warns: the key is in a browser. */
const SMALL_USD = 1_000

/** Creates, unlocks, backs up, funds and empties the trading wallet. */
export default function WalletPage() {
  const opening = useQuery({
    queryKey: ['trading wallet'],
    queryFn: () => askWallet({ type: 'address' }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const status = useWalletStatus()
  return (
    <Page
      title="Trading wallet"
      lead="A key made in this browser, for a small amount. It can do what browser wallets cannot: grant sessions and run live agents."
    >
      <Loaded of={opening} lines={8}>
        {(first) => <Wallet status={status ?? first} />}
      </Loaded>
    </Page>
  )
}

function Wallet({ status }: { status: WalletStatus }) {
  const signedIn = useAccount()
  const { address, returnAddress } = status
  const isSignedIn = signedIn?.wallet === TRADING_WALLET && signedIn.address === address
  return (
    <>
      <div className="grid">
        <Controls status={status} isSignedIn={isSignedIn} />
        <Risks />
      </div>
      {address && returnAddress && (
        <div className="grid">
          <Funding address={address} isSignedIn={isSignedIn} />
          <SendBack address={address} returnAddress={returnAddress} isSignedIn={isSignedIn} />
        </div>
      )}
    </>
  )
}

type Action = Exclude<WalletRequest['type'], 'sign' | 'address' | 'return'> | 'sign in'

function Controls({ status, isSignedIn }: { status: WalletStatus; isSignedIn: boolean }) {
  const acting = useMutation({
    mutationFn: async (action: Action) => {
      if (action !== 'sign in') return void (await askWallet({ type: action }))
      await connect(TRADING_WALLET)
      toast('Signed in.')
    },
  })
  const button = (action: Action, label: string, kind: 'plain' | 'primary' = 'plain') => (
    <Button
      kind={kind}
      busy={acting.isPending && acting.variables === action}
      disabled={acting.isPending}
      onClick={() => acting.mutate(action)}
    >
      {label}
    </Button>
  )
  const { exists, address, returnAddress, isLocked, lockMinutes } = status
  // A declined request is not a failure.
  const error = (acting.error as { code?: unknown } | null)?.code === 4001 ? null : acting.error
  return (
    <Card title="This browser’s wallet">
      {!exists && (
        <>
          <p>There is none yet. Creating one takes a minute: a return address, a passphrase, a backup.</p>
          <div className="row">{button('create', 'Create or restore a wallet', 'primary')}</div>
        </>
      )}
      {exists && (
        <Facts
          rows={[
            ['State', <LockBadge key="state" isLocked={isLocked} />],
            ['Locks after', `${lockMinutes} min`],
            [
              'Address',
              address ? (
                <Copied key="address" text={address} shown={address} />
              ) : (
                'Shown once its backup is verified'
              ),
            ],
            [
              'Returns to',
              <span key="to" className="mono break">
                {returnAddress ?? '–'}
              </span>,
            ],
          ]}
        />
      )}
      {exists && (
        <div className="row">
          {!address && button('export', 'Back it up', 'primary')}
          {address && !isSignedIn && button('sign in', 'Sign in with it', 'primary')}
          {isLocked ? button('unlock', 'Unlock') : button('lock', 'Lock')}
          {address && button('export', 'Back up')}
          {button('settings', 'Settings')}
        </div>
      )}
      {error && <Failure error={error} />}
    </Card>
  )
}

const LockBadge = ({ isLocked }: { isLocked: boolean }) =>
  isLocked ? <Badge>Locked</Badge> : <Badge tone="up">Unlocked in this tab</Badge>

const Risks = () => (
  <Card title="Before you use it">
    <ul className="bullets">
      <li>Encryption protects a stolen disk, nothing more.</li>
      <li>The server of this page’s script can take everything at the next unlock. Keep it small.</li>
      <li>A lost passphrase or passkey is recovered by your backup file only.</li>
      <li>Fee tier, league entries and sign-in are those of this wallet, not of your main one.</li>
      <li>It pays only its return address, fees of trades and gas.</li>
      <li>
        The backup is a standard keystore: <code>pit</code>, foundry and geth open it.
      </li>
    </ul>
  </Card>
)

function Funding({ address, isSignedIn }: { address: Hex; isSignedIn: boolean }) {
  const own = useHoldings([], { enabled: isSignedIn })
  const total = own.data && usdOf(totalMicroUsd(own.data))
  return (
    <Card title="Fund it">
      <p>Send a little ETH for gas, and what you want to trade, to:</p>
      <p>
        <Copied text={address} shown={address} />
      </p>
      {isSignedIn ? (
        <Facts rows={[['Balance', total === undefined ? '…' : usd(total)]]} />
      ) : (
        <p className="small faint">Sign in with it to see what it holds.</p>
      )}
      {total !== undefined && total > SMALL_USD && (
        <Notice tone="warn" title={`It holds more than ${wholeUsd(SMALL_USD)}.`}>
          This key is only as safe as the page that unlocks it: send everything back and fund it with less.
        </Notice>
      )}
    </Card>
  )
}
