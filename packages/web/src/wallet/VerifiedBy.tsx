import { nodeFor } from '../data/node.ts'
import { usePins } from '../data/pins.ts'
import { Notice } from '../design/states.tsx'

/** Stands beside everything that is about to be signed: which node its checks were made on. */
export function VerifiedBy({ what }: { what: 'trade' | 'session' }) {
  const pins = usePins()
  if (!pins.data) return null
  const node = nodeFor(pins.data.profile)
  if (node.whose === 'server')
    return (
      <Notice tone="warn" title={`This ${what} is verified by the server’s own node.`}>
        A server that lies could have its node lie too. To check it independently, name a node of your own:
        open your wallet at the top of the page.
      </Notice>
    )
  const whose = node.whose === 'yours' ? 'your own node' : 'the node of the pins'
  return <p className="small faint">{`This ${what} is verified by ${whose}, ${new URL(node.url).host}.`}</p>
}
