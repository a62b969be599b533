import { Card, ConfirmButton, Copied, dateTime, Facts, Failure, Loaded, Page, shortHex, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { setAccount, useAccount } from '../data/account.ts'
import { api, queries, useRead } from '../data/api.ts'
import { openClient } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'

/** The wallet's API keys: scope and revocation. */
export default function Keys() {
  return (
    <Page
      title="Keys"
      lead="An API key lets a program send requests for your wallet. It cannot move funds: each trade needs your signature or a session you signed."
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
    onSuccess: () => leave('Key revoked.'),
  })
  const revokingAll = useMutation({
    mutationFn: async () => (await openClient()).client.revokeAllKeys(),
    onSuccess: ({ revoked }) => leave(`${revoked} keys revoked.`),
  })
  const error = revoking.error ?? revokingAll.error
  return (
    <div className="grid">
      <Card title="This key" source="server">
        <Loaded of={me}>
          {({ wallet, key_id, expires_at, partner_agent }) => (
            <Facts
              rows={[
                ['Wallet', wallet ? <Copied key="wallet" text={wallet} shown={wallet} /> : 'none'],
                ['Key id', `${key_id}`],
                ['Until', dateTime(expires_at)],
                ['Registry agent', partner_agent ? `#${partner_agent.agent_id}` : 'none'],
                ['Stored', 'in this tab only; removed when you close it'],
              ]}
            />
          )}
        </Loaded>
        <div className="row">
          <ConfirmButton
            label="Revoke this key"
            question="You will be signed out, and programs that use this key stop working. Continue?"
            busy={revoking.isPending}
            onConfirm={() => revoking.mutate()}
          />
        </div>
      </Card>
      <Card title="All keys of this wallet">
        <p>
          Lost a key? Your wallet signs a message, and every key of {shortHex(signedIn?.address ?? '')} ends
          at once. Sessions are separate: end them on their own page.
        </p>
        <div className="row">
          <ConfirmButton
            label="Revoke all keys"
            question="Every program that uses a key of this wallet stops working. Continue?"
            busy={revokingAll.isPending}
            onConfirm={() => revokingAll.mutate()}
          />
        </div>
        {error && <Failure error={error} />}
      </Card>
    </div>
  )
}
