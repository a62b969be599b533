import { shortHex, usePins } from '@pit/ui'
import { Link } from '../router.tsx'

/** Link to a transaction in the explorer; on a devnet in the dashboard. */
export function TxLink({ hash }: { hash: string }) {
  const pins = usePins()
  const profile = pins.data?.profile
  const shown = <span className="mono">{shortHex(hash)}</span>
  if (!profile || profile.kind === 'devnet') return <Link href={`/tx/${hash}`}>{shown}</Link>
  return (
    <a href={`${profile.explorer_tx}${hash}`} target="_blank" rel="noreferrer">
      {shown}
    </a>
  )
}
