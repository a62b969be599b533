import { useMutation } from '@tanstack/react-query'
import { setAccount, useAccount } from '../data/account.ts'
import { api, queries, useRead } from '../data/api.ts'
import { dateTime, shortHex } from '../data/format.ts'
import { AskButton } from '../design/AskButton.tsx'
import { Card, Copied, Facts, Page } from '../design/parts.tsx'
import { Failure, Loaded } from '../design/states.tsx'
import { toast } from '../design/toast.tsx'
import { openClient } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'

/** The keys of the wallet: what they can do, and their end. */
export default function Keys() {
  return (
    <Page
      title="Keys"
      lead="A key lets a program ask in your wallet’s name. It moves no funds: each trade needs your signature or a session you signed."
    >
      <NeedsWallet why="Sign in to see your key.">
        <Mine />
      </NeedsWallet>
    </Page>
  )
}

function Mine() {
  const signedIn = useAccount()
  const me = useRead('auth.me', {})
  const leave = (text: string) => {
    setAccount(null)
    queries.clear()
    toast(text)
  }
  const revoking = useMutation({
    mutationFn: () => api['auth.revoke']({}),
    onSuccess: () => leave('This key is revoked.'),
  })
  const revokingAll = useMutation({
    mutationFn: async () => (await openClient()).client.revokeAllKeys(),
    onSuccess: ({ revoked }) => leave(`${revoked} keys are revoked.`),
  })
  const error = revoking.error ?? revokingAll.error
  return (
    <div className="grid">
      <Card title="This key">
        <Loaded of={me}>
          {({ wallet, account, key_id, expires_at, partner_agent }) => (
            <Facts
              rows={[
                ['Wallet', wallet ? <Copied key="wallet" text={wallet} shown={wallet} /> : 'none'],
                ['Account', account.name],
                ['Key', `number ${key_id}`],
                ['Until', dateTime(expires_at)],
                ['Registry agent', partner_agent ? `#${partner_agent.agent_id}` : 'none'],
                ['Kept', 'in this tab alone; it goes when you close it'],
              ]}
            />
          )}
        </Loaded>
        <div className="row">
          <AskButton
            label="Revoke this key"
            question="You are signed out, and programs with this key stop working. Go on?"
            busy={revoking.isPending}
            onConfirm={() => revoking.mutate()}
          />
        </div>
      </Card>
      <Card title="Every key of this wallet">
        <p>
          Lost one, or do not know where it is? Your wallet signs a message, and every key of{' '}
          {shortHex(signedIn?.address ?? '')} ends at once. Sessions are separate: end them on their own page.
        </p>
        <div className="row">
          <AskButton
            label="Revoke all keys"
            question="Every program that uses a key of this wallet stops working. Go on?"
            busy={revokingAll.isPending}
            onConfirm={() => revokingAll.mutate()}
          />
        </div>
        {error && <Failure error={error} />}
      </Card>
    </div>
  )
}
