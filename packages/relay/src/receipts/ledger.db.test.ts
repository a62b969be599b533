import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  clock,
  createTestChain,
  emptyStore,
  feesOf,
  MEME,
  NATIVE,
  newWallet,
  nowS,
  openTestRelay,
  PROFILE,
  RECIPIENT,
  rowOf,
  USDG,
} from '../../test/openTestRelay.ts'
import { sweepPlans } from '../sweepPlans.ts'
import { bookEach, bookOutcomes } from './bookOutcomes.ts'
import { openRows } from './rows.ts'
import type { FollowedRow, Outcome } from './types.ts'
import { valueVolumes, volumeScales } from './valueVolumes.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})

withDb('the ledger', (db, store) => {
  beforeEach(() => emptyStore(db))

  /** A relayed trade without a receipt. */
  async function openTrade(own: Parameters<ReturnType<typeof openTestRelay>['plan']>[1] = {}) {
    const chain = createTestChain(crypto)
    // A swap waits for its fee; no receipt follower runs here, so its row stays open.
    chain.setMode({ kind: 'ok', mines: true })
    const relay = openTestRelay(db, crypto, chain)
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet, own)
    const raws = signed.map(({ raw }) => raw)
    await relay.submit(wallet, raws.length > 1 ? { raws } : { raws: raws[0]! })
    await relay.close()
    return signed.map(({ hash }) => hash)
  }
  const rowFor = async (hash: Hex): Promise<FollowedRow> =>
    (await openRows(db, 0, 100)).find((row) => row.tx_hash === hash)!
  const outcomeOf = (row: FollowedRow, own: Partial<Outcome> = {}): Outcome => ({
    row,
    status: 'mined',
    block: 7,
    blockHash: `0x${'7'.repeat(64)}`,
    minedAtS: nowS(),
    gasWei: 21_000n,
    amountOut: 5_000n,
    amountOutKind: 'actual',
    fee: { token: NATIVE, atoms: 12n, side: 'input', bps: 25, class: 'major', recipient: RECIPIENT },
    ...own,
  })

  it('books a fee once with many followers of the same row', async () => {
    const [hash] = await openTrade()
    const row = await rowFor(hash!)
    const second = (await store().openSecond?.()) ?? db
    const booked = await Promise.all(
      Array.from({ length: 20 }, (_, i) => bookOutcomes(i % 2 ? db : second, [outcomeOf(row)])),
    )
    expect(booked.filter((ids) => ids.size > 0)).toHaveLength(1)
    expect(await feesOf(db, hash!)).toMatchObject([{ atoms: '12' }])
    const gas = await db.query('select gas_wei from trades where tx_hash = $1', [hash])
    expect(gas).toEqual([{ gas_wei: '21000' }])
  })

  it('books the other rows if one fails', async () => {
    const [bad] = await openTrade()
    const [good] = await openTrade()
    const outcomes = [
      outcomeOf(await rowFor(bad!), { amountOut: 10n ** 90n }),
      outcomeOf(await rowFor(good!)),
    ]
    const errors: unknown[] = []
    const logger = { error: (...said: unknown[]) => void errors.push(said) } as never
    const { booked, failed } = await bookEach({ db, logger }, outcomes)
    expect([booked.size, failed.size, errors.length]).toEqual([1, 1, 1])
    expect(await feesOf(db, good!)).toHaveLength(1)
    expect(await feesOf(db, bad!)).toEqual([])
    expect(await rowOf(db, bad!)).toMatchObject({ status: 'pending' })
  })

  it('does not give a late swap the fee that paid for another', async () => {
    const [fee, swap] = await openTrade({ tokenOut: MEME, steps: ['fee_transfer', 'swap'] })
    const row = await rowFor(swap!)
    await db.query(`update trades set status = 'refused' where tx_hash = $1`, [swap])
    const [other] = await openTrade()
    await db.query('update trades set fee_apart = true, fee_tx_hash = $2 where tx_hash = $1', [other, fee])
    expect((await bookOutcomes(db, [outcomeOf(row, { fee: null })])).size).toBe(1)
    expect(await rowOf(db, swap!)).toMatchObject({ status: 'mined', fee_tx_hash: null, fee_apart: true })
  })

  describe('a volume', () => {
    const scales = volumeScales(PROFILE)
    const addMark = (token: string, minuteS: number, price: string) =>
      db.query(
        `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
         values ($1, $2, $3, 'oracle_feed', 1, $2, false)`,
        [token, minuteS, price],
      )
    const minuteOf = (timeS: number) => timeS - (timeS % 60)
    async function minedTrade(
      own: Parameters<typeof openTrade>[0] = {},
      at: Partial<Outcome> = {},
    ): Promise<Hex> {
      const hashes = await openTrade(own)
      for (const hash of hashes) await bookOutcomes(db, [outcomeOf(await rowFor(hash), at)])
      return hashes[hashes.length - 1]!
    }
    const volumeOf = async (hash: Hex) => (await rowOf(db, hash))?.volume_micro_usd

    it('is the input’s value at the mark of its minute, rounded down', async () => {
      const hash = await minedTrade({ amountIn: 1_234_567_890_123_456_789n })
      await addMark(NATIVE, minuteOf(nowS()) - 60, '1000000000000000000000')
      await addMark(NATIVE, minuteOf(nowS()), '1999999999999999999999')
      await addMark(NATIVE, minuteOf(nowS()) + 60, '3000000000000000000000')
      expect(await valueVolumes(db, scales, nowS())).toMatchObject({ valued: 1 })
      const exact = (1_234_567_890_123_456_789n * 1_999_999_999_999_999_999_999n) / 10n ** 30n
      expect(await volumeOf(hash)).toBe(exact.toString())
      expect(await valueVolumes(db, scales, nowS())).toMatchObject({ valued: 0 })
    })

    it('is the output’s value if that side counts: the actual amount, or the minimum', async () => {
      await addMark(USDG, minuteOf(nowS()), '1000000000000000000')
      const sale = { tokenIn: MEME, tokenOut: USDG, side: 'output' } as const
      const actual = await minedTrade(sale, { amountOut: 7_000_123n })
      const least = await minedTrade(sale, { amountOut: 900n, amountOutKind: 'minimum' })
      await valueVolumes(db, scales, nowS())
      expect([await volumeOf(actual), await volumeOf(least)]).toEqual(['7000123', '900'])
    })

    it('is zero for a trade that delivered nothing', async () => {
      await addMark(USDG, minuteOf(nowS()), '1000000000000000000')
      await addMark(NATIVE, minuteOf(nowS()), '1000000000000000000000')
      const nothing = { amountOut: null, amountOutKind: null }
      const sale = await minedTrade({ tokenIn: MEME, tokenOut: USDG, side: 'output' }, nothing)
      const buy = await minedTrade({ amountIn: 10n ** 18n, tokenOut: MEME }, nothing)
      await valueVolumes(db, scales, nowS())
      expect([await volumeOf(sale), await volumeOf(buy)]).toEqual(['0', '0'])
    })

    it('is computed page by page, so that unmarked trades do not block others', async () => {
      const waiting = await minedTrade()
      await addMark(USDG, minuteOf(nowS()), '1000000000000000000')
      const ready = await minedTrade({ tokenIn: MEME, tokenOut: USDG, side: 'output' })
      const first = await valueVolumes(db, scales, nowS(), { atOnce: 1 })
      expect(first).toEqual({ valued: 0, next: (await rowOf(db, waiting))!.id })
      const second = await valueVolumes(db, scales, nowS(), { atOnce: 1, after: first.next })
      expect(second).toEqual({ valued: 1, next: (await rowOf(db, ready))!.id })
      expect(await valueVolumes(db, scales, nowS(), { atOnce: 1, after: second.next })).toEqual({
        valued: 0,
        next: 0,
      })
    })

    it('waits for its minute’s mark, then uses the nearest earlier one within an hour', async () => {
      const minedAtS = nowS()
      const hash = await minedTrade({ amountIn: 10n ** 18n }, { minedAtS })
      await addMark(NATIVE, minuteOf(minedAtS) - 600, '5000000000000000000')
      expect(await valueVolumes(db, scales, minedAtS + 30)).toMatchObject({ valued: 0 })
      expect(await valueVolumes(db, scales, minedAtS + 130)).toMatchObject({ valued: 1 })
      expect(await volumeOf(hash)).toBe('5000000')
    })

    it('is zero without a mark', async () => {
      const minedAtS = nowS()
      const late = await minedTrade({}, { minedAtS })
      await addMark(NATIVE, minuteOf(minedAtS) - 3_660, '5000000000000000000')
      expect(await valueVolumes(db, scales, minedAtS + 7_000)).toMatchObject({ valued: 0 })
      expect(await valueVolumes(db, scales, minedAtS + 7_300)).toMatchObject({ valued: 1 })
      expect(await volumeOf(late)).toBe('0')
      const none = await minedTrade({ tokenIn: MEME, tokenOut: MEME })
      await valueVolumes(db, scales, minedAtS)
      expect(await volumeOf(none)).toBeNull()
      const unmarked = await minedTrade()
      await db.query('update trades set volume_token = $2 where tx_hash = $1', [unmarked, MEME])
      await valueVolumes(db, scales, minedAtS)
      expect(await volumeOf(unmarked)).toBe('0')
    })

    it('counts once its separate fee is mined too', async () => {
      await addMark(NATIVE, minuteOf(nowS()), '1000000000000000000')
      const [fee, swap] = await openTrade({
        amountIn: 10n ** 18n,
        tokenOut: MEME,
        steps: ['fee_transfer', 'swap'],
      })
      const feeRow = await rowFor(fee!)
      await bookOutcomes(db, [outcomeOf(await rowFor(swap!), { fee: null })])
      expect(await valueVolumes(db, scales, nowS())).toMatchObject({ valued: 0 })
      await bookOutcomes(db, [outcomeOf(feeRow, { amountOut: null, amountOutKind: null })])
      expect(await valueVolumes(db, scales, nowS())).toMatchObject({ valued: 1 })
      expect(await volumeOf(swap!)).toBe('1000000')
    })
  })

  it('sweeps plans an hour after their deadline and keeps relayed trades', async () => {
    const relay = openTestRelay(db, crypto, createTestChain(crypto))
    const wallet = newWallet(crypto)
    const { signed } = await relay.plan(wallet, { steps: ['approve', 'swap'], tokenIn: MEME })
    await relay.submit(wallet, { raws: signed[1]!.raw })
    const tx = { from: wallet.address, to: USDG, valueWei: 0n, data: '0x1234' } as const
    await relay.storeRevocation({ keyId: wallet.keyId, wallet: wallet.address, txs: [{ tx }] })
    clock.later(3_600 + 100)
    expect(await sweepPlans({ db, clock })).toBe(0)
    await relay.plan(wallet)
    clock.later(100)
    expect(await sweepPlans({ db, clock })).toBe(1)
    // The revocation is valid for half an hour, plus the hour after that.
    expect(await db.query('select kind from plan_txs order by kind')).toEqual([
      { kind: 'revoke' },
      { kind: 'swap' },
    ])
    clock.later(1_800)
    expect(await sweepPlans({ db, clock })).toBe(1)
    expect(await db.query('select id from trades')).toHaveLength(1)
    await relay.close()
  })
})
