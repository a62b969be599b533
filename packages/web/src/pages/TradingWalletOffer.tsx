import { Notice } from '@pit/ui'
import { Link } from '../router.tsx'

/** For visitors whose own wallet cannot grant sessions. */
export const TradingWalletOffer = () => (
  <Notice title="A trading wallet can grant it from this page.">
    <p>A key made in this browser, for a small amount, with a return address that you fix.</p>
    <Link className="button" href="/wallet">
      Set up a trading wallet
    </Link>
  </Notice>
)
