import { Button, Empty } from '@pit/ui'
import type { ReactNode } from 'react'
import { useAccount } from '../data/account.ts'
import { showConnect } from './dialog.ts'

/** Shows its children when signed in, otherwise a prompt to sign in. */
export function NeedsWallet(props: { why: string; instead?: ReactNode; children: ReactNode }) {
  const signedIn = useAccount()
  if (signedIn) return props.children
  return (
    <>
      <div className="card">
        <Empty title={props.why}>
          <span>Sign a message with your wallet. It costs nothing and moves no funds.</span>
          <Button kind="primary" onClick={() => showConnect(true)}>
            Connect a wallet
          </Button>
        </Empty>
      </div>
      {props.instead}
    </>
  )
}
