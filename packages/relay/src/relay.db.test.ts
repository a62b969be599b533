import { setTimeout as sleep } from 'node:timers/promises'
import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { ScriptedChain } from '@pit/platform/test/scriptedChain'
import { until } from '@pit/platform/test/until'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  calldata,
  clock,
  createTestChain,
  emptyStore,
  NATIVE,
  newWallet,
  nowS,
  openTestRelay,
  planOf,
  RECIPIENT,
  refused,
  rowOf,
  type TestRelay,
  USDG,
} from '../test/openTestRelay.ts'

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
    chain = createTestChain(crypto)
    relay = openTestRelay(db, crypto, chain)
  })
  const statusOf = async (hash: Hex) => (await rowOf(db, hash))?.status
  const expectStatus = (hash: Hex, status: string) =>
    expect.poll(() => statusOf(hash), { timeout: 5_000, interval: 10 }).toBe(status)

  describe('a plan', () => {
    it('is stored with its transactions, and relayed once signed', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const answer = await relay.submit(wallet, { raws: signed[0]!.raw })
      expect(answer).toMatchObject({ hashes: [signed[0]!.hash], feeFirst: false })
      expect(Object.keys(answer.timings).sort()).toEqual(['checkMs', 'sendMs', 'totalMs', 'writeMs'])
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
      expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      expect(await rowOf(db, hash)).toMatchObject({ nonce: 77 })
    })

    it('can be stored by one process and relayed by another', async () => {
      const other = openTestRelay(db, crypto, chain)
      const wallet = newWallet(crypto)
      const { signed } = await other.plan(wallet, { side: 'output', tokenIn: USDG, tokenOut: NATIVE })
      expect((await relay.submit(wallet, { raws: signed[0]!.raw })).hashes).toEqual([signed[0]!.hash])
      expect(await rowOf(db, signed[0]!.hash)).toMatchObject({
        fee_side: 'output',
        fee_amount: null,
        fee_token: NATIVE,
        volume_token: NATIVE,
      })
      await other.close()
    })

    it('takes over an identical approval of an older plan', async () => {
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

    it('is relayed if it expired here and was rebuilt by another process', async () => {
      const second = await store().openSecond?.()
      const other = openTestRelay(second ?? db, crypto, chain)
      const wallet = newWallet(crypto)
      const plan = planOf(wallet)
      const request = { keyId: wallet.keyId, wallet: wallet.address, path: 'agent' } as const
      await relay.storePlan({ ...request, plan })
      clock.later(200)
      const { raw, hash } = wallet.sign(plan.txs[0]!)
      expect(await codeOf(relay.submit(wallet, { raws: raw }))).toBe('SUBMIT_REJECTED')
      await other.storePlan({ ...request, plan: { ...plan, deadlineS: nowS() + 120 } })
      expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      await other.close()
    })

    it('of a revocation is relayed and is not a trade', async () => {
      const wallet = newWallet(crypto)
      const tx = { from: wallet.address, to: USDG, valueWei: 0n, data: calldata() }
      await relay.storeRevocation({ keyId: wallet.keyId, wallet: wallet.address, txs: [{ tx }] })
      const { raw, hash } = wallet.sign(tx)
      await relay.submit(wallet, { raws: raw })
      expect(await rowOf(db, hash)).toMatchObject({ kind: 'revoke', token_in: null, fee_bps: null })
    })
  })

  describe('the sequencer', () => {
    it.each(['already known', 'nonce too low: next nonce 1, tx nonce 0'])(
      'does not refuse by saying "%s" if the chain has the transaction',
      async (words) => {
        const wallet = newWallet(crypto)
        const { signed } = await relay.plan(wallet)
        chain.setMode({ kind: 'refuse', words, takesAnyway: true })
        expect((await relay.submit(wallet, { raws: signed[0]!.raw })).hashes).toEqual([signed[0]!.hash])
        await expectStatus(signed[0]!.hash, 'pending')
      },
    )

    it('refuses by its nonce if the chain does not have the transaction', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', words: 'nonce too low' })
      expect(await codeOf(relay.submit(wallet, { raws: signed[0]!.raw }))).toBe('SUBMIT_REJECTED')
      await expectStatus(signed[0]!.hash, 'refused')
    })

    it('leaves the outcome open if it refuses while the chain cannot be read', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', words: 'internal error' })
      chain.isDown = true
      expect(await codeOf(relay.submit(wallet, { raws: signed[0]!.raw }))).toBe('SEQUENCER_UNREACHABLE')
      await expectStatus(signed[0]!.hash, 'pending')
    })

    it.each([
      [-32_603, 'internal error'],
      [-32_005, 'limit exceeded'],
      [-32_000, 'busy'],
    ])('may have received the bytes if its gateway says %i %s', async (code, words) => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', code, words, takesAnyway: true })
      expect(await codeOf(relay.submit(wallet, { raws: signed[0]!.raw }))).toBe('SEQUENCER_UNREACHABLE')
      await expectStatus(signed[0]!.hash, 'pending')
    })

    it('did not refuse if the chain shows the transaction a moment later', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      chain.setMode({ kind: 'refuse', code: -32_003, words: 'transaction rejected' })
      const waiting = relay.submit(wallet, { raws: signed[0]!.raw })
      await expect.poll(() => chain.asked.length, { interval: 5 }).toBeGreaterThan(0)
      chain.take(signed[0]!.raw)
      expect((await waiting).hashes).toEqual([signed[0]!.hash])
      await expectStatus(signed[0]!.hash, 'pending')
    })

    it.each(['lossy', 'deaf'] as const)(
      'is unreachable if %s, and the bytes are never sent again',
      async (kind) => {
        const wallet = newWallet(crypto)
        const { signed } = await relay.plan(wallet)
        const { raw, hash } = signed[0]!
        chain.setMode({ kind })
        const error = await refused(relay.submit(wallet, { raws: raw }))
        expect(error).toMatchObject({ code: 'SEQUENCER_UNREACHABLE', status: 502, extras: { tx_hash: hash } })
        await expectStatus(hash, 'pending')
        chain.setMode({ kind: 'ok' })
        expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
        expect(chain.sentTimes(hash)).toBe(1)
      },
    )
  })

  describe('the same bytes', () => {
    it('are sent once when submitted 64 times at once', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.on('eth_sendRawTransaction', () => sleep(30))
      const answers = await Promise.all(Array.from({ length: 64 }, () => relay.submit(wallet, { raws: raw })))
      expect(new Set(answers.flatMap(({ hashes }) => hashes))).toEqual(new Set([hash]))
      expect(chain.sentTimes(hash)).toBe(1)
      expect(await db.query('select id from trades')).toHaveLength(1)
    })

    it('are sent once when submitted 64 times at once in two processes', async () => {
      const second = await store().openSecond?.()
      const other = openTestRelay(second ?? db, crypto, chain)
      const wallet = newWallet(crypto)
      for (let round = 0; round < 5; round++) {
        const { signed } = await relay.plan(wallet)
        const { raw, hash } = signed[0]!
        chain.on('eth_sendRawTransaction', () => sleep(round * 20))
        const answers = await Promise.all(
          Array.from({ length: 64 }, (_, i) => (i % 2 ? relay : other).submit(wallet, { raws: raw })),
        )
        expect(new Set(answers.flatMap(({ hashes }) => hashes))).toEqual(new Set([hash]))
        expect(chain.sentTimes(hash)).toBe(1)
      }
      await other.close()
    })

    it('are sent once more when resubmitted by many after a refusal', async () => {
      const second = await store().openSecond?.()
      const other = openTestRelay(second ?? db, crypto, chain)
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      chain.setMode({ kind: 'refuse', words: 'insufficient funds' })
      await refused(relay.submit(wallet, { raws: raw }))
      chain.setMode({ kind: 'ok' })
      chain.on('eth_sendRawTransaction', () => sleep(20))
      await Promise.all(
        Array.from({ length: 32 }, (_, i) => (i % 2 ? relay : other).submit(wallet, { raws: raw })),
      )
      expect(chain.sentTimes(hash)).toBe(2)
      await other.close()
    })

    it('get the same response later, past the deadline and after the plan is swept', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      await relay.submit(wallet, { raws: raw })
      clock.later(1_000)
      expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      await db.query('delete from plans')
      const fresh = openTestRelay(db, crypto, chain)
      expect((await fresh.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      expect(chain.sentTimes(hash)).toBe(1)
      await fresh.close()
    })

    it('left by an ended process are awaited briefly, then may have arrived', async () => {
      const wallet = newWallet(crypto)
      const { signed } = await relay.plan(wallet)
      const { raw, hash } = signed[0]!
      await relay.submit(wallet, { raws: raw })
      await expectStatus(hash, 'pending')
      await db.query(`update trades set status = 'relaying'`)
      let looks = 0
      const looking = openTestRelay(
        {
          ...db,
          query: (text, ...rest) => {
            if (text.startsWith('select status from trades')) looks++
            return db.query(text, ...rest)
          },
        },
        crypto,
        chain,
      )
      const waiting = looking.submit(wallet, { raws: raw })
      await until(() => looks > 1)
      await db.query(`update trades set status = 'mined'`)
      expect((await waiting).hashes).toEqual([hash])
      await looking.close()
      await db.query(`update trades set status = 'relaying'`)
      expect(await codeOf(relay.submit(wallet, { raws: raw }))).toBe('SEQUENCER_UNREACHABLE')
      await db.query(`update trades set status = 'dropped'`)
      const error = await refused(relay.submit(wallet, { raws: raw }))
      expect(error).toMatchObject({
        code: 'SUBMIT_REJECTED',
        message: expect.stringMatching(/may still be mined.*the same nonce/),
        retry: 'look_first',
      })
      expect(chain.sentTimes(hash)).toBe(1)
    })
  })

  it('inserts the row before sending the bytes', async () => {
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet)
    let seen: string | undefined
    chain.on('eth_sendRawTransaction', async () => {
      seen = await statusOf(signed[0]!.hash)
    })
    const watching = openTestRelay(db, crypto, chain)
    await watching.submit(wallet, { raws: signed[0]!.raw })
    expect(seen).toBe('relaying')
    await watching.close()
    // Closing writes the remaining rows.
    expect(await statusOf(signed[0]!.hash)).toBe('pending')
  })

  it('sends nothing if the insert fails or is too slow', async () => {
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
    await expect(own.submit(wallet, { raws: signed[0]!.raw })).rejects.toThrow('the disk is full')
    delayMs = 2_100
    expect(await codeOf(own.submit(wallet, { raws: signed[0]!.raw }))).toBe('LIVE_UNAVAILABLE')
    expect(chain.sent).toEqual([])
    expect((await relay.submit(wallet, { raws: signed[0]!.raw })).hashes).toEqual([signed[0]!.hash])
    await own.close()
  })

  it('counts outcomes', async () => {
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet)
    await relay.submit(wallet, { raws: signed[0]!.raw })
    await relay.submit(wallet, { raws: signed[0]!.raw })
    const text = await relay.metrics.registry.metrics()
    expect(text).toContain('pit_relay_relayed_total 1')
    expect(text).toContain('pit_relay_repeats_total 1')
    expect(text).toContain('pit_relay_rejected_total 0')
  })
})
