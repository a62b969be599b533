import type { SendBackItem, SendBackStep } from '@pit/client'
import { askWallet, TRADING_WALLET } from '@pit/trading-wallet'
import { Badge, Button, Card, Failure, Notice, TextField } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Hex } from 'viem'
import { queries } from '../data/api.ts'
import { openFor } from '../wallet/connect.ts'

/** Stored during a run, so that a reload offers to continue it. */
const PLACE = 'pit.sendBack'
const isUnfinished = (address: Hex): boolean => window.localStorage.getItem(PLACE) === address

/** Worth less than this by an own price, a token stays: moving it costs about as much. */
const DUST_MICRO_USD = 10_000n

/** Ends sessions and approvals and sends everything to the return address. */
export function SendBack(props: { address: Hex; returnAddress: Hex; isSignedIn: boolean }) {
  const { address, returnAddress, isSignedIn } = props
  const [others, setOthers] = useState('')
  const [items, setItems] = useState<readonly SendBackItem[]>([])
  const [steps, setSteps] = useState<readonly SendBackStep[]>([])
  // The list is on the page before the wallet asks: its consent is to that list.
  const confirm = async (list: readonly SendBackItem[]): Promise<boolean> => {
    setItems(list)
    setSteps([])
    await askWallet({ type: 'return' })
    window.localStorage.setItem(PLACE, address)
    return true
  }
  const sending = useMutation({
    mutationFn: async () => {
      const { client } = await openFor(TRADING_WALLET, address)
      // The server only names tokens; without an answer the pinned and the typed ones are moved.
      const listed = isSignedIn
        ? await client.portfolio().then(
            ({ holdings }) => holdings.map(({ address: token }) => token),
            () => [],
          )
        : []
      const tokens = [...listed, ...addressesIn(others)]
      const { holdings } = await client.holdings(tokens)
      const dust = holdings.flatMap(({ token, microUsd }) =>
        microUsd !== null && microUsd < DUST_MICRO_USD ? [token.address] : [],
      )
      const sent = await client.sendBack({ to: returnAddress, tokens, dust }, { confirm, onSteps: setSteps })
      window.localStorage.removeItem(PLACE)
      return sent
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['holdings'] }),
  })
  const wasInterrupted = !sending.isPending && !sending.data && isUnfinished(address)
  return (
    <Card title="Send everything back">
      {wasInterrupted && (
        <Notice tone="warn" title="It was interrupted.">
          Start it again: it continues with what is left.
        </Notice>
      )}
      <p>Ends sessions and approvals first, then moves tokens, and ETH last, to:</p>
      <p className="mono break">{returnAddress}</p>
      <TextField
        label="Other tokens"
        value={others}
        onChange={setOthers}
        placeholder="0x…"
        hint="Optional: addresses of tokens that came from elsewhere and were never traded here."
      />
      <div className="row">
        <Button kind="danger" busy={sending.isPending} onClick={() => sending.mutate()}>
          {wasInterrupted ? 'Continue sending back' : 'Send everything back'}
        </Button>
      </div>
      {steps.length === 0 && <Items items={items} />}
      <Steps steps={steps} />
      {sending.error && <Failure error={sending.error} />}
      {sending.data && <Outcome left={sending.data.left} />}
    </Card>
  )
}

const addressesIn = (text: string): string[] => text.match(/0x[0-9a-fA-F]{40}\b/g) ?? []

const KINDS = { session: 'End', approval: 'Approval of', token: 'Send', ether: 'Send' } as const
const STATES = {
  running: { tone: 'accent', says: 'Working' },
  done: { tone: 'up', says: 'Done' },
  left: { tone: 'warn', says: 'Left' },
} as const

/** Everything that will be ended, revoked and sent; the receiver is the address above. */
const Items = ({ items }: { items: readonly SendBackItem[] }) => (
  <ul className="stack" aria-label="To be sent back">
    {items.map((item) => (
      <li key={`${item.kind} ${item.name}`} className="row between">
        <span className="break">{`${KINDS[item.kind]} ${'amount' in item ? item.amount : item.name}`}</span>
        {'to' in item && <span className="small faint mono break">{item.to}</span>}
      </li>
    ))}
  </ul>
)

const Steps = ({ steps }: { steps: readonly SendBackStep[] }) => (
  <ul className="stack" aria-live="polite">
    {steps.map(({ kind, name, state, why }) => (
      <li key={`${kind} ${name}`} className="stack">
        <span className="row between">
          <span className="break">{`${KINDS[kind]} ${name}`}</span>
          <Badge tone={STATES[state].tone}>{STATES[state].says}</Badge>
        </span>
        {why && <span className="small faint break">{why}</span>}
      </li>
    ))}
  </ul>
)

const Outcome = ({ left }: { left: readonly SendBackStep[] }) =>
  left.length === 0 ? (
    <Notice tone="up" title="Everything was sent back.">
      A little ETH may remain: the part of the fee that was not used. Gas of agents’ executors is refunded on
      the agents’ own pages.
    </Notice>
  ) : (
    <Notice tone="warn" title={`Sent back, except ${left.length} listed above.`}>
      Run it again later, or use the backup file with another program.
    </Notice>
  )
