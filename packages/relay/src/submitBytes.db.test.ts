import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import type { ScriptedChain } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import { toEnvelope } from '@pit/protocol'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createTestChain,
  emptyStore,
  NATIVE,
  newWallet,
  nowS,
  openTestRelay,
  planOf,
  ROUTER,
  refused,
  rowOf,
  type TestRelay,
  USDG,
} from '../test/openTestRelay.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})
const NO_HASH: Hex = `0x${'00'.repeat(32)}`
const codeOf = async (work: Promise<unknown>) => (await refused(work)).code

withDb('submit', (db) => {
  let chain: ScriptedChain
  let relay: TestRelay
  beforeEach(async () => {
    await relay?.close()
    await emptyStore(db)
    chain = createTestChain(crypto)
    relay = openTestRelay(db, crypto, chain)
  })
  const statusOf = async (hash: Hex) => (await rowOf(db, hash))?.status
  const expectStatus = (hash: Hex, status: string) =>
    expect.poll(() => statusOf(hash), { timeout: 5_000, interval: 10 }).toBe(status)

  describe('is refused', () => {
    it('if relaying is disabled', async () => {
      const off = openTestRelay(db, crypto, chain, { submitEnabled: false })
      expect(await refused(off.submit(newWallet(crypto), { raws: '0x' }))).toMatchObject({
        code: 'SUBMIT_DISABLED',
        status: 403,
      })
    })

    it.each(['0x', '0x02', '0x02c0', '0xdeadbeef'] as const)('for unreadable bytes: %s', async (raws) => {
      expect(await refused(relay.submit(newWallet(crypto), { raws }))).toMatchObject({
        code: 'SUBMIT_REJECTED',
        status: 422,
      })
    })

    it('for another chain, with the differing fields', async () => {
      const wallet = newWallet(crypto)
      const { plan } = await relay.plan(wallet)
      const { raw } = wallet.sign(plan.txs[0]!, { chainId: 1 })
      expect(await refused(relay.submit(wallet, { raws: raw }))).toMatchObject({
        code: 'NOT_AS_BUILT',
        extras: { diffs: [{ field: 'chain_id', expected: 4663, got: 1 }] },
      })
    })

    it('for a signer that is neither the key’s wallet nor its executor', async () => {
      const [owner, other] = [newWallet(crypto), newWallet(crypto)]
      const { plan } = await relay.plan(owner)
      const stolen = other.sign(plan.txs[0]!)
      expect(await refused(relay.submit(owner, { raws: stolen.raw }))).toMatchObject({
        code: 'WALLET_MISMATCH',
        status: 403,
      })
      const lookups: unknown[] = []
      const trusting = openTestRelay(db, crypto, chain, {
        executorOf: async (request) => lookups.push(request) > 0,
      })
      // A session's trade: built for the wallet's key, sent by the executor.
      const session = planOf(owner)
      session.steps = [{ kind: 'swap', tx: { ...session.txs[0]!, from: other.address } }]
      const { keyId, address: wallet } = owner
      await trusting.storePlan({ keyId, wallet, path: 'session', sessionId: 's1', plan: session })
      const { raw, hash } = other.sign(session.txs[0]!)
      expect((await trusting.submit(owner, { raws: raw })).hashes).toEqual([hash])
      expect(lookups).toEqual([{ keyId, wallet, signer: other.address }])
      expect(await rowOf(db, hash)).toMatchObject({ wallet, signer: other.address, session_id: 's1' })
      await trusting.close()
    })

    it('for a sanctioned signer', async () => {
      const wallet = newWallet(crypto)
      const strict = openTestRelay(db, crypto, chain, { isSanctioned: (who) => who === wallet.address })
      const { signed } = await strict.plan(wallet)
      expect(await refused(strict.submit(wallet, { raws: signed[0]!.raw }))).toMatchObject({
        code: 'SANCTIONED',
        status: 451,
        extras: { field: 'signer' },
      })
    })

    it('for the creation of a contract', async () => {
      const wallet = newWallet(crypto)
      const { raw } = wallet.sign({ to: null as never, valueWei: 0n, data: '0x6000' })
      expect(await codeOf(relay.submit(wallet, { raws: raw }))).toBe('ROUTER_NOT_ALLOWED')
    })

    it('for a transaction that was never built', async () => {
      const wallet = newWallet(crypto)
      const { raw } = wallet.sign({ to: ROUTER, valueWei: 1n, data: '0x' })
      const error = await refused(relay.submit(wallet, { raws: raw }))
      expect(error).toMatchObject({ code: 'NOT_AS_BUILT', extras: { diffs: [{ field: 'plan' }] } })
    })

    it('for one that anyone can send again, with nothing about the wallet’s keys and unsent plans', async () => {
      const wallet = newWallet(crypto)
      const stranger = newWallet(crypto)
      await relay.plan(wallet)
      const plain = { to: ROUTER, valueWei: 1n, data: '0x' as Hex }
      const keysOf = async (of: string) => (of === wallet.address ? [wallet.keyId] : [])
      const answers = await Promise.all(
        [wallet, stranger].map(async (signer) => {
          const { raw } = signer.sign(plain)
          return toEnvelope(await refused(relay.submitByWallet({ raw, liveKeysOf: keysOf })))
        }),
      )
      expect(answers[0]).toMatchObject({ error: { code: 'NOT_AS_BUILT' } })
      expect(answers[0]!.error).not.toHaveProperty('diffs')
      expect(answers[0]).toEqual(answers[1])
    })

    it('for a transaction built for another key of the wallet', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const other = { ...wallet, keyId: wallet.keyId + 500_000 }
      expect(await codeOf(relay.submit(other, { raws: signed[0]!.raw }))).toBe('NOT_AS_BUILT')
    })

    it('for a changed byte, value or target, with the differences to the nearest plan', async () => {
      const wallet = newWallet(crypto)
      await relay.plan(wallet)
      const { plan } = await relay.plan(wallet)
      await relay.plan(wallet, { tokenIn: USDG, tokenOut: NATIVE, steps: ['approve', 'swap'] })
      const built = plan.txs[0]!
      const diffs = async (own: Partial<typeof built>) =>
        (await refused(relay.submit(wallet, { raws: wallet.sign({ ...built, ...own }).raw }))).extras['diffs']
      expect(await diffs({ valueWei: built.valueWei + 1n })).toEqual([
        { field: 'value', expected: '1000000', got: '1000001' },
      ])
      expect(await diffs({ to: USDG })).toEqual([{ field: 'to', expected: ROUTER, got: USDG }])
      expect(await diffs({ data: `${built.data.slice(0, -2)}ff` as Hex })).toEqual([
        {
          field: 'data',
          expected: '0x00',
          got: '0xff',
          first_difference: 67,
          expected_bytes: 68,
          got_bytes: 68,
        },
      ])
      expect(await diffs({ data: `${built.data}00` as Hex, valueWei: 5n })).toMatchObject([
        { field: 'value' },
        { field: 'data', first_difference: 68, got: '0x00', expected: '0x', got_bytes: 69 },
      ])
      expect(chain.sent).toEqual([])
    })

    it('after the deadline, with the advice to prepare again', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet, { deadlineS: nowS() - 1 })
      const error = await refused(relay.submit(wallet, { raws: signed[0]!.raw }))
      expect(error).toMatchObject({
        code: 'SUBMIT_REJECTED',
        message: expect.stringContaining('Prepare it again'),
      })
      expect(await statusOf(signed[0]!.hash)).toBeUndefined()
    })

    it('after the deadline by the chain’s clock, if that is ahead', async () => {
      const deadlineS = nowS() + 120
      const timestampS = deadlineS + 1
      const head = { number: 1, hash: NO_HASH, parentHash: NO_HASH, timestampS, baseFeeWei: 1n }
      const market = { head: () => head, onBlock: () => () => {} }
      const ahead = openTestRelay(db, crypto, chain, { market })
      const wallet = newWallet(crypto)
      const { signed } = await ahead.plan(wallet, { deadlineS })
      const error = await refused(ahead.submit(wallet, { raws: signed[0]!.raw }))
      expect(error).toMatchObject({ code: 'SUBMIT_REJECTED', extras: { why: 'DEADLINE_PASSED' } })
      expect(chain.sent).toEqual([])
      await ahead.close()
    })

    it('below the base fee, unless it was relayed before', async () => {
      const head = { number: 1, hash: NO_HASH, parentHash: NO_HASH, timestampS: nowS(), baseFeeWei: 2_000n }
      const market = { head: () => head, onBlock: () => () => {} }
      const priced = openTestRelay(db, crypto, chain, { market })
      const wallet = newWallet(crypto)
      const { plan, signed } = await priced.plan(wallet)
      const { raw, hash } = signed[0]!
      expect((await priced.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      head.baseFeeWei = 2_001n
      expect((await priced.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      const next = wallet.sign(plan.txs[0]!, { nonce: 1 })
      expect(await refused(priced.submit(wallet, { raws: next.raw }))).toMatchObject({
        code: 'SUBMIT_REJECTED',
        message: expect.stringContaining('2000 wei is below the base fee of 2001'),
        extras: { why: 'FEE_CAP', sent: [] },
      })
      expect(await statusOf(next.hash)).toBeUndefined()
      expect(chain.sent).toEqual([hash])
      await priced.close()
    })

    it('by the sequencer, with its message, and may be retried', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.setMode({ kind: 'refuse', words: 'insufficient funds\nfor gas at http://10.0.0.7:8545/x' })
      const error = await refused(relay.submit(wallet, { raws: raw }))
      expect(error).toMatchObject({
        code: 'SUBMIT_REJECTED',
        status: 422,
        extras: { why: 'insufficient funds for gas at [url]' },
      })
      expect(error.message).toContain('insufficient funds for gas')
      expect(await rowOf(db, hash)).toMatchObject({
        status: 'refused',
        code: 'SUBMIT_REJECTED',
        amount_out: null,
        amount_out_kind: null,
      })
      chain.setMode({ kind: 'ok' })
      expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      expect(chain.sentTimes(hash)).toBe(2)
      await expectStatus(hash, 'pending')
      expect(await rowOf(db, hash)).toMatchObject({
        code: null,
        amount_out: '900',
        amount_out_kind: 'minimum',
      })
    })
  })

  describe('of a swap whose plan has an approve before it', () => {
    const SALE = { tokenIn: USDG, tokenOut: NATIVE, steps: ['approve', 'swap'] as ('approve' | 'swap')[] }
    let isApproved: boolean
    beforeEach(() => {
      isApproved = false
      chain.on('eth_getTransactionCount', () => '0x0')
      chain.onCall(({ to }) => {
        if (to !== ROUTER || isApproved) return undefined
        throw new RpcError('eth_call', 3, 'execution reverted: AllowanceExpired', undefined)
      })
    })
    const planSale = async (from = relay) => {
      const wallet = newWallet(crypto)
      const [approve, swap] = (await from.plan(wallet, SALE)).signed
      return { wallet, approve: approve!, swap: swap! }
    }
    const first = { code: 'SUBMIT_REJECTED', status: 422, extras: { why: 'APPROVE_FIRST', sent: [] } }

    it('is refused alone, with the missing step, in any process', async () => {
      const { wallet, swap } = await planSale()
      const other = openTestRelay(db, crypto, chain)
      for (const one of [relay, other]) {
        const error = await refused(one.submit(wallet, { raws: swap.raw }))
        expect(error).toMatchObject(first)
        expect(error.message).toMatch(/approve step.*AllowanceExpired.*raw_txs/)
      }
      await other.close()
      expect(await statusOf(swap.hash)).toBeUndefined()
      expect(chain.sent).toEqual([])
    })

    it('passes with its approve or after it', async () => {
      const both = await planSale()
      const { hashes } = await relay.submit(both.wallet, { raws: [both.approve.raw, both.swap.raw] })
      expect(hashes).toEqual([both.approve.hash, both.swap.hash])
      // Sent, but not yet in the chain's state.
      const apart = await planSale()
      await relay.submit(apart.wallet, { raws: apart.approve.raw })
      await relay.submit(apart.wallet, { raws: apart.swap.raw })
      expect(chain.sent.slice(2)).toEqual([apart.approve.hash, apart.swap.hash])
      // Mined: the chain decides whether the swap fails.
      const mined = await planSale()
      await relay.submit(mined.wallet, { raws: mined.approve.raw })
      await db.query(`update trades set status = 'mined' where tx_hash = $1`, [mined.approve.hash])
      await relay.submit(mined.wallet, { raws: mined.swap.raw })
      expect(chain.sent).toHaveLength(6)
    })

    it('passes if the approve was sent elsewhere, or that is unknown', async () => {
      const approved = await planSale()
      isApproved = true
      await relay.submit(approved.wallet, { raws: approved.swap.raw })
      isApproved = false
      // Relayed before: its row is the response, whatever the chain state.
      await relay.submit(approved.wallet, { raws: approved.swap.raw })
      expect(chain.sentTimes(approved.swap.hash)).toBe(1)

      const waiting = await planSale()
      chain.on('eth_getTransactionCount', ([, tag]) => (tag === 'pending' ? '0x1' : '0x0'))
      await relay.submit(waiting.wallet, { raws: waiting.swap.raw })
      const unknown = await planSale()
      chain.on('eth_call', () => {
        throw new RpcUnreachable('eth_call: no answer')
      })
      chain.on('eth_getTransactionCount', () => '0x0')
      await relay.submit(unknown.wallet, { raws: unknown.swap.raw })
      expect(chain.sent).toHaveLength(3)
    })
  })
})
