import { randomBytes } from 'node:crypto'
import type { Hex } from '@pit/chain'
import { type Account, createClient, fromViem, isRefusal, type PitClient, rpcAt } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { privateKeyToAccount } from 'viem/accounts'
import type { Target } from '../client/settings.ts'

/** A user with a fresh key and no funds, so that an accepted intent cannot move money. */
export interface Party {
  client: PitClient
  account: Account
}

type Plan = Extract<Answer<'live.prepare'>, { amount_out_min: string }>
export type PlanTx = NonNullable<Plan['tx']>

/** Honest requests from which the hostile intents are derived. */
export interface Stage {
  target: Target
  owner: Party
  thief: Party
  executor: Party
  /** The owner's trade as built by the server. */
  tx: PlanTx
  /** The owner's session for the executor; null if no co-signer is pinned. */
  sessionId: string | null
  /** The owner's paper agent. */
  agentId: string
  /** The owner's signed orders; null if the server runs no live agents. */
  signed: SignedOrders | null
}

/** A session in which every trade needs a signed order, and orders in three states. */
export interface SignedOrders {
  agentId: string
  sessionId: string
  /** Hash of the session's main root. */
  rootHash: Hex
  orders: Record<'open' | 'cancelled' | 'stop', Hex>
}

/** A request that every server must refuse. */
export interface Intent {
  area: 'sign-in' | 'plan' | 'submit' | 'fast' | 'session' | 'agent' | 'order'
  name: string
  fire(stage: Stage): Promise<unknown>
}

export const CAPS = { max_trade_usd: 10, max_day_usd: 20, max_trades: 3, expires_in_s: 600 }

/** Signs in three fresh wallets, plans a trade, grants a session and creates an agent. */
export async function openStage(target: Target, say: (text: string) => void): Promise<Stage> {
  const [owner, thief, executor] = [openParty(target), openParty(target), openParty(target)]
  say('Signing in three fresh wallets without funds')
  for (const { client } of [owner, thief, executor]) await client.signIn()
  say('Planning an honest trade')
  const tx = await planFor(owner)
  const sessionId = owner.client.pins.cosigner === null ? null : await grantTo(owner, executor)
  const { id: agentId } = await owner.client.hosted.create({
    brain: 'dca',
    params: {},
    interval_s: 86_400,
    pairs: ['ETH/USDG'],
    limits: { max_trade_usd: 1, max_day_usd: 1, max_position_usd: 1 },
  })
  const stage = { target, owner, thief, executor, tx, sessionId, agentId }
  return { ...stage, signed: sessionId === null ? null : await signOrders(owner, say) }
}

/** Signed orders need a live agent, which a server may refuse. */
async function signOrders({ client }: Party, say: (text: string) => void): Promise<SignedOrders | null> {
  say('Signing orders in a session with controls')
  try {
    const { id: agentId, executor } = await client.hosted.create({
      brain: 'orders',
      params: {},
      interval_s: 86_400,
      pairs: ['ETH/USDG'],
      mode: 'live',
      limits: { max_trade_usd: CAPS.max_trade_usd, max_day_usd: CAPS.max_day_usd, max_position_usd: 100 },
    })
    const { active } = await client.grantSession(
      { executor: executor as Hex, tokens: ['ETH', 'USDG'], ...CAPS, controls: { signature_above_usd: 0 } },
      { allow7702: true },
    )
    const sessionId = active.session_id
    await client.api['hosted.session']({ params: { id: agentId }, body: { session_id: sessionId } })
    const amount = (await client.orders.sizeOf({ token: 'ETH', usd: 2 })) ?? '0.001'
    const sale = { sell: 'ETH', buy: 'USDG', amount }
    const stop = { ...sale, trigger: { kind: 'at_or_below' as const, priceUsd: '1' } }
    const { ids } = await client.orders.place({ agentId, orders: [sale, sale, stop] })
    const [open, cancelled, waiting] = ids as [Hex, Hex, Hex]
    await client.orders.cancel({ agentId, ids: [cancelled] })
    const rootHash = active.delegation_hash as Hex
    return { agentId, sessionId, rootHash, orders: { open, cancelled, stop: waiting } }
  } catch (error) {
    if (!isRefusal(error)) throw error
    say(`Signed orders are not tested: ${error.message}`)
    return null
  }
}

function openParty({ url, domain, profile, rpcUrl }: Target): Party {
  const account = fromViem(privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`))
  return { account, client: createClient({ url, domain, profile, account, rpc: rpcAt(rpcUrl) }) }
}

async function planFor({ client }: Party): Promise<PlanTx> {
  const plan = await client.api['live.build']({
    body: { wallet: client.address, token_in: 'ETH', token_out: 'USDG', notional_usd: 5 },
  })
  const tx = 'amount_out_min' in plan ? (plan.tx ?? plan.steps.at(-1)?.tx) : null
  if (!tx)
    throw new Error(
      'The server did not plan a trade for a wallet without funds, so the intents cannot be tested.',
    )
  return tx
}

async function grantTo(owner: Party, executor: Party): Promise<string> {
  const { active } = await owner.client.grantSession(
    { executor: executor.client.address, tokens: ['ETH', 'USDG'], ...CAPS },
    { allow7702: true },
  )
  return active.session_id
}

/** Cleans up: deletes the agents and ends the sessions. */
export async function closeStage({ owner, agentId, sessionId, signed: orders }: Stage): Promise<void> {
  await owner.client.api['hosted.delete']({ params: { id: agentId } })
  if (orders) {
    await owner.client.revokeSession({ sessionId: orders.sessionId, onChain: false })
    await owner.client.api['hosted.stop']({ params: { id: orders.agentId } })
  }
  if (sessionId !== null) await owner.client.revokeSession({ sessionId, onChain: false })
}

/** A transaction as built by the server, optionally changed, signed by a party. */
export const signed = ({ account }: Party, tx: PlanTx, change: Partial<PlanTx> = {}): Promise<Hex> => {
  const { chain_id, nonce, to, value, data, gas, max_fee_per_gas, max_priority_fee_per_gas } = {
    ...tx,
    ...change,
  }
  return account.signTransaction({
    type: 'eip1559',
    chainId: chain_id,
    nonce,
    to: to as Hex,
    value: BigInt(value),
    data: data as Hex,
    gas: BigInt(gas),
    maxFeePerGas: BigInt(max_fee_per_gas),
    maxPriorityFeePerGas: BigInt(max_priority_fee_per_gas),
  })
}
