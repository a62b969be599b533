import { fromWireOrders, orderTypedData, type WireOrderList } from '@pit/chain'
import type { BodyInput } from '@pit/protocol'
import type { Intent, SignedOrders, Stage } from './parties.ts'

/** The co-signer's rule that refuses a rehearsed trade. */
export class RefusedBy {
  readonly rule: string
  constructor(rule: string) {
    this.rule = rule
  }
}

const signedOf = ({ signed }: Stage): SignedOrders => {
  if (!signed) throw new Error('The stage has no signed orders.')
  return signed
}

/**
 * Trades in the session with controls. A rehearsal runs every rule of the co-signer, also for a wallet without
 * funds, which a real trade is refused for first.
 */
const rehearsed = (rule: string, name?: keyof SignedOrders['orders']) => async (stage: Stage) => {
  const { sessionId, orders } = signedOf(stage)
  const order = name && { order: { id: orders[name], part: 1, rounds: [] } }
  const answer = await trade(stage, { ...order, check_only: true })
  const failed = answer.signer_checks?.find((one) => one.rule === rule && !one.ok)
  return failed ? new RefusedBy(rule) : { sessionId, answer }
}

type Request = BodyInput<'live.session.trade'>

const trade = (stage: Stage, more: Partial<Request>) =>
  stage.owner.client.api['live.session.trade']({
    body: {
      session_id: signedOf(stage).sessionId,
      token_in: 'ETH',
      token_out: 'USDG',
      notional_usd: 5,
      ...more,
    } as Request,
  })

/** Places a list for the open order's amount, with the signature of another list. */
async function place(stage: Stage, signature: { by: 'owner' | 'thief'; amountIn?: string }) {
  const { client } = stage.owner
  const { agentId, rootHash, orders } = signedOf(stage)
  const row = (await client.orders.list(agentId)).orders.find(({ id }) => id === orders.open)
  if (!row) throw new Error('The server does not list the open order.')
  const listOf = (amount_in: string): WireOrderList => ({
    session: rootHash,
    nonce: rootHash,
    replaces: [],
    orders: [{ ...row.order, amount_in } as WireOrderList['orders'][number]],
  })
  const { amount_in } = row.order
  const list = fromWireOrders(listOf(signature.amountIn ?? amount_in))
  const body = {
    list: listOf(amount_in),
    signature: await stage[signature.by].account.signTypedData(
      orderTypedData(client.pins.addresses, list) as never,
    ),
    challenge: rootHash,
  }
  return client.api['hosted.orders.place']({ params: { id: agentId }, body: body as never })
}

export const ORDER_INTENTS: Omit<Intent, 'area'>[] = [
  { name: 'trade without a signed order', fire: rehearsed('SIGNATURE_REQUIRED') },
  { name: 'more than the signed amount', fire: rehearsed('ORDER_AMOUNT', 'open') },
  { name: 'trade of a cancelled order', fire: rehearsed('ORDER_ENDED', 'cancelled') },
  { name: 'trade of a stop that is not met', fire: rehearsed('ORDER_TRIGGER', 'stop') },
  { name: 'list signed by another key', fire: (stage) => place(stage, { by: 'thief' }) },
  {
    name: 'list for more than was signed',
    fire: (stage) => place(stage, { by: 'owner', amountIn: '1000' }),
  },
  {
    name: 'orders cancelled by another user',
    fire: (stage) =>
      stage.thief.client.api['hosted.orders.cancel']({
        params: { id: signedOf(stage).agentId },
        body: { all: true },
      }),
  },
]
