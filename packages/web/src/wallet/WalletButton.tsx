import { Button, Dialog, Loading, shortHex } from '@pit/ui'
import { lazy, Suspense } from 'react'
import { useAccount } from '../data/account.ts'
import { showConnect, useConnectShown } from './dialog.ts'

const Connect = lazy(() => import('./Connect.tsx'))

/** Shows the signed-in wallet and opens the dialog. */
export function WalletButton() {
  const signedIn = useAccount()
  const isShown = useConnectShown()
  return (
    <>
      <Button kind={signedIn ? 'plain' : 'primary'} tight onClick={() => showConnect(true)}>
        {signedIn ? shortHex(signedIn.address) : 'Connect'}
      </Button>
      <Dialog
        title={signedIn ? 'Your wallet' : 'Connect a wallet'}
        open={isShown}
        onClose={() => showConnect(false)}
      >
        <Suspense fallback={<Loading lines={4} />}>
          <Connect />
        </Suspense>
      </Dialog>
    </>
  )
}
