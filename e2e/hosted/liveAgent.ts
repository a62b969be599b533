import type { Hex } from '@pit/chain'
import { expect } from 'vitest'
import { type Party, type Pending, type SessionTx, signaturesFor, startGrant } from '../session/party.ts'
import type { SessionWorld } from '../session/world.ts'
import { balanceOf, receiptOf } from '../trading/trader.ts'

// Steps with the owner's key that every live agent's story shares.

export const NATIVE = `0x${'0'.repeat(40)}` as Hex

/** Posts a request that must succeed. */
export async function done<T>(owner: Party, path: string, body: object = {}): Promise<T> {
  const answer = await owner.post<T & object>(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body as T
}

/** Signs, sends and waits for each, in order. */
export async function sendSteps(
  world: SessionWorld,
  owner: Party,
  steps: readonly { tx: Omit<SessionTx, 'type'> }[],
): Promise<void> {
  for (const { tx } of steps) {
    const raw_tx = await owner.signTx({ ...tx, type: 2 })
    const { tx_hash } = await done<{ tx_hash: Hex }>(owner, 'live/submit', { raw_tx })
    expect((await receiptOf(world.devnet, tx_hash)).status).toBe('0x1')
  }
}

/** Grants to an agent's executor, sends the setup, activates the session. */
export async function grantTo(
  world: SessionWorld,
  owner: Party,
  executor: Hex,
  terms: object,
): Promise<Pending> {
  const { status, body } = await startGrant(owner, executor, terms)
  expect(status, JSON.stringify(body.error)).toBe(200)
  await sendSteps(world, owner, body.setup)
  await done(owner, 'live/session/grant', await signaturesFor(owner, body, { afterSetup: true }))
  return body
}

export interface RefundAnswer {
  executor: Hex
  to: Hex
  value_wei: string
  balance_wei: string
  max_cost_wei: string
  tx_hash: Hex
  raw: Hex
  status: string
  already: boolean
  closed: boolean
}

/** Refunds a stopped agent's gas and accounts for every wei: received, spent and left. */
export async function bringHome(
  world: SessionWorld,
  owner: Party,
  agent: { id: string; executor: Hex },
): Promise<RefundAnswer> {
  const executorWei = await balanceOf(world.devnet, NATIVE, agent.executor)
  const before = await balanceOf(world.devnet, NATIVE, owner.wallet)
  const refund = await done<RefundAnswer>(owner, `hosted/${agent.id}/refund-gas`)
  expect(refund).toMatchObject({
    executor: agent.executor,
    to: owner.wallet,
    balance_wei: executorWei.toString(),
    status: 'mined',
    already: false,
    closed: true,
  })
  const value = BigInt(refund.value_wei)
  expect(value).toBe(executorWei - BigInt(refund.max_cost_wei))
  expect(await balanceOf(world.devnet, NATIVE, owner.wallet), 'gain of the owner').toBe(before + value)
  const left = executorWei - value - (await costOf(world, refund.tx_hash))
  expect(await balanceOf(world.devnet, NATIVE, agent.executor), 'what is left').toBe(left)
  return refund
}

/** Gas cost of a mined transaction, in wei. */
export async function costOf(world: SessionWorld, hash: Hex): Promise<bigint> {
  const { gasUsed, effectiveGasPrice } = await receiptOf(world.devnet, hash)
  return BigInt(gasUsed) * BigInt(effectiveGasPrice)
}
