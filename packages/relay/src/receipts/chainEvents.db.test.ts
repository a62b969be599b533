import { type Crypto, createCrypto, type Hex } from '@pit/chain'
import type { ScriptedChain } from '@pit/platform/test/scriptedChain'
import { until } from '@pit/platform/test/until'
import { withDb } from '@pit/platform/test/withStore'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { transfer } from '../../test/logs.ts'
import {
  clock,
  createTestChain,
  emptyStore,
  feesOf,
  NATIVE,
  newWallet,
  nowS,
  openTestRelay,
  ROUTER,
  refused,
  rowOf,
  type StoredRow,
  type TestRelay,
  USDG,
  type Wallet,
} from '../../test/openTestRelay.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await createCrypto()
})

withDb('crashes and reorganisations', (db) => {
  let chain: ScriptedChain
  let relay: TestRelay
  let wallet: Wallet
  const opened: TestRelay[] = []
  const open = (options: Parameters<typeof openTestRelay>[3] = {}) => {
    const own = openTestRelay(db, crypto, chain, { follows: true, ...options })
    opened.push(own)
    return own
  }
  beforeEach(async () => {
    await emptyStore(db)
    wallet = newWallet(crypto)
    chain = createTestChain(crypto)
    relay = open()
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
  })

  const expectRow = async (hash: Hex, row: Partial<StoredRow>, timeout = 15_000) => {
    await expect.poll(() => rowOf(db, hash), { timeout, interval: 20 }).toMatchObject(row)
    return rowOf(db, hash)
  }
  /** Relays a plan's only transaction and returns its hash. */
  const relayed = async (own: Parameters<TestRelay['plan']>[1] = {}, nonce = 0): Promise<Hex> => {
    const { signed } = await relay.plan(wallet, own, nonce)
    return (await relay.submit(wallet, { raws: signed[0]!.raw })).hashes[0]!
  }

  describe('after a crash', () => {
    /** State left by a process that ended between inserting and marking the row. */
    const leftBehind = async (arrived: boolean): Promise<{ raw: Hex; hash: Hex }> => {
      await relay.close()
      const dying = openTestRelay(db, crypto, chain)
      const { signed } = await dying.plan(wallet)
      chain.setMode({ kind: arrived ? 'ok' : 'deaf' })
      await dying.submit(wallet, { raws: signed[0]!.raw }).catch(() => {})
      await dying.close()
      chain.setMode({ kind: 'ok' })
      await db.query(`update trades set status = 'relaying'`)
      return signed[0]!
    }

    it('drops unsent bytes after a few seconds and never sends them again', async () => {
      const { raw, hash } = await leftBehind(false)
      relay = open()
      await expectRow(hash, { status: 'dropped' })
      expect(chain.sentTimes(hash)).toBe(1)
      expect(await refused(relay.submit(wallet, { raws: raw }))).toMatchObject({ code: 'SUBMIT_REJECTED' })
      expect(chain.sentTimes(hash)).toBe(1)
    })

    it('marks sent bytes as pending, then mined', async () => {
      const { raw, hash } = await leftBehind(true)
      relay = open()
      await expectRow(hash, { status: 'pending' })
      expect((await relay.submit(wallet, { raws: raw })).hashes).toEqual([hash])
      chain.mine()
      await expectRow(hash, { status: 'mined' })
      expect(await feesOf(db, hash)).toHaveLength(1)
      expect(chain.sentTimes(hash)).toBe(1)
    })

    it('marks bytes mined in the meantime', async () => {
      const { hash } = await leftBehind(true)
      chain.mine({ logs: { [hash]: [transfer(USDG, ROUTER, wallet.address, 1_000n)] } })
      relay = open()
      await expectRow(hash, { status: 'mined', amount_out: '1000' })
      expect(chain.sentTimes(hash)).toBe(1)
    })

    it('catches up with many rows despite node failures', async () => {
      await relay.close()
      const dying = openTestRelay(db, crypto, chain)
      const hashes: Hex[] = []
      for (let nonce = 0; nonce < 250; nonce++) {
        const { signed } = await dying.plan(wallet, {}, nonce)
        hashes.push((await dying.submit(wallet, { raws: signed[0]!.raw })).hashes[0]!)
      }
      await dying.close()
      chain.mine()
      chain.isDown = true
      const before = chain.asked.length
      relay = open()
      await until(() => chain.asked.length > before)
      chain.isDown = false
      const minedCount = async () => {
        const [row] = await db.query<{ n: number }>(`select count(*) as n from trades where status = 'mined'`)
        return row?.n
      }
      await expect.poll(minedCount, { timeout: 20_000 }).toBe(250)
      const [sum] = await db.query<{ n: number; atoms: string }>(
        'select count(*) as n, sum(atoms) as atoms from fees',
      )
      expect(sum).toEqual({ n: 250, atoms: String(250 * 2_500) })
      expect(new Set(chain.sent).size).toBe(chain.sent.length)
    })
  })

  describe('a reorganised chain', () => {
    it('moves a trade to its new block, and its fee with it', async () => {
      const hash = await relayed()
      chain.mine({ logs: { [hash]: [transfer(USDG, ROUTER, wallet.address, 10n)] } })
      const first = await expectRow(hash, { status: 'mined' })
      chain.reorg({ keep: true })
      clock.later(40)
      await expect
        .poll(async () => (await rowOf(db, hash))?.block_hash, { timeout: 15_000 })
        .not.toBe(first!.block_hash)
      const row = await rowOf(db, hash)
      expect(row).toMatchObject({ status: 'mined', settled: false, mined_at_s: first!.mined_at_s! + 7 })
      expect(await feesOf(db, hash)).toHaveLength(1)
      clock.later(40)
      await expectRow(hash, { settled: true })
    })

    it('undoes fee and volume of a removed trade until it is mined again', async () => {
      await db.query(
        `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
         select $1, m, 2000 * 10^18::numeric, 'oracle_feed', 1, m, false
         from generate_series($2::int8, $2::int8 + 600, 60) as m`,
        [NATIVE, nowS() - (nowS() % 60) - 120],
      )
      const hash = await relayed({ amountIn: 10n ** 18n })
      chain.mine({ logs: { [hash]: [transfer(USDG, ROUTER, wallet.address, 10n)] } })
      await expectRow(hash, { status: 'mined', volume_micro_usd: '2000000000' })
      chain.reorg({ keep: false })
      clock.later(40)
      await expectRow(hash, {
        status: 'pending',
        block: null,
        block_hash: null,
        mined_at_s: null,
        volume_micro_usd: null,
        amount_out: '900',
        amount_out_kind: 'minimum',
      })
      expect(await feesOf(db, hash)).toEqual([])
      chain.mine({ timeS: nowS() })
      await expectRow(hash, { status: 'mined' })
      expect(await feesOf(db, hash)).toHaveLength(1)
    })

    it('is not inferred from a node that only lost a receipt', async () => {
      const hash = await relayed()
      chain.mine()
      await expectRow(hash, { status: 'mined' })
      chain.loseReceipt(hash)
      clock.later(40)
      await expectRow(hash, { status: 'mined', settled: true })
      expect(await feesOf(db, hash)).toHaveLength(1)
    })
  })
})
