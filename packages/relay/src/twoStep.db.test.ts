import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import type { ScriptedChain } from '@pit/platform/test/scriptedChain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  createTestChain,
  emptyStore,
  feesOf,
  MEME,
  NATIVE,
  newWallet,
  openTestRelay,
  refused,
  rowOf,
  type TestRelay,
  type Wallet,
} from '../test/openTestRelay.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})

const TWO_STEP = { tokenIn: NATIVE, tokenOut: MEME, steps: ['fee_transfer', 'swap'] as const }

withDb('a curve plan of two steps', (db) => {
  let chain: ScriptedChain
  let relay: TestRelay
  let wallet: Wallet
  beforeEach(async () => {
    await relay?.close()
    await emptyStore(db)
    wallet = newWallet(crypto)
    chain = createTestChain(crypto)
    chain.setMode({ kind: 'ok', mines: true })
    relay = openTestRelay(db, crypto, chain)
  })
  const planTwo = async (firstNonce = 0, feeAmount = 2_500n) => {
    const { signed, plan } = await relay.plan(
      wallet,
      { ...TWO_STEP, steps: [...TWO_STEP.steps], feeAmount },
      firstNonce,
    )
    return { fee: signed[0]!, swap: signed[1]!, plan }
  }
  const feeFirst = async (request: Parameters<TestRelay['submit']>[1]) => {
    const before = chain.sent.length
    const error = await refused(relay.submit(wallet, request))
    expect(error).toMatchObject({ code: 'FEE_FIRST', status: 422 })
    expect(error.extras['sent']).toEqual([])
    expect(chain.sent).toHaveLength(before)
    return error.message
  }
  const sendFee = async (raw: Hex) => {
    await relay.submit(wallet, { raws: raw })
  }

  it('is sent together, fee first', async () => {
    const { fee, swap } = await planTwo()
    const answer = await relay.submit(wallet, { raws: [fee.raw, swap.raw] })
    expect(answer).toMatchObject({
      hashes: [fee.hash, swap.hash],
      feeFirst: true,
    })
    expect(chain.sent).toEqual([fee.hash, swap.hash])
    expect(await rowOf(db, swap.hash)).toMatchObject({ fee_tx_hash: fee.hash, fee_apart: true })
    expect(await rowOf(db, fee.hash)).toMatchObject({ kind: 'fee_transfer', fee_amount: '2500' })
    // Again: nothing is sent, the response is the same.
    const again = await relay.submit(wallet, { raws: [fee.raw, swap.raw] })
    expect(again).toMatchObject({ hashes: [fee.hash, swap.hash], feeFirst: true })
    expect((await relay.submit(wallet, { raws: swap.raw })).hashes).toEqual([swap.hash])
    expect(chain.sent).toHaveLength(2)
  })

  it.each([
    ['an approval', ['approve', 'fee_transfer', 'swap']],
    ['a zero approval and the new one', ['approve', 'approve', 'fee_transfer', 'swap']],
  ] as const)('accepts %s before the fee in one submission', async (_, steps) => {
    const { signed } = await relay.plan(wallet, {
      tokenIn: MEME,
      tokenOut: NATIVE,
      side: 'output',
      feeAmount: 40n,
      steps: [...steps],
    })
    await relay.submit(wallet, { raws: signed.map(({ raw }) => raw) })
    expect(chain.sent).toEqual(signed.map(({ hash }) => hash))
    expect((await rowOf(db, signed[0]!.hash))?.kind).toBe('approve')
  })

  it('sends no swap without its fee', async () => {
    const { fee, swap } = await planTwo()
    await feeFirst({ raws: swap.raw })
    await feeFirst({ raws: [swap.raw] })
    await feeFirst({ raws: [swap.raw, fee.raw] })
    await feeFirst({ raws: swap.raw, feeTxHash: fee.hash })
    await feeFirst({ raws: swap.raw, feeTxHash: swap.hash })
  })

  it('sends no swap that could be mined before its fee', async () => {
    const { plan } = await planTwo()
    const late = wallet.sign(plan.txs[0]!, { nonce: 9 })
    const early = wallet.sign(plan.txs[1]!, { nonce: 8 })
    expect(await feeFirst({ raws: [late.raw, early.raw] })).toContain('nonce')
    await sendFee(late.raw)
    const after = wallet.sign(plan.txs[1]!, { nonce: 10 })
    await relay.submit(wallet, {
      raws: after.raw,
      feeTxHash: late.hash.toUpperCase().replace('0X', '0x') as Hex,
    })
    expect(chain.sent).toEqual([late.hash, after.hash])
  })

  it('sends no swap whose fee reverted', async () => {
    const { fee, swap } = await planTwo()
    chain.setMode({ kind: 'ok', mines: true, reverts: true })
    const error = await refused(relay.submit(wallet, { raws: [fee.raw, swap.raw] }))
    expect(error).toMatchObject({ code: 'FEE_FIRST', extras: { sent: [fee.hash] } })
    expect(await feeFirst({ raws: swap.raw, feeTxHash: fee.hash })).toContain('fee')
    expect(chain.sent).toEqual([fee.hash])
  })

  it('accepts the fee of an equal plan or a higher one, but not a lower one', async () => {
    const first = await planTwo(0, 2_500n)
    const equal = await planTwo(10, 2_500n)
    // Both fees are the same transaction: the older plan's swap may still follow it.
    await relay.submit(wallet, { raws: [first.fee.raw, first.swap.raw] })
    const higher = await planTwo(20, 9_000n)
    const lower = await planTwo(30, 10n)
    await sendFee(higher.fee.raw)
    await sendFee(lower.fee.raw)
    await feeFirst({ raws: higher.swap.raw, feeTxHash: lower.fee.hash })
    const swap = wallet.sign(equal.plan.txs[1]!, { nonce: 40 })
    await relay.submit(wallet, { raws: swap.raw, feeTxHash: higher.fee.hash })
  })

  it('uses one fee for one swap, unless that swap reverted', async () => {
    const first = await planTwo(0)
    const second = await planTwo(10)
    await relay.submit(wallet, { raws: [first.fee.raw, first.swap.raw] })
    const reuse = { raws: second.swap.raw, feeTxHash: first.fee.hash }
    expect(await feeFirst(reuse)).toContain('another swap')
    await relay.close()
    await db.query(`update trades set status = 'dropped' where tx_hash = $1`, [first.swap.hash])
    // Dropped, it may still be mined within the hour.
    expect(await feeFirst(reuse)).toContain('another swap')
    await db.query(`update trades set status = 'reverted' where tx_hash = $1`, [first.swap.hash])
    expect((await relay.submit(wallet, reuse)).hashes).toEqual([second.swap.hash])
  })

  it('gives one fee to one of two concurrent swaps', async () => {
    const { fee, plan } = await planTwo(0)
    const other = await planTwo(10)
    await sendFee(fee.raw)
    const swaps = [wallet.sign(plan.txs[1]!, { nonce: 11 }), other.swap]
    const outcomes = await Promise.allSettled(
      swaps.map(({ raw }) => relay.submit(wallet, { raws: raw, feeTxHash: fee.hash })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(failed.reason).toMatchObject({ code: 'FEE_FIRST' })
    expect(chain.sent).toHaveLength(2)
  })

  it('rejects another wallet’s fee, and a refused one', async () => {
    const { fee } = await planTwo()
    await sendFee(fee.raw)
    wallet = newWallet(crypto)
    const own = await planTwo()
    await feeFirst({ raws: own.swap.raw, feeTxHash: fee.hash })
    chain.setMode({ kind: 'refuse', words: 'insufficient funds' })
    await refused(relay.submit(wallet, { raws: own.fee.raw }))
    chain.setMode({ kind: 'ok', mines: true })
    await feeFirst({ raws: own.swap.raw, feeTxHash: own.fee.hash })
  })

  it('lists what was sent if one of them fails', async () => {
    const { fee, swap } = await planTwo()
    for (const [mode, code] of [
      [{ kind: 'refuse', words: 'insufficient funds' }, 'SUBMIT_REJECTED'],
      [{ kind: 'deaf' }, 'SEQUENCER_UNREACHABLE'],
    ] as const) {
      chain.on('eth_sendRawTransaction', () =>
        chain.setMode(chain.sent.length === 0 ? { kind: 'ok', mines: true } : mode),
      )
      const own = openTestRelay(db, crypto, chain)
      const error = await refused(own.submit(wallet, { raws: [fee.raw, swap.raw] }))
      expect(error).toMatchObject({ code, extras: { sent: [fee.hash] } })
      await own.close()
    }
    expect(chain.sentTimes(fee.hash)).toBe(1)
  })

  it('checks all transactions before sending any', async () => {
    const { fee } = await planTwo()
    const strange = wallet.sign({ to: MEME, valueWei: 0n, data: '0x00' }, { nonce: 1 })
    const error = await refused(relay.submit(wallet, { raws: [fee.raw, strange.raw] }))
    expect(error.code).toBe('NOT_AS_BUILT')
    expect(chain.sent).toEqual([])
  })

  it('needs no separate fee if the router deducts it', async () => {
    const { signed } = await relay.plan(wallet, { tokenIn: MEME, steps: ['approve', 'swap'] })
    const answer = await relay.submit(wallet, { raws: signed.map(({ raw }) => raw) })
    expect(answer).toMatchObject({ feeFirst: false, hashes: signed.map(({ hash }) => hash) })
    const backwards = await relay.plan(wallet, { tokenIn: MEME, steps: ['swap', 'approve'] }, 10)
    const error = await refused(relay.submit(wallet, { raws: backwards.signed.map(({ raw }) => raw) }))
    expect(error.code).toBe('SUBMIT_REJECTED')
  })

  it('books the fee with its own transaction even if the swap fails', async () => {
    const { fee, swap } = await planTwo()
    const following = openTestRelay(db, crypto, chain, { follows: true })
    await sendFee(fee.raw)
    chain.setMode({ kind: 'ok', mines: true, reverts: true })
    await relay.submit(wallet, { raws: swap.raw, feeTxHash: fee.hash })
    const statuses = async () => [(await rowOf(db, fee.hash))?.status, (await rowOf(db, swap.hash))?.status]
    await expect.poll(statuses, { timeout: 15_000 }).toEqual(['mined', 'reverted'])
    expect(await feesOf(db, fee.hash)).toMatchObject([{ token: NATIVE, atoms: '2500', side: 'input' }])
    expect(await feesOf(db, swap.hash)).toEqual([])
    expect(await rowOf(db, swap.hash)).toMatchObject({ amount_out: null, amount_out_kind: null })
    await following.close()
  })
})
