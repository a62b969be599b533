import type { ChainProfile } from '@pit/protocol'
import { Button, TextField } from '@pit/ui'
import { useState } from 'react'
import { namedNode, nameNode, nodeFault, nodeFor } from '../data/node.ts'

const WHOSE = {
  yours: 'Your own node',
  pins: 'The pinned node',
  server: 'The server’s own node; set your own to verify independently',
} as const

/** The node used for verification; stored in this browser only. */
export function NodeSetting({ profile }: { profile: ChainProfile }) {
  const [text, setText] = useState(namedNode() ?? '')
  const node = nodeFor(profile)
  const fault = text.trim() === '' ? null : nodeFault(text.trim())
  return (
    <section className="stack" aria-label="Verification node">
      <h3>Verification node</h3>
      <p className="small faint">
        {`${WHOSE[node.whose]}${node.url === null ? '' : ` (${new URL(node.url).host})`}.`}
      </p>
      <TextField
        label="Your own node"
        value={text}
        onChange={setText}
        placeholder="https://…"
        hint="JSON-RPC URL for this chain. It must allow requests from this page (CORS)."
        fault={fault ?? undefined}
      />
      <div className="row">
        <Button disabled={text.trim() === '' || fault !== null} onClick={() => nameNode(text.trim())}>
          Use this node
        </Button>
        {namedNode() !== null && <Button onClick={() => nameNode(null)}>Remove</Button>}
      </div>
    </section>
  )
}
