import { Button, Empty } from '@pit/ui'
import type { ReactNode } from 'react'
import { useAccount } from '../data/account.ts'
import { showConnect } from './dialog.ts'

/** The reason to sign in, and the button that begins it. */
export const SignInPrompt = ({ why, note }: { why: string; note?: string }) => (
  <div className="card">
    <Empty title={why}>
      <span>Sign a message with your wallet. It costs nothing and moves no funds.</span>
      <Button kind="primary" onClick={() => showConnect(true)}>
        Connect a wallet
      </Button>
      {note && <span className="small faint">{note}</span>}
    </Empty>
  </div>
)

/** Shows its children when signed in, otherwise a prompt to sign in. */
export function NeedsWallet(props: { why: string; instead?: ReactNode; children: ReactNode }) {
  const signedIn = useAccount()
  if (signedIn) return props.children
  return (
    <>
      <SignInPrompt why={props.why} />
      {props.instead}
    </>
  )
}
