import type { Hex } from '@pit/chain'
import { executorAttestationText, stockAttestationText } from '@pit/protocol'
import { keccak256, parseTransaction, recoverMessageAddress, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bringHome, done as doneBy, grantTo, sendSteps } from './hosted/liveAgent.ts'
import { openParty, type Party, type Pending, signaturesFor, startGrant } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'

// A live hosted agent from its creation to its gas refund, with the real signer. Its brain never finds a
// reason to trade: trading agents have another story.

const ETH = 10n ** 18n
const GAS_WEI = 12_345_678_901_234_567n
const LIMITS = { max_trade_usd: 20, max_day_usd: 60, max_position_usd: 100 }
const AGENT = {
  brain: 'momentum',
  params: { lookback_s: 86_400, threshold_bps: 5_000, exit_bps: 0, usd: 5 },
  interval_s: 60,
  pairs: ['ETH/USDG', 'NVDA/USDG'],
  limits: LIMITS,
  mode: 'live',
  name: 'The quiet one',
}

interface Agent {
  id: string
  status: string
  live: boolean
  trading: boolean
  executor: Hex
  executor_attestation: { text: string; signature: Hex; cosigner: Hex }
  session_id: string | null
  session_root_hash: Hex | null
  pause_reason: { code: string } | null
  [more: string]: unknown
}

let world: SessionWorld
let owner: Party
let stranger: Party
let agent: Agent

beforeAll(async () => {
  world = await openSessionWorld({ devnet: { DEVNET_STOCK_SESSION: 'always' } })
  const keyOf = (name: string): Hex => keccak256(stringToHex(`hosted life ${name}`))
  owner = await openParty(world.server.url, keyOf('owner'))
  stranger = await openParty(world.server.url, keyOf('stranger'))
  await world.fund(owner.wallet, { wei: ETH, usdg: 1_000n * 10n ** 6n })
})
afterAll(() => world?.close())

const done = <T = Agent>(path: string, body: object = {}): Promise<T> => doneBy<T>(owner, path, body)
async function code(who: Party, path: string, body: object = {}): Promise<string> {
  const { status, body: answer } = await who.post(path, body)
  return `${status} ${answer.error?.code}`
}
const at = (act: string) => `hosted/${agent.id}/${act}`
const detail = async () => (await owner.get<Agent>(`hosted/${agent.id}`)).body

const grant = (): Promise<Pending> =>
  grantTo(world, owner, agent.executor, {
    tokens: ['ETH', 'USDG', 'NVDA'],
    max_trade_usd: 20,
    max_day_usd: 60,
    expires_in_s: 7_200,
  })

describe('a live agent', () => {
  it('is created paused, with an executor that the co-signer attests', async () => {
    const { status, body } = await owner.post<Agent>('hosted', AGENT)
    expect(status, JSON.stringify(body.error)).toBe(201)
    agent = body
    expect(agent).toMatchObject({
      status: 'paused',
      pause_reason: { code: 'NEW' },
      live: false,
      trading: false,
      pairs: ['ETH/USDG', 'NVDA/USDG'],
      stock_tokens: ['NVDA'],
      limits: LIMITS,
    })
    // Before any grant: its wallet holds more ETH than the agent may.
    expect(agent['next_tick_holds']).toMatchObject([
      { code: 'EXECUTOR_GAS' },
      { code: 'MAX_POSITION', pair: 'ETH/USDG', side: 'buy' },
      { code: 'STOCK_ATTESTATION', pair: 'NVDA/USDG' },
    ])
    const { text, signature, cosigner } = agent.executor_attestation
    const rebuilt = { executor: agent.executor, owner: owner.wallet, agentId: agent.id, chainId: 4663 }
    expect(text).toBe(executorAttestationText(rebuilt))
    expect((await recoverMessageAddress({ message: text, signature })).toLowerCase()).toBe(cosigner)
    expect((await world.signer.client.health()).cosigner).toBe(cosigner)
    expect(await code(stranger, at('pause'))).toBe('403 FORBIDDEN')
    expect(await code(owner, 'hosted', { ...AGENT, colour: 'red' })).toBe('400 UNKNOWN_FIELD')
    expect(await code(owner, at('update'), { live: true })).toBe('409 NO_SESSION')
  })

  it('accepts a session that its owner granted to its executor, and no other', async () => {
    const strange = await startGrant(stranger, agent.executor, { tokens: ['ETH', 'USDG'] })
    expect([strange.status, strange.body.error?.code]).toEqual([403, 'EXECUTOR_OWNER'])
    const session = await grant()
    const attached = await done(at('session'), { session_id: session.session_id })
    expect(attached).toMatchObject({
      session_id: session.session_id,
      session_root_hash: session.sign.delegation.delegation_hash,
      session_expires: session.expires,
      status: 'paused',
    })
    expect(await code(owner, at('update'), { live: true, limits: { max_trade_usd: 21 } })).toBe(
      '422 OUTSIDE_SESSION',
    )
    // A change that needs the owner's signature cannot go live in the same call.
    expect(await code(owner, at('update'), { live: true, interval_s: 59 })).toBe('422 BAD_SESSION')
    agent = await done(at('update'), { live: true })
    expect(agent).toMatchObject({ live: true, status: 'active', trading: true })
    const { body } = await owner.get('me/sessions')
    expect(body).toMatchObject({ hosted_available: true, hosted: [{ id: agent.id, trading: true }] })
  })

  it('ticks within seconds, is paused and resumed', async () => {
    for (const until = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
      const { body } = await owner.get<{ rows: { kind: string }[] }>(at('logs?kinds=decision,hold,error'))
      if (body.rows.length > 0) break
      expect(Date.now(), 'no tick in a minute').toBeLessThan(until)
    }
    expect(await done(at('pause'))).toMatchObject({ status: 'paused', pause_reason: { code: 'OWNER' } })
    expect(await done(at('resume'))).toMatchObject({ status: 'active', trading: true })
  })

  it('may trade stocks once its owner has attested, until the attestation is revoked', async () => {
    const issued = Math.floor(Date.now() / 1_000)
    const terms = { session_id: agent.session_id!, issued, expires: issued + 3_600 }
    const message = stockAttestationText({
      agentId: agent.id,
      executor: agent.executor,
      sessionId: terms.session_id,
      rootHash: agent.session_root_hash!,
      issuedS: terms.issued,
      expiresS: terms.expires,
      chainId: 4663,
    })
    const forged = { ...terms, signature: await stranger.account.signMessage({ message }) }
    expect(await code(owner, at('stock-attestation'), forged)).toBe('422 STOCK_ATTESTATION')
    const signed = { ...terms, signature: await owner.account.signMessage({ message }) }
    expect(await done(at('stock-attestation'), signed)).toMatchObject({ stock_attestation: { valid: true } })
    expect((await world.signer.client.executor(agent.executor)).stock).toMatchObject({ revoked_at: null })
    expect(await done(at('stock-attestation/revoke'))).toMatchObject({
      signer_revoked: true,
      stock_attestation: { valid: false, why_not: 'REVOKED' },
    })
    expect(await code(owner, at('stock-attestation'), signed)).toBe('409 STOCK_ATTESTATION_OLD')
  })

  it('gets another executor, and another session for it', async () => {
    const before = agent
    const rotated = await done<Agent & { retired_executor: Hex; session_revoke: { on_chain: unknown[] } }>(
      at('rotate-executor'),
    )
    expect(rotated).toMatchObject({
      retired_executor: before.executor,
      status: 'paused',
      pause_reason: { code: 'ROTATED' },
      session_id: null,
      live: false,
    })
    expect(rotated.session_revoke.on_chain.length).toBeGreaterThan(0)
    expect(rotated.executor).not.toBe(before.executor)
    expect(await world.signer.client.root(before.session_root_hash!)).toMatchObject({ status: 'revoked' })
    expect(await code(owner, at('session'), { session_id: before.session_id })).toBe('422 BAD_SESSION')
    agent = rotated
    const session = await grant()
    await done(at('session'), { session_id: session.session_id })
    agent = await done(at('update'), { live: true })
    expect(agent).toMatchObject({ status: 'active', trading: true })
  })
})

describe('at its end', () => {
  const executorNow = async () =>
    (
      await owner.get<{ balance_wei: string; refund: { available: boolean; why_not: string | null } }>(
        at('executor'),
      )
    ).body

  it('it is stopped permanently, and the main key can end its session on chain', async () => {
    await world.fund(agent.executor, { wei: GAS_WEI })
    expect(await executorNow()).toMatchObject({
      balance_wei: GAS_WEI.toString(),
      enough: true,
      refund: { available: false, why_not: 'STOP_FIRST' },
    })
    expect(await code(owner, at('refund-gas'))).toBe('409 STOP_FIRST')
    expect(await code(owner, at('delete'))).toBe('409 STOP_FIRST')
    const stopped = await done<{ session_revoke: { on_chain: { tx: Parameters<Party['signTx']>[0] }[] } }>(
      at('stop'),
    )
    expect(stopped).toMatchObject({ status: 'stopped', trading: false })
    await sendSteps(world, owner, stopped.session_revoke.on_chain)
    expect(await done<{ session_revoke: unknown }>(at('stop'))).toMatchObject({
      session_revoke: { on_chain: [] },
    })
    expect(await code(owner, at('resume'))).toBe('409 STOPPED')
  })

  it('its gas is refunded to the wei, once', async () => {
    expect(await executorNow()).toMatchObject({ refund: { available: true, why_not: null } })
    const refund = await bringHome(world, owner, agent)
    expect(refund.balance_wei).toBe(GAS_WEI.toString())
    const sent = parseTransaction(refund.raw)
    expect(sent).toMatchObject({
      type: 'eip1559',
      chainId: 4663,
      value: BigInt(refund.value_wei),
      to: owner.wallet,
    })
    expect(sent.data).toBeUndefined()

    const again = await done(at('refund-gas'))
    expect(again).toEqual({ ...refund, already: true })
    expect(await detail()).toMatchObject({ gas_refund: { tx_hash: refund.tx_hash, status: 'mined' } })
    expect(await world.signer.client.executor(agent.executor)).toMatchObject({ closed: true })
  })

  it('it is deleted, and only its executor remains visible', async () => {
    expect(await done(at('delete'))).toEqual({ id: agent.id, deleted: true, executor: agent.executor })
    expect((await owner.get(`hosted/${agent.id}`)).status).toBe(404)
    expect((await owner.get(at('executor'))).body).toMatchObject({ executor: agent.executor, closed: true })
    expect(await done(at('refund-gas'))).toMatchObject({ already: true, status: 'mined' })
    expect((await owner.get('hosted')).body).toEqual({ agents: [] })
    // A deleted agent accepts no grant.
    const { status, body } = await startGrant(owner, agent.executor, { tokens: ['ETH', 'USDG'] })
    const refused =
      status === 200 ? await owner.post('live/session/grant', await signaturesFor(owner, body)) : { body }
    expect(refused.body.error?.code).toBe('EXECUTOR_CLOSED')
  })
})
