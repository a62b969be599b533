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

  /** Bytes another path has checked: there is no plan of them here. */
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

  it('says what became of the bytes: sent, then a repeat', async () => {
    const request = fastRequest()
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'sent', hash: request.signed.hash })
    await expect.poll(async () => (await rowOf(db, request.signed.hash))?.status).toBe('pending')
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'repeat', status: 'pending' })
    expect(await rowOf(db, request.signed.hash)).toMatchObject({ path: 'fast', fee_amount: '1' })
    await db.query(`update trades set status = 'reverted'`)
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'repeat', status: 'reverted' })
  })

  it('tells of bytes in flight when asked to, here and in another process', async () => {
    const request = fastRequest()
    let take = () => {}
    const taken = new Promise<void>((resolve) => {
      take = resolve
    })
    chain.on('eth_sendRawTransaction', () => taken)
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

  it('knows a nonce that another transaction took', async () => {
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

  it('takes a refusal without a reason for one when it comes twice and the chain goes on without it', async () => {
    const request = fastRequest()
    chain.setMode({ kind: 'refuse', words: 'internal error' })
    const mining = setInterval(() => chain.mine(), 20)
    const outcome = await relay.relayOnce(request).finally(() => clearInterval(mining))
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'sequencer', nonceSpent: false })
    expect(outcome).toHaveProperty('words', expect.stringContaining('filter of restricted addresses'))
    expect(chain.sentTimes(request.signed.hash)).toBe(2)
    expect(await rowOf(db, request.signed.hash)).toMatchObject({ status: 'refused' })
  })

  it('stays in doubt about it while the chain stands still, or has the bytes', async () => {
    chain.setMode({ kind: 'refuse', words: 'internal error' })
    expect(await relay.relayOnce(fastRequest())).toMatchObject({ kind: 'unreachable' })
    chain.setMode({ kind: 'refuse', words: 'internal error', takesAnyway: true })
    const taken = fastRequest()
    expect(await relay.relayOnce(taken)).toMatchObject({ kind: 'unreachable' })
    expect(chain.sentTimes(taken.signed.hash)).toBe(1)
  })

  it('says unreachable when no answer came', async () => {
    chain.setMode({ kind: 'lossy' })
    const request = fastRequest()
    expect(await relay.relayOnce(request)).toMatchObject({ kind: 'unreachable', hash: request.signed.hash })
  })
})
