import { type Hex, readSwap } from '@pit/chain'
import { ORDER_INTENTS } from './orderIntents.ts'
import { CAPS, type Intent, type Party, type PlanTx, type Stage, signed } from './parties.ts'

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')
const MAX_UINT256 = 2n ** 256n - 1n

/** The plan's calldata with one value replaced. */
function swapped({ owner, tx }: Stage, change: (swap: Swap) => [from: string, to: string]): Hex {
  const { weth, layout } = owner.client.pins
  const swap = readSwap(tx.data as Hex, { weth, layout })
  if ('fault' in swap || swap.fee === null) throw new Error('The planned call cannot be decoded.')
  const [from, to] = change({ ...swap, fee: swap.fee })
  const data = tx.data.toLowerCase().replaceAll(from, to) as Hex
  if (data === tx.data.toLowerCase()) throw new Error('The value to replace is not in the planned call.')
  return data
}
type Read = Exclude<ReturnType<typeof readSwap>, { fault: unknown }>
type Swap = Read & { fee: NonNullable<Read['fee']> }

const submit = async (stage: Stage, change: Partial<PlanTx>, by: Party = stage.owner): Promise<unknown> =>
  stage.owner.client.api['live.submit']({ body: { raw_tx: await signed(by, stage.tx, change) } })

const thiefOf = ({ thief }: Stage): string => thief.client.address.slice(2)

const SUBMIT: Omit<Intent, 'area'>[] = [
  {
    name: 'fee paid to a thief',
    fire: (stage) =>
      submit(stage, { data: swapped(stage, ({ fee }) => [fee.recipient.slice(2), thiefOf(stage)]) }),
  },
  {
    name: 'doubled fee',
    fire: (stage) =>
      submit(stage, {
        data: swapped(stage, ({ fee }) =>
          fee.side === 'input'
            ? [word(fee.amount), word(fee.amount * 2n)]
            : [word(fee.bps), word(fee.bps * 2)],
        ),
      }),
  },
  {
    name: 'minimum output of one atom',
    fire: (stage) =>
      submit(stage, { data: swapped(stage, ({ amountOutMin }) => [word(amountOutMin), word(1)]) }),
  },
  {
    name: 'deadline in a year',
    fire: (stage) =>
      submit(stage, {
        data: swapped(stage, ({ deadlineS }) => [word(deadlineS), word(deadlineS + 31_536_000n)]),
      }),
  },
  {
    name: 'changed last byte of the calldata',
    fire: (stage) => {
      const { data } = stage.tx
      const last = Number.parseInt(data.slice(-2), 16) ^ 1
      return submit(stage, { data: `${data.slice(0, -2)}${last.toString(16).padStart(2, '0')}` })
    },
  },
  { name: 'call to another contract', fire: (stage) => submit(stage, { to: stage.thief.client.address }) },
  {
    name: 'more ETH than planned',
    fire: (stage) => submit(stage, { value: (BigInt(stage.tx.value) * 2n).toString() }),
  },
  { name: 'other chain id', fire: (stage) => submit(stage, { chain_id: 1 as never }) },
  { name: 'signed by another key', fire: (stage) => submit(stage, {}, stage.thief) },
  {
    name: 'submitted with another user’s API key',
    fire: async ({ owner, thief, tx }) =>
      thief.client.api['live.submit']({ body: { raw_tx: await signed(owner, tx) } }),
  },
  {
    name: 'plain transfer to a thief',
    fire: (stage) => submit(stage, { to: stage.thief.client.address, data: '0x', value: '1' }),
  },
  {
    name: 'unlimited approval for a thief',
    fire: (stage) => {
      const [usdg] = [...stage.owner.client.pins.tokens].find(([, { core }]) => core === 'USDG')!
      const data = `0x095ea7b3${thiefOf(stage).padStart(64, '0')}${word(MAX_UINT256)}`
      return submit(stage, { to: usdg, value: '0', data })
    },
  },
]

const PLAN: Omit<Intent, 'area'>[] = [
  {
    name: 'plan for another user’s wallet',
    fire: ({ owner, thief }) => thief.client.api['live.prepare']({ body: ask(owner) }),
  },
  {
    name: 'fee chosen by the caller',
    fire: ({ owner }) => owner.client.api['live.prepare']({ body: { ...ask(owner), fee_bps: 0 } as never }),
  },
  {
    name: 'fee recipient chosen by the caller',
    fire: ({ owner, thief }) =>
      owner.client.api['live.prepare']({
        body: { ...ask(owner), fee_recipient: thief.client.address } as never,
      }),
  },
  {
    name: 'size over the maximum',
    fire: ({ owner }) => owner.client.api['live.prepare']({ body: { ...ask(owner), notional_usd: 1e9 } }),
  },
]

const ask = ({ client }: Party) => ({
  wallet: client.address,
  token_in: 'ETH',
  token_out: 'USDG',
  notional_usd: 5,
})

const fast = async ({ owner, tx }: Stage, more: object): Promise<unknown> =>
  owner.client.api['live.fast']({
    body: {
      raw_tx: await signed(owner, tx),
      token_in: 'ETH',
      token_out: 'USDG',
      amount_in: tx.value,
      min_out: '1',
      deadline: Math.floor(Date.now() / 1000) + 45,
      fee_bps: 0,
      ...more,
    },
  })
const FAST: Omit<Intent, 'area'>[] = [
  { name: 'no fee and a minimum output of one atom', fire: (stage) => fast(stage, {}) },
  { name: 'simulation disabled', fire: (stage) => fast(stage, { simulate: false }) },
]

const inSession = ({ sessionId }: Stage, { client }: Party, more: object): Promise<unknown> =>
  client.api['live.session.trade']({
    body: { session_id: sessionId!, token_in: 'ETH', token_out: 'USDG', notional_usd: 5, ...more },
  })
const SESSION: Omit<Intent, 'area'>[] = [
  { name: 'trade in another user’s session', fire: (stage) => inSession(stage, stage.thief, {}) },
  {
    name: 'trade over the session’s limit',
    fire: (stage) => inSession(stage, stage.executor, { notional_usd: CAPS.max_trade_usd * 1.5 }),
  },
  {
    name: 'token outside the session',
    fire: (stage) => inSession(stage, stage.executor, { token_out: 'cbBTC' }),
  },
  {
    name: 'risks the owner did not accept',
    fire: (stage) => inSession(stage, stage.executor, { accept_risks: ['HONEYPOT'] }),
  },
  {
    name: 'session over the maximum',
    fire: ({ owner, executor }) => grant(owner, executor, { max_trade_usd: 1e6, max_day_usd: 1e8 }),
  },
  { name: 'owner as executor', fire: ({ owner }) => grant(owner, owner, {}) },
  {
    name: 'session for another user’s wallet',
    fire: ({ owner, thief }) => grant(thief, thief, { wallet: owner.client.address }),
  },
  {
    name: 'session activated with a thief’s signature',
    fire: async ({ owner, executor, thief }) => {
      const pending = await grant(owner, executor, {})
      if (pending.status !== 'pending') return pending
      const { typed_data } = pending.sign.delegation
      const delegation_signature = await thief.account.signTypedData(typed_data as never)
      return owner.client.api['live.session.grant']({
        body: { session_id: pending.session_id, delegation_signature },
      })
    },
  },
  {
    name: 'session ended by another user',
    fire: ({ thief, sessionId }) =>
      thief.client.api['live.session.revoke']({ body: { session_id: sessionId! } }),
  },
  {
    name: 'trade after the session ended',
    async fire(stage) {
      await stage.owner.client.revokeSession({ sessionId: stage.sessionId!, onChain: false })
      return inSession(stage, stage.executor, {})
    },
  },
]

const grant = ({ client }: Party, executor: Party, more: object) =>
  client.api['live.session.grant']({
    body: { wallet: client.address, executor: executor.client.address, ...CAPS, ...more },
  })

const SIGN_IN: Omit<Intent, 'area'>[] = [
  {
    name: 'reused nonce',
    async fire({ thief }) {
      const address = thief.client.address
      const { message, nonce } = await thief.client.api['auth.challenge']({ body: { address } })
      const body = { address, nonce, signature: await thief.account.signMessage(message) }
      await thief.client.api['auth.verify']({ body })
      return thief.client.api['auth.verify']({ body })
    },
  },
  {
    name: 'another user’s signature',
    async fire({ owner, thief }) {
      const { address } = owner.client
      const { message, nonce } = await thief.client.api['auth.challenge']({ body: { address } })
      const signature = await thief.account.signMessage(message)
      return thief.client.api['auth.verify']({ body: { address, nonce, signature } })
    },
  },
]

const AGENT: Omit<Intent, 'area'>[] = [
  {
    name: 'agent paused by another user',
    fire: ({ thief, agentId }) => thief.client.api['hosted.pause']({ params: { id: agentId } }),
  },
  {
    name: 'agent changed by another user',
    fire: ({ thief, agentId }) =>
      thief.client.api['hosted.update']({ params: { id: agentId }, body: { name: 'mine' } }),
  },
  {
    name: 'agent log read by another user',
    fire: ({ thief, agentId }) => thief.client.api['hosted.logs']({ params: { id: agentId } }),
  },
  {
    name: 'paper agent switched to live',
    fire: ({ owner, agentId }) =>
      owner.client.api['hosted.update']({ params: { id: agentId }, body: { live: true } }),
  },
]

const of = (area: Intent['area'], intents: readonly Omit<Intent, 'area'>[]): Intent[] =>
  intents.map((intent) => ({ area, ...intent }))

/** Order matters: the last session intent ends the session. */
export const INTENTS: readonly Intent[] = [
  ...of('sign-in', SIGN_IN),
  ...of('plan', PLAN),
  ...of('submit', SUBMIT),
  ...of('fast', FAST),
  ...of('agent', AGENT),
  ...of('order', ORDER_INTENTS),
  ...of('session', SESSION),
]
