import { setTimeout as sleep } from 'node:timers/promises'
import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withDb } from '../../../test/withDb.ts'
import type { Db } from '../../platform/db/index.ts'
import {
  calldata,
  clock,
  emptyStore,
  NATIVE,
  newWallet,
  nowS,
  openTestRelay,
  planOf,
  RECIPIENT,
  ROUTER,
  refused,
  rowOf,
  type TestRelay,
  USDG,
} from './test/openTestRelay.ts'
import { createScriptedChain, type ScriptedChain } from './test/scriptedChain.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})
const codeOf = async (work: Promise<unknown>) => (await refused(work)).code

withDb('relay', (db, store) => {
  let chain: ScriptedChain
  let relay: TestRelay
  beforeEach(async () => {
    await relay?.close()
    await emptyStore(db)
    chain = createScriptedChain(crypto, nowS())
    relay = openTestRelay(db, crypto, chain)
  })
  const statusOf = async (hash: Hex) => (await rowOf(db, hash))?.status
  const expectStatus = (hash: Hex, status: string) =>
    expect.poll(() => statusOf(hash), { timeout: 5_000, interval: 10 }).toBe(status)

  describe('a plan', () => {
    it('is kept with its transactions, and relayed once signed', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const answer = await relay.submit(wallet, { raw_tx: signed[0]!.raw })
      expect(answer).toMatchObject({ tx_hash: signed[0]!.hash, as_built: true })
      expect(answer).not.toHaveProperty('tx_hashes')
      expect(Object.keys(answer.timings).sort()).toEqual(['check', 'send', 'total', 'write'])
      expect(chain.sent).toEqual([signed[0]!.hash])
      await expectStatus(signed[0]!.hash, 'pending')
      expect(await rowOf(db, signed[0]!.hash)).toMatchObject({
        kind: 'swap',
        wallet: wallet.address,
        key_id: wallet.keyId,
        path: 'agent',
        token_in: NATIVE,
        token_out: USDG,
        amount_in: '1000000',
        amount_out: '900',
        amount_out_kind: 'minimum',
        amount_out_min: '900',
        signer: wallet.address,
        nonce: 0,
        fee_bps: 25,
        fee_amount: '2500',
        fee_recipient: RECIPIENT,
        volume_token: NATIVE,
      })
    })

    it('leaves nonce and gas to the wallet', async () => {
      const wallet = newWallet(crypto)
      const { plan } = await relay.plan(wallet)
      const { raw, hash } = wallet.sign(plan.txs[0]!, { nonce: 77, gas: 999_999n })
      expect((await relay.submit(wallet, { raw_tx: raw })).tx_hash).toBe(hash)
      expect(await rowOf(db, hash)).toMatchObject({ nonce: 77 })
    })

    it('stored by one process is relayed by another', async () => {
      const other = openTestRelay(db, crypto, chain)
      const wallet = newWallet(crypto)
      const { signed } = await other.plan(wallet, { side: 'output', tokenIn: USDG, tokenOut: NATIVE })
      expect((await relay.submit(wallet, { raw_tx: signed[0]!.raw })).tx_hash).toBe(signed[0]!.hash)
      expect(await rowOf(db, signed[0]!.hash)).toMatchObject({
        fee_side: 'output',
        fee_amount: null,
        fee_token: NATIVE,
        volume_token: NATIVE,
      })
      await other.close()
    })

    it('with the same approval as an older one takes it over', async () => {
      const wallet = newWallet(crypto)
      const first = planOf(wallet, { tokenIn: USDG, tokenOut: NATIVE, steps: ['approve', 'swap'] })
      const second = planOf(wallet, { tokenIn: USDG, tokenOut: NATIVE, steps: ['approve', 'swap'] })
      const approve = { kind: 'approve' as const, tx: first.txs[0]! }
      second.steps = [approve, second.steps[1]!, approve]
      for (const plan of [first, second])
        await relay.storePlan({ keyId: wallet.keyId, wallet: wallet.address, path: 'agent', plan })
      const rows = await db.query(`select plan_id from plan_txs where kind = 'approve'`)
      const [newest] = await db.query<{ id: number }>('select max(id) as id from plans')
      expect(rows).toEqual([{ plan_id: newest!.id }])
    })

    it('of approvals taken back is relayed and is no trade', async () => {
      const wallet = newWallet(crypto)
      const tx = { from: wallet.address, to: USDG, valueWei: 0n, data: calldata() }
      await relay.storeRevocation({ keyId: wallet.keyId, wallet: wallet.address, txs: [{ tx }] })
      const { raw, hash } = wallet.sign(tx)
      await relay.submit(wallet, { raw_tx: raw })
      expect(await rowOf(db, hash)).toMatchObject({ kind: 'revoke', token_in: null, fee_bps: null })
    })
  })

  describe('is refused', () => {
    it('where nothing is relayed', async () => {
      const off = openTestRelay(db, crypto, chain, { submitEnabled: false })
      expect(await refused(off.submit(newWallet(crypto), { raw_tx: '0x' }))).toMatchObject({
        code: 'SUBMIT_DISABLED',
        status: 403,
      })
    })

    it.each(['0x', '0x02', '0x02c0', '0xdeadbeef'])('what cannot be read: %s', async (raw_tx) => {
      expect(await refused(relay.submit(newWallet(crypto), { raw_tx }))).toMatchObject({
        code: 'SUBMIT_REJECTED',
        status: 422,
      })
    })

    it('another chain, with the fields that differ', async () => {
      const wallet = newWallet(crypto)
      const { plan } = await relay.plan(wallet)
      const { raw } = wallet.sign(plan.txs[0]!, { chainId: 1 })
      expect(await refused(relay.submit(wallet, { raw_tx: raw }))).toMatchObject({
        code: 'NOT_AS_BUILT',
        extras: { diffs: [{ field: 'chain_id', expected: 4663, got: 1 }] },
      })
    })

    it('a signer that is not the key’s wallet, unless it executes for it', async () => {
      const [owner, other] = [newWallet(crypto), newWallet(crypto)]
      const { plan } = await relay.plan(owner)
      const stolen = other.sign(plan.txs[0]!)
      expect(await refused(relay.submit(owner, { raw_tx: stolen.raw }))).toMatchObject({
        code: 'WALLET_MISMATCH',
        status: 403,
      })
      const asked: unknown[] = []
      const trusting = openTestRelay(db, crypto, chain, {
        executorOf: async (ask) => asked.push(ask) > 0,
      })
      // A session's trade: built for the wallet's key, sent by the executor.
      const session = planOf(owner)
      session.steps = [{ kind: 'swap', tx: { ...session.txs[0]!, from: other.address } }]
      const { keyId, address: wallet } = owner
      await trusting.storePlan({ keyId, wallet, path: 'session', sessionId: 's1', plan: session })
      const { raw, hash } = other.sign(session.txs[0]!)
      expect((await trusting.submit(owner, { raw_tx: raw })).tx_hash).toBe(hash)
      expect(asked).toEqual([{ keyId, wallet, signer: other.address }])
      expect(await rowOf(db, hash)).toMatchObject({ wallet, signer: other.address, session_id: 's1' })
      await trusting.close()
    })

    it('a sanctioned signer', async () => {
      const wallet = newWallet(crypto)
      const strict = openTestRelay(db, crypto, chain, { isSanctioned: (who) => who === wallet.address })
      const { signed } = await strict.plan(wallet)
      expect(await refused(strict.submit(wallet, { raw_tx: signed[0]!.raw }))).toMatchObject({
        code: 'SANCTIONED',
        status: 451,
        extras: { field: 'signer' },
      })
    })

    it('the creation of a contract', async () => {
      const wallet = newWallet(crypto)
      const { raw } = wallet.sign({ to: null as never, valueWei: 0n, data: '0x6000' })
      expect(await codeOf(relay.submit(wallet, { raw_tx: raw }))).toBe('ROUTER_NOT_ALLOWED')
    })

    it('what was built for nobody, and says so', async () => {
      const wallet = newWallet(crypto)
      const { raw } = wallet.sign({ to: ROUTER, valueWei: 1n, data: '0x' })
      const error = await refused(relay.submit(wallet, { raw_tx: raw }))
      expect(error).toMatchObject({ code: 'NOT_AS_BUILT', extras: { diffs: [{ field: 'plan' }] } })
    })

    it('what was built for another key of the same wallet', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const other = { ...wallet, keyId: wallet.keyId + 500_000 }
      expect(await codeOf(relay.submit(other, { raw_tx: signed[0]!.raw }))).toBe('NOT_AS_BUILT')
    })

    it('a byte, a wei or a target off, with the differences to the nearest plan', async () => {
      const wallet = newWallet(crypto)
      await relay.plan(wallet)
      const { plan } = await relay.plan(wallet)
      await relay.plan(wallet, { tokenIn: USDG, tokenOut: NATIVE, steps: ['approve', 'swap'] })
      const built = plan.txs[0]!
      const diffs = async (own: Partial<typeof built>) =>
        (await refused(relay.submit(wallet, { raw_tx: wallet.sign({ ...built, ...own }).raw }))).extras[
          'diffs'
        ]
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

    it('after the deadline, and says to prepare again', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet, { deadlineS: nowS() - 1 })
      const error = await refused(relay.submit(wallet, { raw_tx: signed[0]!.raw }))
      expect(error).toMatchObject({ code: 'SUBMIT_REJECTED', message: expect.stringContaining('prepare') })
      expect(await statusOf(signed[0]!.hash)).toBeUndefined()
    })

    it('by the sequencer, in its words; and may be tried again', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.setMode({ kind: 'refuse', words: 'insufficient funds\nfor gas at http://10.0.0.7:8545/x' })
      const error = await refused(relay.submit(wallet, { raw_tx: raw }))
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
      expect((await relay.submit(wallet, { raw_tx: raw })).tx_hash).toBe(hash)
      expect(chain.sentTimes(hash)).toBe(2)
      await expectStatus(hash, 'pending')
      expect(await rowOf(db, hash)).toMatchObject({
        code: null,
        amount_out: '900',
        amount_out_kind: 'minimum',
      })
    })
  })

  describe('the sequencer', () => {
    it.each(['already known', 'nonce too low: next nonce 1, tx nonce 0'])(
      'that says "%s" of what the chain has is no refusal',
      async (words) => {
        const wallet = newWallet(crypto)
        const { signed } = await relay.plan(wallet)
        chain.setMode({ kind: 'refuse', words, takesAnyway: true })
        expect((await relay.submit(wallet, { raw_tx: signed[0]!.raw })).tx_hash).toBe(signed[0]!.hash)
        await expectStatus(signed[0]!.hash, 'pending')
      },
    )

    it('that refuses the nonce of what the chain does not have is a refusal', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', words: 'nonce too low' })
      expect(await codeOf(relay.submit(wallet, { raw_tx: signed[0]!.raw }))).toBe('SUBMIT_REJECTED')
      await expectStatus(signed[0]!.hash, 'refused')
    })

    it('that refuses while the chain cannot be asked leaves it open', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', words: 'internal error' })
      chain.setAnswering(false)
      expect(await codeOf(relay.submit(wallet, { raw_tx: signed[0]!.raw }))).toBe('SEQUENCER_UNREACHABLE')
      await expectStatus(signed[0]!.hash, 'pending')
    })

    it.each(['lossy', 'deaf'] as const)(
      'that is %s is unreachable, and the bytes never leave again',
      async (kind) => {
        const wallet = newWallet(crypto)
        const { signed } = await relay.plan(wallet)
        const { raw, hash } = signed[0]!
        chain.setMode({ kind })
        const error = await refused(relay.submit(wallet, { raw_tx: raw }))
        expect(error).toMatchObject({ code: 'SEQUENCER_UNREACHABLE', status: 502, extras: { tx_hash: hash } })
        await expectStatus(hash, 'pending')
        chain.setMode({ kind: 'ok' })
        expect((await relay.submit(wallet, { raw_tx: raw })).tx_hash).toBe(hash)
        expect(chain.sentTimes(hash)).toBe(1)
      },
    )
  })

  describe('the same bytes', () => {
    it('64 times at once leave once', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.setMode({ kind: 'ok', delayMs: 30 })
      const answers = await Promise.all(
        Array.from({ length: 64 }, () => relay.submit(wallet, { raw_tx: raw })),
      )
      expect(new Set(answers.map(({ tx_hash }) => tx_hash))).toEqual(new Set([hash]))
      expect(chain.sentTimes(hash)).toBe(1)
      expect(await db.query('select id from trades')).toHaveLength(1)
    })

    it('64 times at once in two processes leave once', async () => {
      const second = await store().openSecond?.()
      const other = openTestRelay(second ?? db, crypto, chain)
      const wallet = newWallet(crypto)
      for (let round = 0; round < 5; round++) {
        const { signed } = await relay.plan(wallet)
        const { raw, hash } = signed[0]!
        chain.setMode({ kind: 'ok', delayMs: round * 20 })
        const answers = await Promise.all(
          Array.from({ length: 64 }, (_, i) => (i % 2 ? relay : other).submit(wallet, { raw_tx: raw })),
        )
        expect(new Set(answers.map(({ tx_hash }) => tx_hash))).toEqual(new Set([hash]))
        expect(chain.sentTimes(hash)).toBe(1)
      }
      await other.close()
    })

    it('refused in one process and brought by many again leave once more', async () => {
      const second = await store().openSecond?.()
      const other = openTestRelay(second ?? db, crypto, chain)
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.setMode({ kind: 'refuse', words: 'busy' })
      await refused(relay.submit(wallet, { raw_tx: raw }))
      chain.setMode({ kind: 'ok', delayMs: 20 })
      await Promise.all(
        Array.from({ length: 32 }, (_, i) => (i % 2 ? relay : other).submit(wallet, { raw_tx: raw })),
      )
      expect(chain.sentTimes(hash)).toBe(2)
      await other.close()
    })

    it('later answer as before, past the deadline and when the plan is swept', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      await relay.submit(wallet, { raw_tx: raw })
      clock.later(1_000)
      expect((await relay.submit(wallet, { raw_tx: raw })).tx_hash).toBe(hash)
      await db.query('delete from plans')
      const fresh = openTestRelay(db, crypto, chain)
      expect((await fresh.submit(wallet, { raw_tx: raw })).tx_hash).toBe(hash)
      expect(chain.sentTimes(hash)).toBe(1)
      await fresh.close()
    })

    it('that a process left behind are waited for a moment, then may have arrived', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      await relay.submit(wallet, { raw_tx: raw })
      await expectStatus(hash, 'pending')
      await db.query(`update trades set status = 'relaying'`)
      const waiting = relay.submit(wallet, { raw_tx: raw })
      await sleep(100)
      await db.query(`update trades set status = 'mined'`)
      expect((await waiting).tx_hash).toBe(hash)
      await db.query(`update trades set status = 'relaying'`)
      expect(await codeOf(relay.submit(wallet, { raw_tx: raw }))).toBe('SEQUENCER_UNREACHABLE')
      await db.query(`update trades set status = 'dropped'`)
      const error = await refused(relay.submit(wallet, { raw_tx: raw }))
      expect(error).toMatchObject({
        code: 'SUBMIT_REJECTED',
        message: expect.stringContaining('fresh nonce'),
      })
      expect(chain.sentTimes(hash)).toBe(1)
    })
  })

  it('writes the row before the bytes leave', async () => {
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet)
    let seen: string | undefined
    const watching = openTestRelay(db, crypto, chain, {
      sequencer: {
        ...chain.sequencer,
        request: async (method, params) => {
          seen = await statusOf(signed[0]!.hash)
          return chain.sequencer.request(method, params)
        },
      },
    })
    await watching.submit(wallet, { raw_tx: signed[0]!.raw })
    expect(seen).toBe('relaying')
    await watching.close()
    // Closing writes what was left to write.
    expect(await statusOf(signed[0]!.hash)).toBe('pending')
  })

  it('sends nothing when the row cannot be written, or was written too slowly', async () => {
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet)
    let delayMs = 0
    const failing: Db = {
      ...db,
      async query<Row>(text: string, values?: readonly unknown[]) {
        if (!text.startsWith('insert into trades')) return db.query<Row>(text, values)
        if (delayMs === 0) throw new Error('the disk is full')
        await sleep(delayMs)
        return db.query<Row>(text, values)
      },
    }
    const own = openTestRelay(failing, crypto, chain)
    await expect(own.submit(wallet, { raw_tx: signed[0]!.raw })).rejects.toThrow('the disk is full')
    delayMs = 2_100
    expect(await codeOf(own.submit(wallet, { raw_tx: signed[0]!.raw }))).toBe('LIVE_UNAVAILABLE')
    expect(chain.sent).toEqual([])
    expect((await relay.submit(wallet, { raw_tx: signed[0]!.raw })).tx_hash).toBe(signed[0]!.hash)
    await own.close()
  })

  it('counts what it did', async () => {
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet)
    await relay.submit(wallet, { raw_tx: signed[0]!.raw })
    await relay.submit(wallet, { raw_tx: signed[0]!.raw })
    const text = await relay.metrics.registry.metrics()
    expect(text).toContain('pit_relay_relayed_total 1')
    expect(text).toContain('pit_relay_repeats_total 1')
    expect(text).toContain('pit_relay_rejected_total 0')
  })
})
