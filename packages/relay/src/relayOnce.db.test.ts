import { type Crypto, createCrypto } from '@pit/chain'
import type { ScriptedChain } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createTestChain,
  emptyStore,
  NATIVE,
  newWallet,
  openTestRelay,
  RECIPIENT,
  ROUTER,
  rowOf,
  type TestRelay,
  USDG,
} from '../test/openTestRelay.ts'
import type { RelayRequest } from './types.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})

withDb('relayOnce', (db) => {
  let chain: ScriptedChain
  let relay: TestRelay
  beforeEach(async () => {
    await relay?.close()
    await emptyStore(db)
    chain = createTestChain(crypto)
    relay = openTestRelay(db, crypto, chain)
  })

  /** Bytes checked by another endpoint, without a stored plan. */
  function fastRequest(nonce = 0): RelayRequest {
    const wallet = newWallet(crypto)
    const { raw, hash } = wallet.sign({ to: ROUTER, valueWei: 5n, data: '0x01' }, { nonce })
    return {
      signed: { raw, hash, signer: wallet.address, nonce },
      kind: 'swap',
      keyId: wallet.keyId,
      wallet: wallet.address,
      terms: {
        path: 'fast',
        sessionId: null,
        tokenIn: NATIVE,
        tokenOut: USDG,
        amountIn: 5n,
        amountOutMin: 4n,
        fee: {
          bps: 25,
          class: 'major',
          tier: 25,
          side: 'input',
          token: NATIVE,
          amount: 1n,
          recipient: RECIPIENT,
        },
        feeApart: false,
        volumeToken: NATIVE,
      },
    }
  }

  it('reports the outcome: sent, then a repeat', async () => {
    const request = fastRequest()
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'sent', hash: request.signed.hash })
    expect(await relay.relayOnce({ ...request, whenInFlight: 'tell' })).toMatchObject({
      kind: 'repeat',
      status: 'pending',
    })
    expect(await rowOf(db, request.signed.hash)).toMatchObject({ path: 'fast', fee_amount: '1' })
    await db.query(`update trades set status = 'reverted'`)
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'repeat', status: 'reverted' })
  })

  it('reports bytes in flight on request, here and in another process', async () => {
    const request = fastRequest()
    let take = () => {}
    const received = new Promise<void>((resolve) => {
      take = resolve
    })
    chain.on('eth_sendRawTransaction', () => received)
    const first = relay.relayOnce(request)
    const tell = { ...request, whenInFlight: 'tell' } as const
    expect(await relay.relayOnce(tell)).toMatchObject({ kind: 'in_flight' })
    const other = openTestRelay(db, crypto, chain)
    await expect.poll(async () => (await rowOf(db, request.signed.hash))?.status).toBe('relaying')
    expect(await other.relayOnce(tell)).toMatchObject({ kind: 'in_flight' })
    take()
    expect(await first).toMatchObject({ kind: 'sent' })
    expect(chain.sent).toHaveLength(1)
    await other.close()
  })

  it('recognizes a nonce used by another transaction', async () => {
    const request = fastRequest(3)
    chain.setNonce(request.signed.signer, 4)
    chain.setMode({ kind: 'refuse', words: 'nonce too low' })
    expect(await relay.relayOnce(request)).toMatchObject({
      kind: 'rejected',
      reason: 'sequencer',
      words: 'nonce too low',
      nonceRefused: true,
      nonceSpent: true,
    })
    const ahead = fastRequest(9)
    chain.setMode({ kind: 'refuse', words: 'nonce too high' })
    expect(await relay.relayOnce(ahead)).toMatchObject({ nonceRefused: true, nonceSpent: false })
    const poor = fastRequest()
    chain.setMode({ kind: 'refuse', words: 'insufficient funds' })
    expect(await relay.relayOnce(poor)).toMatchObject({ nonceRefused: false, nonceSpent: false })
  })

  it('accepts a refusal without a reason if it comes twice and the chain proceeds without the bytes', async () => {
    const request = fastRequest()
    chain.setMode({ kind: 'refuse', words: 'internal error' })
    const mining = setInterval(() => chain.mine(), 20)
    const outcome = await relay.relayOnce(request).finally(() => clearInterval(mining))
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'sequencer', nonceSpent: false })
    expect(outcome).toHaveProperty('words', expect.stringContaining('filter of restricted addresses'))
    expect(chain.sentTimes(request.signed.hash)).toBe(2)
    expect(await rowOf(db, request.signed.hash)).toMatchObject({ status: 'refused' })
  })

  it('treats it as undecided while the chain does not advance, or has the bytes', async () => {
    chain.setMode({ kind: 'refuse', words: 'internal error' })
    expect(await relay.relayOnce(fastRequest())).toMatchObject({ kind: 'unreachable' })
    chain.setMode({ kind: 'refuse', words: 'internal error', takesAnyway: true })
    const included = fastRequest()
    expect(await relay.relayOnce(included)).toMatchObject({ kind: 'unreachable' })
    expect(chain.sentTimes(included.signed.hash)).toBe(1)
  })

  it('reports unreachable without a response', async () => {
    chain.setMode({ kind: 'lossy' })
    const request = fastRequest()
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'unreachable', hash: request.signed.hash })
  })
})
