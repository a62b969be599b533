import type { ChainProfile } from '@pit/protocol'
import { TRADING_WALLET } from '@pit/trading-wallet'
import {
  acceptPins,
  Button,
  Copied,
  dateTime,
  Facts,
  Failure,
  Loaded,
  Notice,
  pinsQuery,
  SelectField,
  toast,
  usePins,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { setAccount, useAccount } from '../data/account.ts'
import { queries } from '../data/api.ts'
import { Link } from '../router.tsx'
import { connect, isTestWallet, testModeOf, testWalletId } from './connect.ts'
import { showConnect } from './dialog.ts'
import { NodeSetting } from './NodeSetting.tsx'
import type { TestMode } from './testWallet.ts'
import { useWallets } from './wallets.ts'

/** Content of the dialog: wallet selection, or the signed-in account. */
export default function Connect() {
  const signedIn = useAccount()
  const pins = usePins()
  if (signedIn)
    return (
      <>
        <Current />
        {pins.data && <NodeSetting profile={pins.data.profile} />}
      </>
    )
  return (
    <Loaded of={pins} lines={4}>
      {({ profile, changed }) =>
        changed ? (
          <Changed profile={profile} />
        ) : (
          <>
            <Choose profile={profile} />
            <NodeSetting profile={profile} />
          </>
        )
      }
    </Loaded>
  )
}

function Current() {
  const signedIn = useAccount()
  if (!signedIn) return null
  const { address, keyId, expiresAtS, wallet } = signedIn
  const leave = () => {
    setAccount(null)
    showConnect(false)
  }
  return (
    <>
      <Facts
        rows={[
          ['Address', <Copied key="address" text={address} shown={address} />],
          ['Wallet', walletName(wallet)],
          ['Key', `${keyId}, expires ${dateTime(expiresAtS)}`],
        ]}
      />
      <p className="small faint">
        The key is stored in this tab only. It cannot move funds: every trade needs your wallet.
      </p>
      <div className="row">
        <Button onClick={leave}>Sign out of this tab</Button>
        <Link className="button quiet" href="/keys" onClick={() => showConnect(false)}>
          Revoke keys
        </Link>
      </div>
    </>
  )
}

const walletName = (id: string): string => {
  if (id === TRADING_WALLET) return 'trading wallet of this browser'
  return isTestWallet(id) ? `built-in test wallet, ${testModeOf(id)}` : id
}

function Changed({ profile }: { profile: ChainProfile }) {
  const accept = async () => {
    acceptPins(profile)
    await queries.invalidateQueries({ queryKey: pinsQuery.queryKey })
  }
  return (
    <>
      <Notice tone="down" title="This server’s contracts or node changed since your last visit.">
        This page verifies everything against them. Continue only if you know why they changed.
      </Notice>
      <Button kind="danger" onClick={() => void accept()}>
        Accept the new ones
      </Button>
    </>
  )
}

/** Wallets that the demo of `npm start` trades with. */
const DEMO_ACCOUNTS = [20, 21, 22].map((n, i) => ({ value: String(n), label: `Demo trader ${i + 1}` }))
const TEST_ACCOUNTS = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({ value: String(n), label: `Account ${n}` })),
  ...DEMO_ACCOUNTS,
]
const MODES = [
  { value: 'full', label: 'full: signs everything' },
  { value: 'like MetaMask', label: 'like MetaMask: refuses what MetaMask refuses' },
]

function Choose({ profile }: { profile: ChainProfile }) {
  const wallets = useWallets()
  const [index, setIndex] = useState('1')
  const [mode, setMode] = useState<TestMode>('full')
  const signing = useMutation({
    mutationFn: connect,
    onSuccess: () => {
      showConnect(false)
      toast('Signed in.')
    },
  })
  return (
    <>
      {signing.error && <Failure error={signing.error} />}
      {wallets.length === 0 && (
        <Notice title="No browser wallet found">
          A wallet that announces itself (EIP-6963) shows up here by itself.
        </Notice>
      )}
      {wallets.map(({ id, name, icon }) => (
        <button
          key={id}
          type="button"
          className="choice"
          disabled={signing.isPending}
          onClick={() => signing.mutate(id)}
        >
          {icon && <img src={icon} alt="" />}
          <strong>{name}</strong>
        </button>
      ))}
      <section className="stack" aria-label="Trading wallet">
        <h3>Trading wallet</h3>
        <p className="small faint">
          A key made in this browser. It can grant sessions and run live agents, which browser wallets cannot.
        </p>
        <div className="row">
          <Button busy={signing.isPending} onClick={() => signing.mutate(TRADING_WALLET)}>
            Sign in with a trading wallet
          </Button>
          <Link className="button quiet" href="/wallet" onClick={() => showConnect(false)}>
            About it
          </Link>
        </div>
      </section>
      {profile.kind === 'devnet' && (
        <section className="stack" aria-label="Built-in test wallet">
          <h3>Built-in test wallet</h3>
          <p className="small faint">
            Devnet only: its keys are public and its money is play money. It replaces a browser wallet.
          </p>
          <div className="grid fields">
            <SelectField label="Account" value={index} choices={TEST_ACCOUNTS} onChange={setIndex} />
            <SelectField
              label="Mode"
              value={mode}
              choices={MODES}
              onChange={(value) => setMode(value as TestMode)}
            />
          </div>
          <Button
            kind="primary"
            busy={signing.isPending}
            onClick={() => signing.mutate(testWalletId(Number(index), mode))}
          >
            Sign in with the test wallet
          </Button>
        </section>
      )}
    </>
  )
}
