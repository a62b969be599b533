import { delegationOf, type Hex } from '@pit/chain'
import { describeInFull } from '@pit/platform/test/tier'
import { canonicalJson, feeOf } from '@pit/protocol'
import { hashTypedData, keccak256, stringToHex } from 'viem'
import { hashAuthorization } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  authorize,
  openParty,
  type Party,
  type Pending,
  type SessionTrade,
  signaturesFor,
  startGrant,
} from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { settledRow } from './trading/doTrade.ts'
import { readStoryTokens } from './trading/tokens.ts'
import { balanceOf, receiptOf } from './trading/trader.ts'

// A session from its grant to its end, with the real signer: answers are compared with the chain's balances.

const ETH = 10n ** 18n
const USD = 10n ** 6n
const NATIVE = `0x${'0'.repeat(40)}` as Hex
const LIMITS = { max_trade_usd: 40, max_day_usd: 400, max_trades: 13 }

let world: SessionWorld
let owner: Party
let executor: Party
let curveToken: Hex
let grant: Pending
let unsent: SessionTrade

beforeAll(async () => {
  world = await openSessionWorld()
  const keyOf = (name: string): Hex => keccak256(stringToHex(`session story ${name}`))
  owner = await openParty(world.server.url, keyOf('owner'))
  executor = await openParty(world.server.url, keyOf('executor'))
  await world.fund(owner.wallet, { wei: ETH, usdg: 1_000n * USD })
  await world.fund(executor.wallet, { wei: ETH / 10n })
  curveToken = (await readStoryTokens(world.devnet)).onCurve('ETH')
})
afterAll(() => world?.close())

const codeOf = (address: Hex): Promise<Hex> => world.devnet.rpc<Hex>('eth_getCode', [address, 'latest'])
const ask = (who: Party, request: object) =>
  who.post<SessionTrade>('live/session/trade', { session_id: grant.session_id, ...request })
const addressOf = (name: string): Hex =>
  name === 'ETH' ? NATIVE : name.startsWith('0x') ? (name as Hex) : world.core(name)

describe('a plain wallet grants a session', () => {
  it('reads the terms that it signs', async () => {
    const { status, body } = await startGrant(owner, executor.wallet, {
      ...LIMITS,
      tokens: ['ETH', 'USDG', curveToken],
      expires_in_s: 3_600,
    })
    expect(status, JSON.stringify(body.error)).toBe(200)
    grant = body
    const { cosigner } = await world.signer.client.health()
    expect(grant).toMatchObject({
      status: 'pending',
      wallet: owner.wallet,
      executor: executor.wallet,
      cosigner,
      wallet_code: 'none',
      limits: LIMITS,
      risk_terms: { accept_risks: [], shield: false },
    })
    // Dollars to Permit2 and from there to the router; the curve's token to its curve. The authorization
    // counts before it, or after.
    expect(grant.setup.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['approve', 'approve', 'approve']),
    )
    expect(grant.sign.authorization).toMatchObject({ nonce: 0, after_setup: { nonce: grant.setup.length } })
    expect(Object.keys(grant.sign.curve_roots ?? {})).toHaveLength(2)
    const { delegation, authorization, curve_roots } = grant.sign
    for (const { typed_data, digest } of [delegation, ...Object.values(curve_roots ?? {})]) {
      expect(hashTypedData(typed_data as never)).toBe(digest)
    }
    const { address, chain_id: chainId, nonce } = authorization!
    expect(hashAuthorization({ address, chainId, nonce })).toBe(authorization!.digest)
    const salt = keccak256(stringToHex(canonicalJson(delegation.binding as never)))
    expect(BigInt((delegation.typed_data.message as { salt: string }).salt)).toBe(BigInt(salt))
    const { body: config } = await owner.get<{ session: { cosigner: Hex } }>('config')
    expect(config.session.cosigner).toBe(cosigner)
  })

  it('is pending until it is signed', async () => {
    const { status, body } = await ask(executor, { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
    expect({ status, code: body.error?.code }).toEqual({ status: 409, code: 'SESSION_PENDING' })
  })

  it('is activated by its own signatures only', async () => {
    const signatures = await signaturesFor(owner, grant)
    const forged = await signaturesFor(executor, grant)
    const wrong = await owner.post('live/session/grant', {
      ...signatures,
      delegation_signature: forged['delegation_signature'],
    })
    expect({ status: wrong.status, code: wrong.body.error?.code }).toEqual({
      status: 422,
      code: 'BAD_SIGNATURE',
    })
    const strange = await executor.post('live/session/grant', signatures)
    expect({ status: strange.status, code: strange.body.error?.code }).toEqual({
      status: 404,
      code: 'NO_SESSION',
    })
    const { status, body } = await owner.post('live/session/grant', signatures)
    expect(status, JSON.stringify(body.error)).toBe(200)
    expect(body).toMatchObject({
      status: 'active',
      delegation_hash: grant.sign.delegation.delegation_hash,
      authorization_stored: true,
      limits: LIMITS,
    })
    // A lost answer can be requested again.
    expect((await owner.post('live/session/grant', signatures)).status).toBe(200)
  })

  it('needs its setup before a token is sold, and only then', async () => {
    const { status, body } = await ask(executor, { token_in: 'USDG', token_out: 'ETH', notional_usd: 5 })
    expect({ status, code: body.error?.code }).toEqual({ status: 422, code: 'SESSION_SETUP' })
    const before = await ask(executor, { token_in: 'ETH', token_out: 'USDG', notional_usd: 1 })
    expect(before.body, JSON.stringify(before.body.error)).toMatchObject({ ready: true, tx: { type: 4 } })
    await sendSetup(owner, grant)
    expect(delegationOf(await codeOf(owner.wallet))).toBeNull()
  })

  it('signs its authorization again after another transaction', async () => {
    const { status, body } = await ask(executor, { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
    expect({ status, code: body.error?.code }).toEqual({ status: 422, code: 'WALLET_CODE' })
    const { authorization } = body.error!['sign'] as Pick<Pending['sign'], 'authorization'>
    expect(authorization?.nonce).toBe(grant.setup.length)
    const { session_id } = grant
    const signed = { session_id, authorization_signature: await authorize(owner, authorization!) }
    const again = await owner.post('live/session/grant', signed)
    expect(again.body, JSON.stringify(again.body)).toMatchObject({
      status: 'active',
      authorization_stored: true,
    })
  })
})

/** Every step of a setup, from the wallet's next nonce on. */
async function sendSetup(of: Party, { setup }: Pending): Promise<void> {
  for (const { tx } of setup) {
    const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [of.wallet, 'pending']))
    const sent = await of.post<{ tx_hash: Hex }>('live/submit', {
      raw_tx: await of.signTx({ ...tx, type: 2 }, { nonce }),
    })
    expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
    expect((await receiptOf(world.devnet, sent.body.tx_hash)).status).toBe('0x1')
  }
}

describeInFull('another plain wallet', () => {
  it('trades first and sends its setup later', async () => {
    const other = await openParty(world.server.url, keccak256(stringToHex('session story other')))
    await world.fund(other.wallet, { wei: ETH })
    const { body: pending } = await startGrant(other, executor.wallet, { tokens: ['ETH', 'USDG'] })
    const { session_id } = pending
    expect((await other.post('live/session/grant', await signaturesFor(other, pending))).status).toBe(200)
    const carry = async (request: object) => {
      const { body } = await executor.post<SessionTrade>('live/session/trade', { session_id, ...request })
      expect(body, JSON.stringify(body.error ?? body.simulation)).toMatchObject({ ready: true })
      const sent = await executor.post<{ tx_hash: Hex }>('live/submit', {
        raw_tx: await executor.signTx(body.tx!),
      })
      expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
      expect((await receiptOf(world.devnet, sent.body.tx_hash)).status).toBe('0x1')
    }
    await carry({ token_in: 'ETH', token_out: 'USDG', notional_usd: 10 })
    expect(delegationOf(await codeOf(other.wallet))).not.toBeNull()
    await sendSetup(other, pending)
    await carry({ token_in: 'USDG', token_out: 'ETH', notional_usd: 5 })
  })
})

/** Plans, signs as the executor, submits with either key, and compares everything with the balances. */
async function trade(token_in: string, token_out: string, size: object, by: Party): Promise<SessionTrade> {
  const { status, body: plan } = await ask(by, { token_in, token_out, ...size })
  expect(status, JSON.stringify(plan.error)).toBe(200)
  expect(plan, JSON.stringify(plan.simulation)).toMatchObject({ ready: true, simulated_ok: true })
  const [tokenIn, tokenOut] = [addressOf(token_in), addressOf(token_out)]
  const recipient = world.profile.fee_recipient as Hex
  const before = await world.devnet.rpc<Hex>('eth_blockNumber')
  const sent = await by.post<{ tx_hash: Hex }>('live/submit', { raw_tx: await executor.signTx(plan.tx!) })
  expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
  const receipt = await receiptOf(world.devnet, sent.body.tx_hash)
  expect(receipt.status).toBe('0x1')
  const grown = async (token: Hex, holder: Hex) =>
    (await balanceOf(world.devnet, token, holder, receipt.blockNumber)) -
    (await balanceOf(world.devnet, token, holder, before))

  const received = await grown(tokenOut, owner.wallet)
  const income = await grown(plan.fee_token, recipient)
  expect(await grown(tokenIn, owner.wallet), 'amount paid by the wallet').toBe(-BigInt(plan.swap.amount_in))
  expect(received, 'as simulated').toBe(BigInt(plan.simulation!.amount_out))
  expect(income, 'the fee as simulated').toBe(BigInt(plan.simulation!.fee_transfer))
  expect(received).toBeGreaterThanOrEqual(BigInt(plan.swap.amount_out_min))
  if (plan.fee_side === 'input') expect(income).toBe(feeOf(BigInt(plan.swap.amount_in), plan.fee_bps))
  expect(income).toBeGreaterThan(0n)
  const gasWei = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  expect(await grown(NATIVE, executor.wallet), 'the executor sends it and pays gas').toBe(-gasWei)

  const row = await settledRow(owner, sent.body.tx_hash)
  expect(row).toMatchObject({
    status: 'mined',
    path: 'session',
    session_id: grant.session_id,
    amount_in: plan.swap.amount_in,
    amount_out: received.toString(),
    amount_out_kind: 'actual',
  })
  return plan
}

describe('the executor trades', () => {
  it('with the wallet’s authorization in the first transaction, exactly as built', async () => {
    const { body: plan } = await ask(executor, { token_in: 'ETH', token_out: 'USDG', notional_usd: 1 })
    expect(plan.tx).toMatchObject({ type: 4 })
    const without = await executor.post('live/submit', {
      raw_tx: await executor.signTx(plan.tx!, { withoutList: true }),
    })
    expect({ status: without.status, code: without.body.error?.code }).toEqual({
      status: 422,
      code: 'NOT_AS_BUILT',
    })
    expect(without.body.error?.['diffs']).toMatchObject([{ field: 'type', expected: 4, got: 2 }])
    const first = await trade('ETH', 'USDG', { notional_usd: 20 }, executor)
    expect(first.tx?.authorization_list).toHaveLength(1)
    const place = world.profile.delegation.stateless_delegator.toLowerCase()
    expect(delegationOf(await codeOf(owner.wallet))).toBe(place)
  })

  it('ten times, in ETH, dollars and a token on its curve, by either key', { timeout: 300_000 }, async () => {
    const bought = await trade('ETH', curveToken, { notional_usd: 15 }, owner)
    expect(bought).toMatchObject({ execution: 'curve', tx: { type: 2 } })
    const held = await balanceOf(world.devnet, curveToken, owner.wallet)
    await trade('USDG', 'ETH', { notional_usd: 25 }, executor)
    await trade('ETH', 'USDG', { amount_in: (ETH / 200n + 7n).toString() }, owner)
    const sold = await trade(curveToken, 'ETH', { amount_in: (held / 2n).toString() }, executor)
    expect(sold).toMatchObject({ execution: 'curve', fee_side: 'output' })
    await trade('USDG', 'ETH', { amount_in: (12n * USD + 1n).toString() }, owner)
    await trade('ETH', 'USDG', { notional_usd: 39 }, executor)
    await trade('ETH', curveToken, { notional_usd: 5 }, executor)
    await trade('USDG', 'ETH', { notional_usd: 30 }, executor)
    const last = await trade('ETH', 'USDG', { notional_usd: 10 }, owner)
    // Two were co-signed and never sent: they count.
    expect(last.spend).toMatchObject({ trades: 12, trades_left: 1 })
  })

  it('inside its bounds only', async () => {
    const refused = async (request: object) => {
      const { status, body } = await ask(executor, request)
      return `${status} ${body.error?.code}`
    }
    const pair = { token_in: 'ETH', token_out: 'USDG' }
    expect(await refused({ ...pair, notional_usd: 41 })).toBe('422 SESSION_MAX_TRADE')
    expect(await refused({ ...pair, amount_in: (ETH / 20n).toString() })).toBe('422 SESSION_MAX_TRADE')
    expect(await refused({ token_in: 'ETH', token_out: 'cbBTC', notional_usd: 5 })).toBe('422 SESSION_TOKENS')
    expect(await refused({ ...pair, notional_usd: 5, accept_risks: ['HONEYPOT'] })).toBe('400 SESSION_TERMS')
    expect(await refused({ ...pair, notional_usd: 5, shield: true })).toBe('400 SESSION_TERMS')
    expect(await refused({ ...pair, notional_usd: 5, max_fee_bps: 24 })).toBe('422 FEE_BPS')
    expect(await refused({ ...pair, notional_usd: 5, slippage_bps: 900 })).toBe('422 MAX_SLIPPAGE')
    const { body } = await owner.get<{ sessions: { session_id: string; used: object; status: string }[] }>(
      'me/sessions',
    )
    expect(body.sessions.find(({ session_id }) => session_id === grant.session_id)).toMatchObject({
      status: 'active',
      used: { trades: 12, trades_left: 1 },
      limits: LIMITS,
    })
  })
})

describe('the owner revokes it', () => {
  it('here and at the co-signer at once', async () => {
    const planned = await ask(executor, { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
    expect(planned.status).toBe(200)
    unsent = planned.body
    const byExecutor = await executor.post('live/session/revoke', { session_id: grant.session_id })
    expect({ status: byExecutor.status, code: byExecutor.body.error?.code }).toEqual({
      status: 403,
      code: 'WALLET_MISMATCH',
    })
    const { status, body } = await owner.post<{
      on_chain: { kind: string; tx: Pending['setup'][0]['tx'] }[]
      approvals: object[]
    }>('live/session/revoke', { session_id: grant.session_id, reset_code: true })
    expect(status, JSON.stringify(body.error)).toBe(200)
    expect(body).toMatchObject({
      status: 'revoked',
      signer_revoked: true,
      simulation: { ok: true },
      reset_code: { wallet_code: 'delegator' },
    })
    expect(body.on_chain.map(({ kind }) => kind)).toEqual(Array(3).fill('disable_delegation'))
    expect(body.approvals.length).toBeGreaterThan(0)

    const next = await ask(owner, { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 })
    expect({ status: next.status, code: next.body.error?.code }).toEqual({
      status: 409,
      code: 'SESSION_REVOKED',
    })
    const late = await executor.post('live/submit', { raw_tx: await executor.signTx(unsent.tx!) })
    expect({ status: late.status, code: late.body.error?.code, why: late.body.error?.['why'] }).toEqual({
      status: 422,
      code: 'SUBMIT_REJECTED',
      why: 'SESSION_ENDED',
    })
    // The server's secret does not allow more either.
    const root_hash = grant.sign.delegation.delegation_hash
    const execution = { target: world.core('USDG'), valueWei: 0n, data: '0x' as Hex }
    const refused = await world.signer.client.cosign({ root_hash, execution }).catch((error) => error)
    const rules = (refused.extras['signer_checks'] as { rule: string }[]).map(({ rule }) => rule)
    expect(rules).toContain('SESSION_REVOKED')
    // The chain alone would still accept co-signed trades: `on_chain` prevents that.
    const call = { from: executor.wallet, to: unsent.tx!.to, data: unsent.tx!.data }
    await world.devnet.rpc('eth_call', [call, 'latest'])
    for (const { tx } of body.on_chain) {
      const sent = await owner.post<{ tx_hash: Hex }>('live/submit', {
        raw_tx: await owner.signTx({ ...tx, type: 2 }),
      })
      expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
      expect((await receiptOf(world.devnet, sent.body.tx_hash)).status).toBe('0x1')
    }
    await expect(world.devnet.rpc('eth_call', [call, 'latest'])).rejects.toThrow()
    const raw = await executor.signTx(unsent.tx!)
    const hash = await world.devnet.rpc<Hex>('eth_sendRawTransaction', [raw])
    expect((await receiptOf(world.devnet, hash)).status).toBe('0x0')
  })

  it('permanently', async () => {
    const { body } = await owner.post<{ on_chain: unknown[]; effective: string }>('live/session/revoke', {
      session_id: grant.session_id,
    })
    expect(body).toMatchObject({ status: 'revoked', signer_revoked: true, on_chain: [], reset_code: null })
    const again = await owner.post('live/session/grant', await signaturesFor(owner, grant))
    expect({ status: again.status, code: again.body.error?.code }).toEqual({
      status: 409,
      code: 'SESSION_REVOKED',
    })
    const mine = await owner.get<{ sessions: { session_id: string; status: string }[] }>('me/sessions')
    expect(mine.body.sessions).toMatchObject([{ session_id: grant.session_id, status: 'revoked' }])
  })
})
