import { Notice, usePins } from '@pit/ui'
import { nodeFor } from '../data/node.ts'

/** Names the verifying node, next to everything that is about to be signed. */
export function VerifiedBy({ what }: { what: 'trade' | 'session' | 'order' }) {
  const pins = usePins()
  if (!pins.data) return null
  const node = nodeFor(pins.data.profile)
  if (node.whose === 'server')
    return (
      <Notice tone="warn" title={`This ${what} is verified by the server’s own node.`}>
        A dishonest server could also control its node. To verify independently, set your own node: open your
        wallet at the top of the page.
      </Notice>
    )
  const whose = node.whose === 'yours' ? 'your own node' : 'the pinned node'
  return <p className="small faint">{`This ${what} is verified by ${whose}, ${new URL(node.url).host}.`}</p>
}
